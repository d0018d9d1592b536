# Every target prepares what it needs, from nothing, and again when pyproject.toml or constraints.txt change.

PYTHON ?= python3
PIP_INSTALL = -m pip install -q --disable-pip-version-check
BIN = .venv/bin

# Two workers on two cores: with a thread each, or they wait for one another. Each takes whole files as long as it can, so that
# servers, browsers and Java start once for the tests that share them. Bytecode is kept, whatever the environment says: tests
# start many programs, each of which would compile the package anew.
WORKERS = PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1
PYTEST = $(WORKERS) $(BIN)/pytest -n 2 --dist worksteal
NUMERICAL = tests/core tests/analysis/test_estimation.py tests/test_metrics.py
CORES ?= SkylakeX Sandybridge Haswell Zen

# Without what needs other engines, a browser or a test client of today's server. Not with the oldest versions: the help
# as documented (typer lays it out anew now and then), scipy's distribution functions at 10^9 and 10^12, a cluster, and which of
# two lines polars complains of where they disagree.
LOWEST_TESTS = tests/core tests/analysis tests/data tests/web/test_web_server.py tests/test_*.py \
    --ignore tests/data/test_ratings_engines.py \
    --ignore tests/data/test_ratings_cells.py \
    --ignore tests/data/test_ratings_items.py \
    --ignore tests/data/test_ratings_spellings.py \
    --ignore tests/data/test_ratings_where.py \
    --ignore tests/data/test_pairs.py \
    --ignore tests/test_report.py \
    --deselect tests/test_metrics.py::test_every_engine_gives_the_same_ranking \
    --deselect tests/test_docs.py::test_every_command_is_documented_with_its_help \
    --deselect 'tests/core/test_density.py::test_beta_distributions_from_any_number_of_ratings[0.6-1000000000000]' \
    --deselect 'tests/core/test_contour.py::test_two_values_are_a_beta_distribution[parameters5]' \
    --deselect tests/analysis/test_planning.py::test_a_dask_cluster_takes_over_unchanged \
    --deselect tests/data/test_ratings_fuzz.py::test_any_frame_is_counted_alike_or_refused \
    --deselect 'tests/data/test_ratings_source.py::test_broken_json_names_the_line[{"system":"A","human":[1]}'

RUN_STAMP = .venv/.stamp-run
DEV_STAMP = .venv/.stamp-dev
BENCH_STAMP = .venv/.stamp-bench
MINIMAL_STAMP = .venv-minimal/.stamp
LOWEST_STAMP = .venv-lowest/.stamp
PAGE_STAMP = node_modules/.stamp
REQUIREMENTS = pyproject.toml constraints.txt
SOURCES = $(shell find src -type f -not -name '*.pyc')

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL: # pip must not install twice at once into one environment
.PHONY: help demo serve test minimal coverage lowest blas slow check types page format bench bench-peers validity docs \
    release-check clean distclean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

demo: $(RUN_STAMP) ## Show tellapart at work on a built-in example
	@mkdir -p build
	$(BIN)/tellapart demo --report build/demo-report.html

serve: $(DEV_STAMP) ## Show the web page on this machine
	$(BIN)/tellapart serve --open

test: $(DEV_STAMP) minimal ## Run the quick tests and the examples in docstrings
	$(PYTEST) -m "not slow" $(if $(COVERAGE),--cov --cov-report term)

minimal: $(MINIMAL_STAMP) ## Check the installed package without any extra
	.venv-minimal/bin/python tests/minimal.py

coverage: ## Run them and say which lines and branches they miss
	$(MAKE) test COVERAGE=1

lowest: $(LOWEST_STAMP) ## Run the quick tests with the lowest versions that pyproject.toml allows
	$(WORKERS) .venv-lowest/bin/pytest -n 2 --dist worksteal -m "not slow" -W ignore::DeprecationWarning $(LOWEST_TESTS)

