"""The one exception of everything that reads what users wrote."""

from __future__ import annotations


class DataError(ValueError):
    """Something in the user's tables or settings is wrong.

    The message stands alone: which file, column and line, the value that was met, what is allowed, and what to
    do next. The command line prints it as it is, without a traceback.

    Example:
        >>> raise DataError(
        ...     "transfers.csv, line 7: 'amount' is 'n/a'. Write a number, or leave the cell empty."
        ... )
        Traceback (most recent call last):
            ...
        edgegat.data.errors.DataError: transfers.csv, line 7: 'amount' is 'n/a'. Write a number, or leave ...
    """
