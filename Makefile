# Every target prepares what it needs, from nothing, and again when pyproject.toml or constraints.txt change.

PYTHON ?= python3
PIP_INSTALL = -m pip install -q --disable-pip-version-check -c constraints.txt
BIN = .venv/bin

RUN_STAMP = .venv/.stamp-run
DEV_STAMP = .venv/.stamp-dev
BENCH_STAMP = .venv/.stamp-bench
MINIMAL_STAMP = .venv-minimal/.stamp
REQUIREMENTS = pyproject.toml constraints.txt
SOURCES = $(shell find src -type f -not -name '*.pyc')

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL: # pip must not install twice at once into one environment
.PHONY: help demo serve test minimal slow check types format bench docs clean distclean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: $(RUN_STAMP) ## Show tellapart at work on a built-in example
	@mkdir -p build
	$(BIN)/tellapart demo --report build/demo-report.html

serve: $(DEV_STAMP) ## Show the web page on this machine
	$(BIN)/tellapart serve --open

test: $(DEV_STAMP) minimal ## Run the quick tests and the examples in docstrings
	$(BIN)/pytest -n 2 -m "not slow"

minimal: $(MINIMAL_STAMP) ## Check the installed package without any extra
	.venv-minimal/bin/python tests/minimal.py

slow: $(DEV_STAMP) ## Run the tests that take minutes
	$(BIN)/pytest -n 2 -m slow

check: $(DEV_STAMP) ## Check style, format, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

types: $(DEV_STAMP) ## Check the types alone
	$(BIN)/mypy

format: $(DEV_STAMP) ## Format the code and fix what ruff can fix
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

bench: $(BENCH_STAMP) ## Measure speed and accuracy against peers
	$(BIN)/python benchmarks/run.py

docs: $(DEV_STAMP) ## Build the documentation into site/
	$(BIN)/zensical build --strict --clean

clean: ## Remove what was built, and caches
	rm -rf build dist site .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks examples -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## Remove the environments as well
	rm -rf .venv .venv-minimal

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv-minimal/bin/python:
	$(PYTHON) -m venv .venv-minimal

# The interpreters are order-only: they link to one outside, whose date says nothing about the environment.
$(RUN_STAMP): $(REQUIREMENTS) | .venv/bin/python
	$(BIN)/python $(PIP_INSTALL) -e '.[charts]'
	@touch $@

$(DEV_STAMP): $(REQUIREMENTS) | .venv/bin/python
	$(BIN)/python $(PIP_INSTALL) -e '.[all,dev,docs]'
	@touch $@ $(RUN_STAMP)

$(BENCH_STAMP): $(REQUIREMENTS) | .venv/bin/python
	$(BIN)/python $(PIP_INSTALL) -e '.[bench]'
	@touch $@ $(RUN_STAMP)

# Not editable, so that the test sees what a wheel holds; hence a new install whenever a source changes.
$(MINIMAL_STAMP): $(REQUIREMENTS) $(SOURCES) | .venv-minimal/bin/python
	.venv-minimal/bin/python $(PIP_INSTALL) .
	@touch $@
