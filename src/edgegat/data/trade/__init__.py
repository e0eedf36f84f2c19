"""Invented banks after the paper's two confidential data sets: see ``docs/trade.md``."""

from edgegat.data.trade._files import SCHEMA as SCHEMA
from edgegat.data.trade._files import Files as Files
from edgegat.data.trade._files import write as write
from edgegat.data.trade.generate import Tables as Tables
from edgegat.data.trade.generate import generate as generate
