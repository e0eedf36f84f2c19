"""The paper's tables, run again, and ours beside them: ``python -m experiments.table1 --help``.

A table is rows (methods, with what may be chosen about them) and columns (tasks). A run is one method on one task
with one seed; what comes of it is kept in ``experiments/results``, and ``make tables`` prints it beside the
published figures. docs/results.md says what it means.
"""
