# Two commands for a fresh machine that has Python 3.11 or newer and make: `make demo` and `make test`.
# Each sets up everything it needs in .venv and touches nothing else.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo test check bench tables clean
.DELETE_ON_ERROR:

demo: $(READY)  ## everything on an invented bank: check, train beside two baselines, score, draw
	@$(BIN)/edgegat demo

test: $(READY)  ## the whole test suite, docstring examples included
	$(BIN)/python -m pytest -n auto

check: $(READY)  ## format, lint, types, direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --cache-dir .import_linter_cache

bench: $(READY)  ## a layer's time and memory on this CPU, beside its peers (some minutes, alone on the machine)
	$(BIN)/python -m benchmarks.cpu

tables: $(READY)  ## the paper's tables and ours: the committed results beside the published figures
	@$(BIN)/python -m experiments.show

clean:  ## forget the virtual environment and all caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("edgegat needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Name another with: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else None'
	@echo "Setting up .venv (a few minutes the first time) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt "torch==2.13.0"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $(READY)
