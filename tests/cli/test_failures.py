"""What users see when something goes wrong: a sentence and an exit code, never a traceback."""

from __future__ import annotations

import errno
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from edgegat.cli.command import add_command
from edgegat.data import DataError
from edgegat.learn import LearningError, OptionError, SavedModelError, TrainingInterrupted
from tests.cli.run import edgegat_process


def run(error: BaseException, *options: str):
    app = typer.Typer(pretty_exceptions_enable=False)

    def fail(say):
        raise error

    def other(say):
        pass

    add_command(app, fail)
    add_command(app, other)
    result = CliRunner().invoke(app, ["fail", *options])
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    return result


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (DataError("a.csv, line 7: 'x' is no number."), 2, "Error: a.csv, line 7: 'x' is no number.\n"),
        (OptionError("heads is 0."), 2, "Error: heads is 0.\n"),
        (SavedModelError("model is no saved model."), 2, "Error: model is no saved model.\n"),
        (LearningError("the loss became nan."), 1, "Error: the loss became nan.\n"),
        (OSError(errno.ENOSPC, "No space left on device", "x.csv"), 1, "Error: x.csv: No space left on device.\n"),
        (MemoryError(), 1, "Error: the memory of this machine is too small for these tables.\n"),
        (KeyError("x"), 1, "Error: this should not have happened (KeyError: 'x')"),
        (KeyboardInterrupt(), 130, "Error: Stopped."),
        (TrainingInterrupted("Stopped after epoch 3."), 130, "Error: Stopped after epoch 3."),
    ],
)  # fmt: skip
def test_each_failure_has_its_sentence_and_code(error, code, says):
    result = run(error)
    assert result.exit_code == code
    assert result.stderr.startswith(says)
    assert "Traceback" not in result.stderr


def test_debug_shows_the_traceback_and_keeps_the_code():
    result = run(DataError("no such column."), "--debug")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert "in fail" in result.stderr
    assert result.stderr.endswith("Error: no such column.\n")


def test_quiet_and_json_leave_errors_on_stderr():
    for option in ("--quiet", "--json"):
        result = run(DataError("no such column."), option)
        assert (result.exit_code, result.stderr) == (2, "Error: no such column.\n")


def test_a_reader_who_leaves_early_is_no_failure_to_explain(tmp_path):
    line = f"{sys.executable} -m edgegat --help | true"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == ""


def test_a_missing_file_as_a_user_meets_it(tmp_path):
    said = edgegat_process("init", "customers.csv", "transfers.csv", folder=tmp_path)
    assert (said.code, said.out) == (2, "")
    assert said.err == "Error: there is no file customers.csv.\n"
