"""Generated tasks whose answer is known: patterns of transfers around one marked account.

Imports with torch and numpy alone.
"""

from edgegat.data.patterns.answers import ANSWERS as ANSWERS
from edgegat.data.patterns.answers import Transfers as Transfers
from edgegat.data.patterns.generate import pattern_graph as pattern_graph
