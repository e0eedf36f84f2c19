"""Checks of two tables before any training: numbered findings, all at once."""

from edgegat.data.checks.check import check_tables as check_tables
from edgegat.data.checks.codes import CODES as CODES
from edgegat.data.checks.finding import Finding as Finding
