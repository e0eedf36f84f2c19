"""The domain: how customers pay, and which of them a bank reports.

A pattern is the shape of a customer's relations, whatever their number. The shapes of abnormal behaviour
are the published typologies of money laundering; the innocent ones look like them on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Amounts = Literal["varied", "equal", "below"]
Rhythm = Literal["any", "regular", "burst", "relay"]
AMOUNTS: tuple[Amounts, ...] = get_args(Amounts)
RHYTHMS: tuple[Rhythm, ...] = get_args(Rhythm)


@dataclass(frozen=True)
class Pattern:
    """The shape of one customer's relations.

    Attributes:
        gathers: whether the many small relations bring money in; the few large ones run the other way.
        few: the share of relations that are large; 0 if there are no two kinds.
        few_money: the share of the turnover that runs over those.
        spread: how much one relation differs from the next of its kind: the deviation of ln total.
        matched: what comes in by one relation leaves by the next, less a fee. ``"circle"``: it comes back.
        amounts: ``"varied"``, ``"equal"`` (rents, wages) or ``"below"`` a reporting threshold.
        rhythm: ``"any"`` time, ``"regular"``, in one ``"burst"``, or as a ``"relay"``: out soon after in.
    """

    gathers: bool = False
    few: float = 0.0
    few_money: float = 0.0
    spread: float = 1.0
    matched: Literal["", "chain", "circle"] = ""
    amounts: Amounts = "varied"
    rhythm: Rhythm = "any"


PATTERNS = {
    # Abnormal. Many small payments come in and leave as one: collection accounts, smurfs.
    "gathering": Pattern(gathers=True, few=0.12, few_money=0.49, spread=0.35, rhythm="burst"),
    # The mirror image: one large sum is handed out in small ones.
    "scattering": Pattern(gathers=False, few=0.12, few_money=0.49, spread=0.35, rhythm="burst"),
    # Deposits that stay just below the sum above which a bank must report.
    "structuring": Pattern(gathers=True, few=0.12, few_money=0.48, spread=0.45, amounts="below"),
    # A mule: every sum leaves within days, less the fee.
    "pass-through": Pattern(spread=0.8, matched="chain", rhythm="relay"),
    # Money that travels over two others and comes home.
    "cycles": Pattern(spread=0.8, matched="circle", rhythm="relay"),
    # Innocent. Wages come in, everything else goes out.
    "household": Pattern(gathers=False, few=0.12, few_money=0.5, spread=1.1),
    # Many small incoming payments, as in gathering; but the money goes to suppliers, again and again.
    "shop": Pattern(gathers=True, few=0.25, few_money=0.42, spread=0.9),
    # Many equal outgoing payments, as in scattering; but monthly.
    "payroll": Pattern(gathers=False, few=0.2, few_money=0.52, spread=0.15, amounts="equal", rhythm="regular"),
    # Rents come in every month; mortgages and craftsmen go out.
    "landlord": Pattern(gathers=True, few=0.25, few_money=0.4, spread=0.3, amounts="equal", rhythm="regular"),
}


@dataclass(frozen=True)
class Case:
    """How a class of customers shows a pattern.

    Attributes:
        pattern: a name in `PATTERNS`.
        share: of the customers of the class.
        money: ln of the typical sum in euro, of a whole customer or of one relation, as the bank says.
        number: ln of the typical number of transactions of one relation.
    """

    pattern: str
    share: float
    money: float
    number: float


@dataclass(frozen=True)
class Label:
    """A class: its name, its share of the labelled customers, and what they do."""

    name: str
    share: float
    cases: tuple[Case, ...]
    risk: tuple[float, ...]  # shares of the risk levels 1 to 5


@dataclass(frozen=True)
class Bank:
    """One of the paper's two data sets.

    Attributes:
        customers, labelled, relations: the numbers of the paper; other sizes are in proportion.
        money_is_of: whether `Case.money` is that of a whole ``"customer"``, divided among its relations (so
            that totals tell the classes apart), or of one ``"relation"`` (so that averages do).
        money_spread, number_spread: deviations of `Case.money` and `Case.number` from one customer to the next.
        degree, degree_spread: the typical number of relations of a labelled customer, and the deviation of its
            logarithm. It is the same in every class.
    """

    name: str
    customers: int
    labelled: int
    relations: int
    money_is_of: Literal["customer", "relation"]
    money_spread: float
    number_spread: float
    degree: float
    degree_spread: float
    labels: tuple[Label, ...]
