"""Everything that can be chosen about a model and its training, with checked values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from typing import Any, ClassVar, Literal, Self, get_args

from edgegat.learn.errors import OptionError

Metric = Literal["accuracy", "balanced_accuracy", "macro_f1", "roc_auc", "pr_auc", "log_loss", "rmse", "mae"]
NUMBER_METRICS: tuple[Metric, ...] = ("rmse", "mae")
Schedule = Literal["none", "cosine", "plateau"]
ClassWeights = Literal["none", "balanced"]
Rule = tuple[type, float, float]


class _Options:
    """What both kinds of options have in common: checks, and plain JSON in and out."""

    _numbers: ClassVar[Mapping[str, Rule]]
    _choices: ClassVar[Mapping[str, tuple[object, ...]]]

    def __post_init__(self) -> None:
        mistakes = [
            *(_wrong_number(name, getattr(self, name), rule) for name, rule in self._numbers.items()),
            *(_wrong_choice(name, getattr(self, name), allowed) for name, allowed in self._choices.items()),
        ]
        _raise([mistake for mistake in mistakes if mistake])

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """All options there are."""
        return tuple(field.name for field in fields(cls))  # type: ignore[arg-type]  # every subclass is one

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """From plain values; an option that is left out has its default.

        Raises:
            OptionError: all mistakes at once.
        """
        unknown = [name for name in given if name not in cls.names()]
        known = {name: value for name, value in given.items() if name in cls.names()}
        mistakes = [f"there is no option {name!r}.{_nearest(name, cls.names())}" for name in unknown]
        try:
            options = cls(**known)
        except OptionError as error:
            mistakes += str(error).split("\n")
        _raise(mistakes)
        return options

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON and TOML."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # every subclass is a dataclass


@dataclass(frozen=True)
class ModelOptions(_Options):
    """Sizes and dropouts of an :class:`~edgegat.EGAT`. The defaults are the paper's sizes.

    Attributes:
        hidden_channels: node features per head and layer, ``F_H'``.
        edge_hidden_channels: edge features per head and layer, ``F_E'``.
        num_layers: ``L``.
        heads: ``K``.
        dropout: of what enters each layer, and of what the merge layer reads.
        attention_dropout: of the node block's weights.
        key_dropout: of edges as keys of the edge block.
        directed: whether the model tells the ends of an edge apart: see :class:`~edgegat.EGAT`.
        summaries: whether every layer also counts: see :class:`~edgegat.EGAT`.
        pairs: whether parallel edges are summarised before the layers: likewise.
        edge_attention: ``"star"``, the exact edge block, or ``"transit"``, the paper's cheap one.
        activation: ``"elu"``, ``"relu"``, ``"leaky_relu"``, ``"tanh"`` or ``"none"``.
        negative_slope: of the LeakyReLU in both attentions.

    Example:
        >>> ModelOptions.from_dict({"heads": 4}).to_dict()["heads"]
        4
        >>> ModelOptions.from_dict({"haeds": 4, "dropout": 1.5})
        Traceback (most recent call last):
            ...
        edgegat.learn.errors.OptionError: there is no option 'haeds'. Did you mean 'heads'?
        dropout is 1.5, but it must be a number from 0.0 to 0.99.
    """

    hidden_channels: int = 8
    edge_hidden_channels: int = 4
    num_layers: int = 2
    heads: int = 8
    dropout: float = 0.05
    attention_dropout: float = 0.0
    key_dropout: float = 0.0
    directed: bool = False
    summaries: bool = False
    pairs: bool = False
    edge_attention: Literal["star", "transit"] = "star"
    activation: str = "elu"
    negative_slope: float = 0.2

    _numbers: ClassVar[Mapping[str, Rule]] = {
        "hidden_channels": (int, 1, 4096),
        "edge_hidden_channels": (int, 1, 4096),
        "num_layers": (int, 1, 64),
        "heads": (int, 1, 256),
        "dropout": (float, 0.0, 0.99),
        "attention_dropout": (float, 0.0, 0.99),
        "key_dropout": (float, 0.0, 0.99),
        "negative_slope": (float, 0.0, 1.0),
    }
    _choices: ClassVar[Mapping[str, tuple[object, ...]]] = {
        "directed": (True, False),
        "summaries": (True, False),
        "pairs": (True, False),
        "edge_attention": ("star", "transit"),
        "activation": ("elu", "relu", "leaky_relu", "tanh", "none"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.directed and self.edge_attention == "transit":
            _raise(["edge_attention is 'transit', which reads both ends of an edge alike: set directed=false."])


@dataclass(frozen=True)
class TrainingOptions(_Options):
    """How a model is trained.

    Attributes:
        learning_rate: of Adam.
        weight_decay: the paper's L2 penalty.
        epochs: steps at most; each sees the whole graph.
        patience: stop after so many epochs in a row without a better validation metric.
        metric: the validation metric that stops and that chooses the best weights; of equal ones, the smaller
            loss decides. Of numbers it is ``"rmse"`` or ``"mae"``; ``"log_loss"``, the default, is ``"rmse"`` then.
        schedule: of the learning rate: ``"none"``, ``"cosine"`` (to zero at the last epoch) or ``"plateau"``
            (halved whenever the validation loss has not fallen for a quarter of ``patience``).
        clip: the gradient's largest norm; 0 leaves it alone.
        class_weights: ``"balanced"`` lets every class weigh the same in the loss, however rare it is.
        mixed_precision: bfloat16 where it is safe; on GPUs only.
        seed: of the weights and of dropout.
        device: ``"auto"`` (a GPU if there is one), ``"cpu"``, ``"cuda"``, ``"cuda:1"``, ``"mps"``.
        backend: of the attention blocks; ``"auto"`` takes the fastest that works.
        checkpoint_seconds: at least so long between two checkpoints; 0 writes one after every epoch.

    Example:
        >>> TrainingOptions(epochs=50).epochs
        50
        >>> TrainingOptions(metric="acuracy")
        Traceback (most recent call last):
            ...
        edgegat.learn.errors.OptionError: metric is 'acuracy', but it must be one of 'accuracy', ...
    """

    learning_rate: float = 0.01
    weight_decay: float = 0.0005
    epochs: int = 400
    patience: int = 80
    metric: Metric = "log_loss"
    schedule: Schedule = "none"
    clip: float = 0.0
    class_weights: ClassWeights = "balanced"
    mixed_precision: bool = False
    seed: int = 0
    device: str = "auto"
    backend: str = "auto"
    checkpoint_seconds: float = 30.0

    _numbers: ClassVar[Mapping[str, Rule]] = {
        "learning_rate": (float, 1e-9, 10.0),
        "weight_decay": (float, 0.0, 10.0),
        "epochs": (int, 1, 1_000_000),
        "patience": (int, 1, 1_000_000),
        "clip": (float, 0.0, 1e9),
        "seed": (int, 0, 2**63 - 1),
        "checkpoint_seconds": (float, 0.0, 1e6),
    }
    _choices: ClassVar[Mapping[str, tuple[object, ...]]] = {
        "metric": get_args(Metric),
        "schedule": get_args(Schedule),
        "class_weights": get_args(ClassWeights),
        "mixed_precision": (True, False),
        "backend": ("auto", "naive", "torch", "numba", "triton"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.device, str) or not self.device:
            _raise([f"device is {self.device!r}, but it must be 'auto', 'cpu', 'cuda', 'cuda:1' or the like."])


def _wrong_number(name: str, value: object, rule: Rule) -> str | None:
    kind, low, high = rule
    numbers = (int,) if kind is int else (int, float)
    if not isinstance(value, bool) and isinstance(value, numbers) and low <= value <= high:
        return None
    noun = "a whole number" if kind is int else "a number"
    return f"{name} is {value!r}, but it must be {noun} from {low} to {high}."


def _wrong_choice(name: str, value: object, allowed: tuple[object, ...]) -> str | None:
    # Not `in`: 1 == True, but a flag is a flag.
    if any(type(value) is type(choice) and value == choice for choice in allowed):
        return None
    return f"{name} is {value!r}, but it must be one of {', '.join(map(repr, allowed))}."


def _nearest(name: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(name, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else f" There are {', '.join(known)}."


def _raise(mistakes: list[str]) -> None:
    if mistakes:
        raise OptionError("\n".join(mistakes))
