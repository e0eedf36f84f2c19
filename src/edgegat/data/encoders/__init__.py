"""Cells become float32: fitted on training rows, kept as JSON, the same bits for the same cell ever after."""

from edgegat.data.encoders.category import CategoryEncoder as CategoryEncoder
from edgegat.data.encoders.column import ColumnEncoder as ColumnEncoder
from edgegat.data.encoders.features import FeatureEncoder as FeatureEncoder
from edgegat.data.encoders.flag import FlagEncoder as FlagEncoder
from edgegat.data.encoders.scaling import AmountEncoder as AmountEncoder
from edgegat.data.encoders.scaling import CountEncoder as CountEncoder
from edgegat.data.encoders.scaling import NumberEncoder as NumberEncoder
from edgegat.data.encoders.time import TimeEncoder as TimeEncoder
