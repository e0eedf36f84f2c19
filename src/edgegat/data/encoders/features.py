"""All features of a table: one encoder a column, side by side in one matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from edgegat.data.encoders.category import CategoryEncoder
from edgegat.data.encoders.column import Tensor32
from edgegat.data.encoders.flag import FlagEncoder
from edgegat.data.encoders.scaling import AmountEncoder, CountEncoder, NumberEncoder
from edgegat.data.encoders.time import TimeEncoder
from edgegat.data.roles import FeatureType

AnyEncoder = Annotated[
    NumberEncoder | AmountEncoder | CountEncoder | CategoryEncoder | FlagEncoder | TimeEncoder,
    Field(discriminator="type"),
]
_ENCODERS: dict[FeatureType, type[AnyEncoder]] = {
    "number": NumberEncoder,
    "amount": AmountEncoder,
    "count": CountEncoder,
    "category": CategoryEncoder,
    "flag": FlagEncoder,
    "time": TimeEncoder,
}
CONSTANT = "(constant)"
"""The one entry, 1 everywhere, of a table without features: an attention layer needs something to look at."""


class FeatureEncoder(BaseModel):
    """The fitted encoders of one table.

    Example:
        >>> train = pl.DataFrame({"age": [20.0, 40.0, 60.0], "vip": [0.0, 1.0, 0.0]})
        >>> encoder = FeatureEncoder.fit(train, {"age": "number", "vip": "flag"})
        >>> encoder.names
        ['age', 'vip']
        >>> encoder.encode(pl.DataFrame({"vip": [1.0], "age": [40.0]}), rows=1)[0].tolist()
        [[0.0, 1.0]]
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    columns: list[AnyEncoder]

    @classmethod
    def fit(cls, cells: pl.DataFrame, types: Mapping[str, FeatureType]) -> Self:
        """Learn from the training rows."""
        return cls(columns=[_ENCODERS[type_].fit(name, cells[name]) for name, type_ in types.items()])

    @property
    def types(self) -> dict[str, FeatureType]:
        """The columns that are needed, and as what they must be read."""
        return {encoder.column: encoder.type for encoder in self.columns}

    @property
    def names(self) -> list[str]:
        """The names of the matrix's columns."""
        return [name for encoder in self.columns for name in encoder.names] or [CONSTANT]

    def encode(self, cells: pl.DataFrame, rows: int) -> tuple[Tensor32, list[str]]:
        """``[rows, len(names)]`` float32, and what in these rows training had never seen, in words.

        A frame without columns does not know its rows: they are given.
        """
        out = np.ones((rows, len(self.names)), np.float32)
        notes, begin = [], 0
        for encoder in self.columns:
            end = begin + len(encoder.names)
            if note := encoder.encode(cells[encoder.column], out[:, begin:end]):
                notes.append(note)
            begin = end
        return out, notes