blas: $(DEV_STAMP) ## Run the numerical tests as on other processors, and with threads
	for core in $(CORES); do \
	    export OPENBLAS_CORETYPE=$$core; echo "OPENBLAS_CORETYPE=$$core"; \
	    if ($(BIN)/python -c "import numpy; numpy.eye(99) @ numpy.eye(99)") 2>/dev/null; \
	    then $(PYTEST) -q -m "not slow" $(NUMERICAL) || exit 1; \
	    else echo "Left out: this processor has not all of its instructions."; fi; \
	done
	$(BIN)/pytest -q -m "not slow" tests/core/test_sums.py tests/core/test_interpolant.py tests/core/test_posterior.py

slow: $(DEV_STAMP) ## Run the tests that take minutes, and the random ones with many more examples
	$(PYTEST) -m "slow or hypothesis" --hypothesis-profile slow

check: $(DEV_STAMP) ## Check style, format, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

types: $(DEV_STAMP) ## Check the types alone
	$(BIN)/mypy

page: $(PAGE_STAMP) ## Check types and style of the page's scripts, with node
	npm run --silent check

format: $(DEV_STAMP) ## Format the code and fix what ruff can fix
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

bench: $(BENCH_STAMP) ## Measure speed for docs/speed.md; one section with SECTION=engine
	$(BIN)/python -m benchmarks.speed $(SECTION)

bench-peers: $(RUN_STAMP) ## Give the same work to other packages, and write docs/peers.md; OPTIONS='--replicates 100 --data DIR'
	$(BIN)/python benchmarks/peers/run.py $(OPTIONS)

validity: $(DEV_STAMP) ## Simulate evaluations, for hours, and write docs/validity.md; ONLY=levels REPLICATES=100 FRACTION=.1 JOBS=2
	PYTHONPATH=benchmarks OPENBLAS_NUM_THREADS=1 $(BIN)/python -m validity $(if $(ONLY),--only $(ONLY)) \
	    $(if $(REPLICATES),--replicates $(REPLICATES)) $(if $(FRACTION),--fraction $(FRACTION)) $(if $(JOBS),--jobs $(JOBS))

release-check: $(DEV_STAMP) ## Check what would be released (PYTHONS="python3.12 …" names interpreters)
	$(BIN)/python tests/release.py $(PYTHONS)

docs: $(DEV_STAMP) ## Build the documentation into site/
	$(BIN)/zensical build --strict --clean

clean: ## Remove what was built, and caches
	rm -rf .coverage* build dist site .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks examples -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## Remove the environments as well
	rm -rf .venv .venv-lowest .venv-minimal .venv-peers node_modules

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv-minimal/bin/python:
	$(PYTHON) -m venv .venv-minimal

.venv-lowest/bin/python:
	$(PYTHON) -m venv .venv-lowest

# The interpreters are order-only: they link to one outside, whose date says nothing about the environment.
$(RUN_STAMP): $(REQUIREMENTS) | .venv/bin/python
	$(BIN)/python $(PIP_INSTALL) -c constraints.txt -e '.[charts]'
	@touch $@

$(DEV_STAMP): $(REQUIREMENTS) | .venv/bin/python
	$(BIN)/python $(PIP_INSTALL) -c constraints.txt -e '.[all,dev,docs]'
	@touch $@ $(RUN_STAMP)

$(BENCH_STAMP): $(REQUIREMENTS) | .venv/bin/python
	$(BIN)/python $(PIP_INSTALL) -c constraints.txt -e '.[bench]'
	@touch $@ $(RUN_STAMP)

$(PAGE_STAMP): package.json .npmrc
	npm install --silent
	@touch $@

# Not editable, so that the test sees what a wheel holds; hence a new install whenever a source changes.
$(MINIMAL_STAMP): $(REQUIREMENTS) $(SOURCES) | .venv-minimal/bin/python
	.venv-minimal/bin/python $(PIP_INSTALL) -c constraints.txt .
	@touch $@

# The tools are as new as they can be beside the oldest versions of what the package itself needs.
$(LOWEST_STAMP): $(REQUIREMENTS) tests/lowest.py | .venv-lowest/bin/python
	.venv-lowest/bin/python tests/lowest.py > .venv-lowest/constraints.txt
	.venv-lowest/bin/python $(PIP_INSTALL) -c .venv-lowest/constraints.txt -e '.[all]' \
	    pytest pytest-randomly pytest-xdist hypothesis mpmath
	@touch $@
