"""Labels become class numbers, or stay the numbers they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from edgegat.data._words import count, listing, show
from edgegat.data.cells import Spelling, cell_is_missing, read_values
from edgegat.data.errors import DataError
from edgegat.data.reading import Table
from edgegat.data.roles import EdgeRoles, NodeRoles

Labels = NDArray[np.int64] | NDArray[np.float64]
"""Class numbers, -1 where unlabelled, or numbers to predict, NaN where unlabelled."""

_WHOLE = r"^[+-]?\d+\.0+$"
_MANY_CLASSES = 1000


def read_labels(table: Table, roles: NodeRoles | EdgeRoles, spelling: Spelling) -> pl.Series:
    """``[rows]`` text, null where unlabelled.

    If every label is a whole number written like ``1.0``, as pandas writes integers among missing ones, it is
    read as ``1``: the same label from a cleaner file is the same class.
    """
    column = roles.label
    assert column is not None
    missing = cell_is_missing(column, table.dtypes[column], "category", spelling)
    labels = table.read(pl.when(~missing).then(table.text(column)).alias("label"))["label"]
    if roles.labelled is not None:
        counts = read_values(table, {roles.labelled: "flag"}, spelling)[roles.labelled]
        labels = labels.set(counts.fill_null(0.0) == 0.0, None)
    if labels.str.contains(_WHOLE).all():
        labels = labels.str.replace(r"\.0+$", "")
    return labels


def find_classes(labels: pl.Series, where: str) -> list[str]:
    """The distinct labels: in order of size if all are numbers, else of the alphabet.

    Example:
        >>> (
        ...     find_classes(pl.Series(["10", "9", None, "9"]), "customers.csv"),
        ...     find_classes(pl.Series(["b", "a"]), ""),
        ... )
        (['9', '10'], ['a', 'b'])
    """
    found: list[str] = labels.drop_nulls().unique().to_list()
    if len(found) < 2:
        said = f"only {show(found[0])}" if found else "no label at all"
        raise DataError(f"{where} has {said}: two classes at least are needed to learn from.")
    if len(found) > _MANY_CLASSES:
        raise DataError(
            f"{where} has {count(len(found), 'different label')}, like {listing(sorted(found), 3)}. Classes "
            f"repeat, {_MANY_CLASSES:,} at most are allowed: is it the right column?"
        )
    numbers = pl.Series(found, dtype=pl.String).cast(pl.Float64, strict=False)
    if numbers.is_null().any() or not numbers.is_finite().all():
        return sorted(found)
    return [label for _, label in sorted(zip(numbers.to_list(), found, strict=True))]


def number_labels(labels: pl.Series, classes: Sequence[str], nodes: Table, column: str) -> NDArray[np.int64]:
    """``[rows]`` places in ``classes``, ``-1`` where unlabelled."""
    known = labels.is_in(list(classes)) | labels.is_null()
    if not known.all():
        row = int((~known).arg_true()[0])
        raise DataError(
            f"{nodes.places([row])[0]}: {column!r} is {show(labels[row])}, which is no class that was learned. "
            f"Those are {listing(classes)}."
        )
    numbers = list(range(len(classes)))
    number = labels.replace_strict(list(classes), numbers, default=-1, return_dtype=pl.Int64)
    return number.fill_null(-1).to_numpy()


def read_numbers(table: Table, roles: NodeRoles | EdgeRoles, spelling: Spelling) -> NDArray[np.float64]:
    """``[rows]`` what a model of numbers is to predict, NaN where unlabelled."""
    column, section = roles.label, "edges" if isinstance(roles, EdgeRoles) else "nodes"
    assert column is not None
    try:
        cells = read_values(table, {column: "number"}, spelling)[column]
    except DataError as error:
        raise DataError(
            f'{error}\nIt is to be predicted: [{section}] says kind = "number". With kind = "class" any values are '
            "classes."
        ) from None
    if roles.labelled is not None:
        counts = read_values(table, {roles.labelled: "flag"}, spelling)[roles.labelled]
        cells = cells.set(counts.fill_null(0.0) == 0.0, None)
    return cells.fill_null(np.nan).to_numpy()


def check_numbers(numbers: NDArray[np.float64], where: str) -> None:
    """Refuse numbers from which nothing can be learned."""
    known = numbers[~np.isnan(numbers)]
    if not len(known) or known.min() == known.max():
        said = f"only {known[0]:g}" if len(known) else "no number at all"
        raise DataError(f"{where} has {said}: two different numbers at least are needed to learn from.")


def strata(y: Labels) -> NDArray[np.int64]:
    """What a split keeps in the same ratio in each part, -1 where unlabelled: classes, or all numbers together.

    Example:
        >>> strata(np.array([1, -1, 0])).tolist(), strata(np.array([2.5, np.nan, -1.0])).tolist()
        ([1, -1, 0], [0, -1, 0])
    """
    if y.dtype.kind == "i":
        return y.astype(np.int64, copy=False)
    return np.where(np.isnan(y), -1, 0)
