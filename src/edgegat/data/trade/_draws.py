"""Random numbers that are the same to the last bit on every machine and with every version of numpy.

numpy promises that for the raw bits of a bit generator, not for the distributions made of them; and `exp` and
`log` differ in the last place from one processor to the next. So only raw bits and the four basic operations,
which IEEE 754 defines exactly, are used here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_LN2 = 0.6931471805599453


class Draws:
    """A stream of draws. Equal keys give equal streams, different keys independent ones.

    Example:
        >>> first, second = Draws(0, 1), Draws(0, 1)
        >>> bool((first.uniform(3) == second.uniform(3)).all())
        True
        >>> Draws(7).below(5, 10).tolist()
        [6, 8, 7, 2, 3]
    """

    def __init__(self, *key: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(key))

    def uniform(self, size: int) -> Floats:
        """``[size]`` numbers in ``[0, 1)``."""
        leading: Floats = (self._raw(size) >> np.uint64(11)).astype(np.float64)
        return leading * 2.0**-53

    def below(self, size: int, bound: int) -> Ints:
        """``[size]`` integers from 0 to ``bound - 1``."""
        return (self.uniform(size) * bound).astype(np.int64)

    def bell(self, size: int) -> Floats:
        """``[size]`` numbers of mean 0 and variance 1, near to normal: the sum of four uniform ones.

        None is beyond ±3.5, so that no customer is absurd.
        """
        quarters = self._raw(size).view(np.uint16).reshape(size, 4)
        total: Floats = quarters.sum(1, dtype=np.int64).astype(np.float64)
        return (total - 131070.0) / 37837.227

    def shuffled(self, size: int) -> Ints:
        """``[size]``: a random order of the numbers from 0 to ``size - 1``."""
        return np.argsort(self._raw(size), kind="stable")

    def share_out(self, size: int, shares: tuple[float, ...]) -> Ints:
        """``[size]`` numbers of shares in random order, each as often as its share says, to within one.

        Example:
            >>> sorted(Draws(3).share_out(10, (0.6, 0.4)).tolist())
            [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
        """
        ends = np.cumsum(np.asarray(shares)) * (size / sum(shares))
        dealt = np.searchsorted(ends[:-1], np.arange(size) + 0.5, side="right")
        return dealt[self.shuffled(size)]

    def _raw(self, size: int) -> NDArray[np.uint64]:
        raw: NDArray[np.uint64] = self._bits.random_raw(size)
        return raw


def exp(x: Floats) -> Floats:
    """``e^x``, built of exact operations only.

    Example:
        >>> float(abs(exp(np.array([-3.0, 0.0, 12.5])) / np.exp([-3.0, 0.0, 12.5]) - 1).max()) < 1e-14
        True
    """
    power = np.floor(x / _LN2 + 0.5)
    rest = x - power * _LN2
    total = np.ones_like(rest)
    for n in range(14, 0, -1):
        total = total * rest / n + 1.0
    scaled: Floats = np.ldexp(total, power.astype(np.int32))
    return scaled
