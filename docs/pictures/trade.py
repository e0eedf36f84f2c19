"""Draws trade_patterns.svg and trade_classes.svg, for docs/trade.md. Run: python docs/pictures/trade.py"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from matplotlib.axes import Axes

from edgegat.data.trade import generate
from edgegat.data.trade._bank import draw_part
from edgegat.data.trade._network import parts_of
from edgegat.data.trade.banks import TRADE_B
from edgegat.data.trade.patterns import Case, Label

BLUE, ORANGE, GREEN, GREY, INK = "#0072B2", "#D55E00", "#009E73", "#999999", "#222222"
PALER = {BLUE: "#6FB3DD", ORANGE: "#F0A06E"}
SAID = {
    "gathering": "many small sums come in, one goes out",
    "scattering": "one sum comes in, many small ones go out",
    "structuring": "payments stay just below a threshold",
    "pass-through": "every sum leaves again, less a fee",
    "cycles": "the same, and it comes home over others",
    "household": "wages come in, uneven bills go out",
    "shop": "uneven takings, several suppliers",
    "payroll": "equal payments, month after month",
    "landlord": "equal rents, several craftsmen",
}
COLOURS = {"cleared": BLUE, "reported": ORANGE, "placement": ORANGE, "layering": GREEN}


def payments_of_one(pattern: str) -> pl.DataFrame:
    """The payments of one customer with 12 relations: `far`, `amount`, above 0 where it comes in."""
    label = Label("all", share=1.0, cases=(Case(pattern, 1.0, money=11.5, number=1.5),), risk=(0.2,) * 5)
    bank = replace(TRADE_B, labels=(label,), degree=12.0, degree_spread=0.0, number_spread=0.0)
    (part,) = parts_of(bank, 2_000)
    customers, transactions = draw_part(bank, part, None, seed=5)
    account = customers.filter(pl.col("label").is_not_null())["account"][3]
    came = transactions.filter(receiver=account).select("amount", far="sender")
    left = transactions.filter(sender=account).select(-pl.col("amount"), far="receiver")
    return pl.concat([came, left])


def draw_pattern(ax: Axes, pattern: str, colour: str) -> None:
    """One bar for each relation, by total, cut into its payments; money that comes in goes up."""
    payments = payments_of_one(pattern)
    relations = payments.group_by("far").agg("amount", total=pl.col("amount").abs().sum()).sort("total")
    for place, amounts in enumerate(relations["amount"]):
        for sign in (1, -1):
            ends = np.cumsum([0, *(a for a in amounts if a * sign > 0)])
            shades = [colour if number % 2 == 0 else PALER[colour] for number in range(len(ends) - 1)]
            ax.bar(place, np.diff(ends), bottom=ends[:-1], color=shades, width=0.86)
    ax.axhline(0, color=INK, lw=0.8)
    tallest = 1.12 * relations["total"].max()
    ax.set(ylim=(-tallest, tallest), xticks=[], yticks=[])
    ax.set_title(pattern, loc="left", fontsize=11, color=colour, fontweight="bold", pad=18)
    ax.text(0, 1.015, SAID[pattern], transform=ax.transAxes, fontsize=8.5, color=INK, va="bottom")
    ax.spines[:].set_visible(False)


def draw_patterns() -> None:
    figure, axes = plt.subplots(2, 5, figsize=(13.2, 6.0), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.14, w_pad=0.1)
    for ax, (number, pattern) in zip(axes.flat, enumerate(SAID), strict=False):
        draw_pattern(ax, pattern, ORANGE if number < 5 else BLUE)
    key = axes.flat[-1]
    key.axis("off")
    key.text(
        0.05,
        0.62,
        "One bar is one relation,\nits shades are payments.\nUp: money comes in.\nDown: it goes out.",
        va="center",
        fontsize=10,
        color=INK,
        linespacing=1.5,
    )
    key.text(0.05, 0.24, "abnormal", color=ORANGE, fontsize=10, fontweight="bold")
    key.text(0.05, 0.12, "innocent look-alikes", color=BLUE, fontsize=10, fontweight="bold")
    save(figure, "trade_patterns.svg")


def draw_classes() -> None:
    figure, axes = plt.subplots(2, 3, figsize=(13.2, 4.6), layout="constrained", sharex="col")
    for row, name in zip(axes, ("trade-b", "trade-m"), strict=True):
        sums = sums_of_labelled(name)
        for ax, column in zip(row, ("total", "average", "number"), strict=True):
            edges = np.linspace(sums[column].min(), sums[column].max(), 60)
            for label, colour in COLOURS.items():
                chosen = sums.filter(label=label)[column].to_numpy()
                if chosen.size:
                    height, _ = np.histogram(chosen, edges, density=True)
                    ax.stairs(height, edges, color=colour, lw=1.5, label=label)
                    ax.stairs(height, edges, color=colour, fill=True, alpha=0.12)
            ax.spines[["top", "right", "left"]].set_visible(False)
            ax.set(yticks=[], ylim=(0, None))
        row[0].set_ylabel(name, fontsize=11, color=INK, rotation=0, ha="right", va="center")
        row[2].legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    for ax, title in zip(
        axes[0], ("Total amount", "Average amount of a relation", "Average number of payments"), strict=True
    ):
        ax.set_title(title, loc="left", fontsize=11, color=INK)
    for ax, limits, unit in zip(axes[1], ((3, 6.3), (1.9, 5.3), (-0.05, 1.8)), (" €", " €", ""), strict=True):
        ticks = range(math.ceil(limits[0]), math.floor(limits[1]) + 1)
        ax.set_xticks(ticks, [f"{10**tick:,}{unit}" for tick in ticks])
        ax.set_xlim(*limits)
    save(figure, "trade_classes.svg")


def sums_of_labelled(name: str) -> pl.DataFrame:
    """`label`, and the decimal logarithms of `total`, `average` and `number`, for 10,000 labelled customers."""
    customers, transactions = generate(name, customers=400_000)
    ends = pl.concat(
        [
            transactions.select("amount", account="sender", far="receiver"),
            transactions.select("amount", account="receiver", far="sender"),
        ]
    )
    labelled = customers.filter(pl.col("label").is_not_null()).select("account", "label")
    total, relations = pl.col("amount").sum(), pl.col("far").n_unique()
    return (
        ends.join(labelled, on="account")
        .group_by("account", "label", maintain_order=True)
        .agg(total=total.log10(), average=(total / relations).log10(), number=(pl.len() / relations).log10())
    )


def save(figure: plt.Figure, name: str) -> None:
    figure.savefig(Path(__file__).with_name(name), metadata={"Date": None}, facecolor="white")


def main() -> None:
    plt.rcParams |= {"svg.hashsalt": "edgegat", "svg.fonttype": "path", "font.size": 10}
    draw_patterns()
    draw_classes()


if __name__ == "__main__":
    main()
