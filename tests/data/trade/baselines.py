"""What a customer's relations say without a graph network: the table of docs/trade.md.

Run: python -m tests.data.trade.baselines
"""

from __future__ import annotations

import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from edgegat.data.trade import Tables, generate
from tests.data.trade.relations import of_labelled, relations

KNOWN = {
    "risk level": ["risk_level"],
    "degree": ["degree"],
    "structure": ["risk_level", "degree", "far_degree", "far_largest", "triangles"],
    "sums": ["risk_level", "sum_total", "sum_number"],
    "averages": ["risk_level", "mean_total", "mean_number"],
    "maxima": ["risk_level", "max_total", "max_number"],
    "aggregates": [
        *("risk_level", "degree", "typical_total", "typical_number", "spread_total", "spread_number"),
        *(f"{kind}_{what}" for kind in ("sum", "mean", "max", "min", "std") for what in ("total", "number")),
    ],
    "comparisons": ["step", "matched", "largest", "lead", "unevenness", "payments"],
}
KNOWN["everything"] = KNOWN["aggregates"] + KNOWN["comparisons"]


def describe(tables: Tables) -> pl.DataFrame:
    """One row for each labelled customer: `label` and every column of `KNOWN`, amounts as logarithms."""
    ends = of_labelled(tables).with_columns(
        ln_total=pl.col("total").log(),
        ln_number=pl.col("number").log(),
        ln_payment=(pl.col("total") / pl.col("number")).log(),
    )
    total, number = pl.col("ln_total"), pl.col("ln_number")
    step = total.diff()  # the relations of a customer are sorted by total
    rows = ends.group_by("account", "label", "risk_level").agg(
        degree=pl.len(),
        **{f"sum_{c}": pl.col(c).sum().log() for c in ("total", "number")},
        **{f"mean_{c}": pl.col(c).mean().log() for c in ("total", "number")},
        **{f"max_{c}": pl.col(c).max().log() for c in ("total", "number")},
        **{f"min_{c}": pl.col(c).min().log() for c in ("total", "number")},
        **{f"std_{c}": pl.col(c).std() for c in ("total", "number")},
        typical_total=total.mean(),
        typical_number=number.mean(),
        spread_total=total.std(),
        spread_number=number.std(),
        step=step.median(),
        matched=(step < 0.052).mean(),
        largest=pl.col("total").max() / pl.col("total").sum(),
        lead=total.max() - total.median(),
        unevenness=total.head(pl.len() * 3 // 4).std(),
        payments=pl.col("ln_payment").std(),
    )
    return rows.join(_structure(tables, ends), on="account").sort("account")


def _structure(tables: Tables, ends: pl.DataFrame) -> pl.DataFrame:
    pairs = relations(tables.transactions).select("one", "other")
    both_ways = pl.concat([pairs, pairs.select(one="other", other="one")])
    degree = both_ways.group_by(far="one").agg(far_degree=pl.len())
    sides = ends.select("account", "far").join(degree, on="far")
    thirds = sides.join(sides, on="account", suffix="_home").join(
        both_ways, left_on=["far", "far_home"], right_on=["one", "other"]
    )
    return (
        sides.group_by("account")
        .agg(pl.col("far_degree").mean(), far_largest=pl.col("far_degree").max())
        .join(thirds.group_by("account").agg(triangles=pl.len()), on="account", how="left")
        .with_columns(pl.col("triangles").fill_null(0))
    )


def boosting(seed: int = 0) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=120, learning_rate=0.06, max_leaf_nodes=15, early_stopping=False, random_state=seed
    )


def linear() -> LogisticRegression:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2_000))


def accuracy(rows: pl.DataFrame, known: str, model: object, seed: int = 0) -> float:
    """Mean over five folds, in percent."""
    x = np.nan_to_num(rows.select(KNOWN[known]).to_numpy().astype(float))
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    return 100 * cross_val_score(model, x, rows["label"].to_numpy(), cv=folds).mean()


def majority(rows: pl.DataFrame) -> float:
    return 100 * rows["label"].value_counts()["count"].max() / rows.height


def main() -> None:
    for name in ("trade-b", "trade-m"):
        large = describe(generate(name, customers=400_000))
        small = [describe(generate(name, seed=seed)) for seed in range(20)]
        print(f"\n{name}: {large.height:,} labelled customers; commonest class {majority(large):.1f}")
        print("| what is known | boosting, large | linear, large | linear, 20 banks of the paper's size |")
        for known in KNOWN:
            own = [accuracy(rows, known, linear(), seed) for seed, rows in enumerate(small)]
            print(
                f"| {known} | {accuracy(large, known, boosting()):.1f} | {accuracy(large, known, linear()):.1f} "
                f"| {np.mean(own):.1f} ± {np.std(own):.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
