"""The same experiment several times: mean, standard deviation and interval of what comes out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Repeats:
    r"""A number from several runs.

    .. math::
        \bar v \pm t_{0.975,\,n-1} \, s / \sqrt n

    The interval is Student's. It takes runs for independent draws; runs on other splits of the *same* labelled
    nodes are a little less than that, so it is rather too narrow than too wide.

    Attributes:
        values: of each run; ``None`` where it has no meaning, like a ROC-AUC of a part with one class.

    Example:
        >>> accuracy = Repeats((0.90, 0.92, 0.94))
        >>> round(accuracy.mean, 3), round(accuracy.std, 3), [round(end, 3) for end in accuracy.interval]
        (0.92, 0.02, [0.87, 0.97])
        >>> str(accuracy), str(Repeats((0.9,)))
        ('0.920 ± 0.020 (95 %: 0.870 to 0.970)', '0.900')
    """

    values: tuple[float | None, ...]

    @property
    def known(self) -> tuple[float, ...]:
        """The values there are."""
        return tuple(value for value in self.values if value is not None and not math.isnan(value))

    @property
    def mean(self) -> float | None:
        """Of all there are."""
        return float(np.mean(self.known)) if self.known else None

    @property
    def std(self) -> float | None:
        """The sample's, with ``n - 1``; ``None`` of fewer than two."""
        return float(np.std(self.known, ddof=1)) if len(self.known) > 1 else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Ends of the 95 % interval of the mean; ``None`` of fewer than two."""
        mean, std = self.mean, self.std
        if mean is None or std is None:
            return None
        from scipy.special import stdtrit  # type: ignore[import-untyped]  # comes with scikit-learn

        n = len(self.known)
        half = float(stdtrit(n - 1, 0.975)) * std / math.sqrt(n)
        return mean - half, mean + half

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"values": self.values, "mean": self.mean, "std": self.std, "interval": self.interval}

    def __str__(self) -> str:
        if self.mean is None:
            return "no value"
        if self.std is None or self.interval is None:
            return f"{self.mean:.3f}"
        low, high = self.interval
        return f"{self.mean:.3f} ± {self.std:.3f} (95 %: {low:.3f} to {high:.3f})"


def repeat(run: Callable[[int], Mapping[str, float | None]], seeds: Sequence[int]) -> dict[str, Repeats]:
    """Run an experiment once for each seed and gather what each run returns, name by name.

    Example:
        >>> {name: str(r) for name, r in repeat(lambda seed: {"accuracy": 0.5 + seed / 10}, [0, 1]).items()}
        {'accuracy': '0.550 ± 0.071 (95 %: -0.085 to 1.185)'}
    """
    return gather([run(seed) for seed in seeds])


def gather(results: Sequence[Mapping[str, float | None]]) -> dict[str, Repeats]:
    """One :class:`Repeats` for each name, of the same name in all results."""
    names = list(dict.fromkeys(name for result in results for name in result))
    return {name: Repeats(tuple(result.get(name) for result in results)) for name in names}
