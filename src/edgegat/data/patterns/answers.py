"""What is asked about an account, and the true answer, by looking at every transfer."""

from __future__ import annotations

from collections.abc import Callable

Transfers = list[tuple[int, int, float]]
"""Payer, payee, amount."""

MANY = 4
"""From so many different partners on, they fan in or out."""
FEW_MANY = 3
"""Likewise where both are asked for at once."""
MOST = 5
"""Degrees from here on are one class."""


def in_degree(transfers: Transfers, account: int) -> int:
    """How many transfers come in; :data:`MOST` and more are one class.

    Example:
        >>> in_degree([(1, 0, 9.0), (1, 0, 9.0), (0, 2, 9.0)], account=0)
        2
    """
    return min(sum(payee == account for _, payee, _ in transfers), MOST)


def out_degree(transfers: Transfers, account: int) -> int:
    """How many transfers go out, likewise."""
    return in_degree(_reversed(transfers), account)


def fan_in(transfers: Transfers, account: int) -> bool:
    """Whether :data:`MANY` different accounts pay it, however often each.

    Example:
        >>> fan_in([(1, 0, 9.0)] * 9, account=0), fan_in([(n, 0, 9.0) for n in (1, 2, 3, 4)], account=0)
        (False, True)
    """
    return len(_payers(transfers, account)) >= MANY


def fan_out(transfers: Transfers, account: int) -> bool:
    """Whether it pays :data:`MANY` different accounts."""
    return fan_in(_reversed(transfers), account)


def cycle(length: int) -> Callable[[Transfers, int], bool]:
    """Whether money from the account comes back to it over ``length`` transfers and as many different accounts.

    Example:
        >>> there_and_back, around = [(0, 1, 9.0), (1, 0, 9.0)], [(0, 1, 9.0), (1, 2, 9.0), (2, 0, 9.0)]
        >>> cycle(2)(there_and_back, 0), cycle(2)(around, 0), cycle(3)(around, 0), cycle(4)(there_and_back, 0)
        (True, False, True, False)
    """

    def answer(transfers: Transfers, account: int) -> bool:
        pays: dict[int, set[int]] = {}
        for payer, payee, _ in transfers:
            pays.setdefault(payer, set()).add(payee)
        paths: list[tuple[int, ...]] = [(account,)]
        for _ in range(length - 1):
            paths = [(*path, n) for path in paths for n in pays.get(path[-1], ()) if n not in path]
        return any(account in pays.get(path[-1], ()) for path in paths)

    return answer


def gather_scatter(transfers: Transfers, account: int) -> bool:
    """Whether it gathers from :data:`FEW_MANY` different accounts and scatters to as many.

    Example:
        >>> inwards = [(n, 0, 9.0) for n in (1, 2, 3)]
        >>> gather_scatter(inwards, 0), gather_scatter(inwards + [(0, n, 9.0) for n in (4, 5, 6)], 0)
        (False, True)
    """
    return min(len(_payers(t, account)) for t in (transfers, _reversed(transfers))) >= FEW_MANY


def pass_through(transfers: Transfers, account: int) -> bool:
    """Whether what goes out is what came in, give or take a tenth.

    Example:
        >>> (
        ...     pass_through([(1, 0, 9.0), (2, 0, 1.0), (0, 3, 9.5)], 0),
        ...     pass_through([(1, 0, 9.0), (0, 3, 5.0)], 0),
        ... )
        (True, False)
    """
    came = sum(amount for _, payee, amount in transfers if payee == account)
    went = sum(amount for payer, _, amount in transfers if payer == account)
    return came > 0 and abs(went - came) <= 0.1 * came


ANSWERS: dict[str, Callable[[Transfers, int], int]] = {
    "in-degree": in_degree,
    "out-degree": out_degree,
    "fan-in": fan_in,
    "fan-out": fan_out,
    "cycle of 2": cycle(2),
    "cycle of 3": cycle(3),
    "cycle of 4": cycle(4),
    "gather-scatter": gather_scatter,
    "pass-through": pass_through,
}


def _payers(transfers: Transfers, account: int) -> set[int]:
    return {payer for payer, payee, _ in transfers if payee == account and payer != account}


def _reversed(transfers: Transfers) -> Transfers:
    return [(payee, payer, amount) for payer, payee, amount in transfers]
