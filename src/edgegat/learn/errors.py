"""What learning refuses, and what it says when it is stopped."""

from __future__ import annotations


class LearningError(ValueError):
    """Something that is asked of learning does not work; the message stands alone and says what does.

    Tables and jobs raise :class:`edgegat.data.DataError` instead, with the same sentences.
    """


class OptionError(LearningError):
    """An option that does not exist or has a value it cannot have; all of them at once, one a line."""


class CheckpointError(LearningError):
    """A checkpoint that cannot be read, or belongs to another run."""


class SavedModelError(LearningError):
    """A folder that is no saved model, or no longer a whole one."""


class TrainingInterrupted(KeyboardInterrupt):
    """Ctrl-C during training; the message says where the checkpoint is and how to go on."""
