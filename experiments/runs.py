"""Runs: one method on one task with one seed and its settings. What comes of each is kept as soon as it is there."""

from __future__ import annotations

import hashlib
import importlib
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import torch
from threadpoolctl import threadpool_limits

from edgegat.learn.errors import LearningError
from experiments import tasks
from experiments.answer import judge
from experiments.memory import most_memory

_ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Run:
    """``method`` is a module of `experiments.methods`, ``task`` a name of `experiments.tasks`."""

    row: str
    method: str
    task: str
    seed: int
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True)
class Outcome:
    """Metrics on the validation and test nodes, or why there are none."""

    run: Run
    val: dict[str, float | None] = field(default_factory=dict)
    test: dict[str, float | None] = field(default_factory=dict)
    epochs: int = 0
    seconds: float = 0.0
    bytes: int | None = None
    failed: str = ""


def carry_out(run: Run, tensors: Path | None = None, device: str = "cpu") -> Outcome:
    """One run, here and now. A training that diverges is an outcome, too."""
    method = importlib.import_module(f"experiments.methods.{run.method}")
    graph = tasks.load(run.task, tensors, run.seed)
    started = time.perf_counter()
    try:
        with most_memory(device) as memory:
            answer = method.answer(graph, run.settings, run.seed, device)
    except LearningError as error:
        return Outcome(run, seconds=time.perf_counter() - started, failed=str(error))
    return Outcome(
        run,
        judge(answer.logits, graph, graph.val_mask),
        judge(answer.logits, graph, graph.test_mask),
        answer.epochs,
        time.perf_counter() - started,
        memory.bytes,
    )


class Laboratory:
    """Where runs are carried out: here, or spread over worker processes of one thread each.

    Args:
        tensors: the folder that `experiments.prepare` wrote; without it the data are read.
        device: of the methods that can use one.
        workers: processes; with one, this process does everything.
        kept: a file of finished runs. What it has from the same code is not run again.
    """

    def __init__(
        self, tensors: Path | None = None, device: str = "cpu", workers: int = 1, kept: Path | None = None
    ) -> None:
        self.where = (tensors, device)
        self.workers = workers
        self.finished = True  # until time is up
        self._kept = Kept(kept) if kept else None
        self._done = dict(self._kept.found) if self._kept else {}
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self.workers > 1:
            spawn = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.workers, spawn, initializer=_take_one_thread)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def carry_out(self, runs: Sequence[Run], until: float = float("inf"), title: str = "Runs") -> list[Outcome]:
        """All runs, in their order; after ``until`` (of `time.monotonic`) no other is begun."""
        done = self._done
        waiting = [run for key, run in {run.key: run for run in runs}.items() if key not in done]
        total, started = len(waiting), time.monotonic()
        for number, outcome in enumerate(self._each(waiting, until), 1):
            done[outcome.run.key] = outcome
            if self._kept:
                self._kept.add(outcome)
            _say(title, number, total, started)
        self.finished &= all(run.key in done for run in runs)
        return [done[run.key] for run in runs if run.key in done]

    def _each(self, runs: list[Run], until: float) -> Iterator[Outcome]:
        if self._pool is None:
            for run in runs:
                if time.monotonic() > until:
                    return
                yield carry_out(run, *self.where)
            return
        rest, flying = iter(runs), set[Future[Outcome]]()
        while True:
            while len(flying) < self.workers and time.monotonic() <= until and (run := next(rest, None)):
                flying.add(self._pool.submit(carry_out, run, *self.where))
            if not flying:
                return
            landed, flying = wait(flying, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in landed)


def _take_one_thread() -> None:
    torch.set_num_threads(1)
    threadpool_limits(1)  # and whatever numpy and scikit-learn compute with


class Kept:
    """A file with one finished run a line; the first line is that of the code they ran with."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.found: dict[str, Outcome] = {}
        code = digest_of_code()
        if path.is_file():
            first, *lines = path.read_text(encoding="utf-8").splitlines() or [""]
            if first == code:
                for line in lines:
                    outcome = _from_line(line)
                    if outcome:
                        self.found[outcome.run.key] = outcome
                return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{code}\n", encoding="utf-8")

    def add(self, outcome: Outcome) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")


def digest_of_code() -> str:
    """Of everything that a run depends on and that may change between two."""
    digest = hashlib.sha256(torch.__version__.encode())
    for folder in (_ROOT / "src" / "edgegat", _ROOT / "experiments"):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _from_line(line: str) -> Outcome | None:
    try:
        fields = json.loads(line)
    except json.JSONDecodeError:  # the last line of an interrupted run
        return None
    return Outcome(**{**fields, "run": Run(**fields["run"])})


def _say(title: str, number: int, total: int, started: float) -> None:
    """On a terminal a bar that grows, elsewhere a line for every tenth part."""
    passed = time.monotonic() - started
    text = (
        f"{title}: {number} of {total}, {passed:.0f} s, about {passed / number * (total - number):.0f} s left"
    )
    if sys.stderr.isatty():
        bar = "█" * (20 * number // total)
        print(f"\r{bar:░<20} {text:<58}", end="\n" if number == total else "", file=sys.stderr, flush=True)
    elif number == total or number % max(1, total // 10) == 0:
        print(text, file=sys.stderr, flush=True)
