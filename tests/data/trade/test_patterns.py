"""Every pattern looks as its typology says, in banks where all who are watched show it."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

from edgegat.data.trade._bank import draw_part
from edgegat.data.trade._network import parts_of
from edgegat.data.trade.banks import BANKS, TRADE_B
from edgegat.data.trade.patterns import PATTERNS, Bank, Case, Label
from tests.data.trade.relations import relations

THRESHOLDS = (1_000, 3_000, 10_000)


def bank_of(pattern: str, **changes) -> Bank:
    label = Label("all", share=1.0, cases=(Case(pattern, 1.0, money=11.5, number=1.6),), risk=(0.2,) * 5)
    settings = {field: getattr(TRADE_B, field) for field in TRADE_B.__dataclass_fields__}
    return Bank(**settings | {"labels": (label,), "degree": 16.0} | changes)


@cache
def payments(pattern: str) -> pl.DataFrame:
    """All payments of labelled customers: `account`, `far`, `inward`, `time`, `amount`."""
    bank = bank_of(pattern)
    (part,) = parts_of(bank, 20_000)
    customers, transactions = draw_part(bank, part, None, seed=4)
    labelled = customers.filter(pl.col("label").is_not_null()).select("account")
    ways = [
        transactions.select("time", "amount", account=here, far=there, inward=pl.lit(inward))
        for here, there, inward in (("sender", "receiver", False), ("receiver", "sender", True))
    ]
    return pl.concat(ways).join(labelled, on="account")


def flows(pattern: str) -> pl.DataFrame:
    """The same by relation: `total`, `number`, and the share that came `inward`."""
    inward = (pl.col("amount") * pl.col("inward")).sum() / pl.col("amount").sum()
    return (
        payments(pattern)
        .group_by("account", "far")
        .agg(total=pl.col("amount").sum(), number=pl.len(), inward=inward, largest=pl.col("amount").max())
        .sort("account", "total")
    )


def median_over_customers(pattern: str, expression: pl.Expr) -> float:
    each = flows(pattern).group_by("account").agg(value=expression)["value"]
    return each.median()


MANY_SMALL_IN = pl.col("inward").head(pl.len() * 3 // 4).mean()
LARGE_IN = pl.col("inward").last()
SPREAD_OF_SMALL = pl.col("total").log().head(pl.len() * 3 // 4).std()


@pytest.mark.parametrize("pattern", ["gathering", "structuring", "landlord"])
def test_many_small_relations_bring_money_in_and_a_large_one_takes_it_out(pattern):
    assert median_over_customers(pattern, MANY_SMALL_IN) > 0.9
    assert median_over_customers(pattern, LARGE_IN) < 0.1


@pytest.mark.parametrize("pattern", ["scattering", "household", "payroll"])
def test_and_the_other_way_round(pattern):
    assert median_over_customers(pattern, MANY_SMALL_IN) < 0.1
    assert median_over_customers(pattern, LARGE_IN) > 0.9


@pytest.mark.parametrize(
    ("abnormal", "innocent"), [("gathering", "shop"), ("gathering", "household"), ("scattering", "household")]
)
def test_honest_sums_are_uneven(abnormal, innocent):
    assert (
        median_over_customers(abnormal, SPREAD_OF_SMALL) < median_over_customers(innocent, SPREAD_OF_SMALL) / 2
    )


def test_gathering_and_scattering_happen_within_days_and_wages_are_monthly():
    def days(pattern: str) -> float:
        kept = (
            payments(pattern)
            .group_by("account")
            .agg(days=(pl.col("time").quantile(0.95) - pl.col("time").quantile(0.05)).dt.total_days())
        )
        return kept["days"].median()

    assert days("gathering") <= 14
    assert days("scattering") <= 14
    assert days("payroll") > 60


def test_structuring_stays_just_below_a_threshold():
    small = payments("structuring").join(
        flows("structuring").filter(pl.col("inward") > 0.5).select("account", "far"), on=["account", "far"]
    )
    near = pl.any_horizontal([pl.col("amount").is_between(0.9 * t, t, closed="none") for t in THRESHOLDS])
    assert small.select(near.mean()).item() > 0.97
    assert small["amount"].n_unique() > 0.5 * small.height  # and never the same sum, unlike rents
    for innocent in ("payroll", "shop", "household"):
        assert payments(innocent).select(near.mean()).item() < 0.2


@pytest.mark.parametrize(("pattern", "inward"), [("payroll", False), ("landlord", True)])
def test_wages_and_rents_are_equal(pattern, inward):
    pairs = (
        payments(pattern)
        .group_by("account", "far")
        .agg(pl.col("amount").n_unique(), pl.len(), inward=pl.col("inward").mean() > 0.5)
    )
    several = pairs.filter(pl.col("inward") == inward, pl.col("len") > 1)
    assert several.height > 1_000
    assert several.select((pl.col("amount") == 1).mean()).item() > 0.95


def test_a_shop_is_paid_by_many_and_pays_several_suppliers():
    came = pl.col("inward") > 0.5
    assert 0.7 < median_over_customers("shop", came.mean()) < 0.8
    assert 0.5 < median_over_customers("shop", (pl.col("total") * came).sum() / pl.col("total").sum()) < 0.66


def matched_share(pattern: str) -> float:
    """Of the relations of a customer, sorted by total, the share within 5 % of the one before."""
    close = pl.col("total").log().diff() < 0.052
    return median_over_customers(pattern, close.mean())


@pytest.mark.parametrize("pattern", ["pass-through", "cycles"])
def test_what_comes_in_leaves(pattern):
    both = flows(pattern).with_columns(came=pl.col("total") * pl.col("inward"))
    customers = both.group_by("account").agg(pl.len(), share=pl.col("came").sum() / pl.col("total").sum())
    share = customers.filter(pl.col("len") % 2 == 0)["share"]  # nothing is left over
    assert 0.44 < share.quantile(0.1) <= share.quantile(0.9) < 0.56
    assert matched_share(pattern) > 0.45
    assert matched_share("household") < 0.2


def test_a_mule_passes_each_sum_on_within_days():
    pairs = (
        payments("pass-through")
        .group_by("account", "far")
        .agg(pl.col("time").min(), total=pl.col("amount").sum(), inward=pl.col("inward").mean() > 0.5)
    )
    came = pairs.filter("inward").sort("total")
    left = pairs.filter(~pl.col("inward")).sort("total")
    # What left is a little less than what came, so it is the next smaller sum.
    passed = came.join_asof(left, on="total", by="account", strategy="backward", check_sortedness=False)
    days = (passed["time_right"] - passed["time"]).drop_nulls().dt.total_hours() / 24
    assert 0 < days.median() < 2
    assert days.abs().quantile(0.6) < 3


def test_money_on_a_circle_comes_home_over_a_third_side():
    bank = bank_of("cycles", degree=8.0)
    (part,) = parts_of(bank, 20_000)
    customers, transactions = draw_part(bank, part, None, seed=4)
    pairs = relations(transactions).drop("number")
    both_ways = pl.concat([pairs, pairs.select("total", one="other", other="one")], how="diagonal")
    watched = customers.filter(pl.col("label").is_not_null()).select(one="account")
    sides = both_ways.join(watched, on="one")
    thirds = sides.join(sides, on="one", suffix="_home").join(
        both_ways, left_on=["other", "other_home"], right_on=["one", "other"], suffix="_third"
    )
    assert thirds.height > 0.8 * sides.height  # each triangle is found from either side
    lost = (thirds["total_third"] / thirds["total"]).log().abs()
    assert (lost < 0.06).mean() > 0.95


def test_every_bank_has_noise_and_look_alikes():
    innocent = {"household", "shop", "payroll", "landlord"}
    for bank in BANKS.values():
        first, *others = bank.labels
        assert {case.pattern for case in first.cases} > innocent
        assert sum(case.share for case in first.cases if case.pattern not in innocent) == pytest.approx(0.03)
        for label in others:
            assert sum(case.share for case in label.cases if case.pattern in innocent) == pytest.approx(0.03)
        for label in bank.labels:
            assert sum(case.share for case in label.cases) == pytest.approx(1)
            assert sum(label.risk) == pytest.approx(1)
            assert {case.pattern for case in label.cases} <= set(PATTERNS)
        assert sum(label.share for label in bank.labels) == pytest.approx(1)
