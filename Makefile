# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
TOOLS := .venv-tools
BIN := $(VENV)/bin
# Tests start many processes, each of which would compile all of rankmark anew where this is set.
export PYTHONDONTWRITEBYTECODE :=
# The Rust tests link the same Python that the package is built for.
export PYO3_PYTHON := $(abspath $(BIN)/python)
NATIVE := Cargo.toml Cargo.lock pyproject.toml $(shell find native -name '*.rs')

.PHONY: help demo test quick hooks lint ends pictures spark chromium trec_eval bench clean
.DEFAULT_GOAL := help

help:  ## Show this list
	@grep -E '^[a-z_-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rankmark needs Python 3.11 or newer; say which: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)

# Editable: changes to Python files need no new build, changes to Rust files do.
$(VENV)/installed: $(BIN)/python $(NATIVE)
	@echo 'Building the native core and installing rankmark into $(VENV); the first time takes minutes.'
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

$(VENV)/installed-bench: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

demo: $(VENV)/installed  ## Build, install, simulate a data set and evaluate two systems on it
	$(BIN)/rankmark demo

lint: $(VENV)/installed-test  ## Formatting, lint and types, Rust and Python
	cargo fmt --check
	cargo clippy --quiet --all-targets
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# One session of Spark for all of its tests, which therefore run in one process.
test: lint spark chromium  ## Lint, then every Rust and Python test
	cargo test --quiet
	$(BIN)/pytest -n auto --dist loadgroup

quick: $(VENV)/installed-test  ## After an edit: the tests that take moments (no Spark, peers, processes, benchmarks)
	$(BIN)/pytest -q -n auto --dist worksteal -m 'not (spark or peer or process or slow)' --hypothesis-profile=quick \
		--ignore=tests/peers --ignore=tests/test_benchmarks.py --ignore=tests/api/test_spark.py

$(TOOLS)/installed: $(VENV)/installed
	@echo 'Installing the tools that rankmark works inside of into $(TOOLS): some gigabytes, of torch above all.'
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/pip install --quiet --disable-pip-version-check -e '.[hooks]'
	@touch $@

hooks: $(TOOLS)/installed  ## Test the hooks and examples inside their tools, which it installs (gigabytes)
	$(TOOLS)/bin/pytest -n auto --dist worksteal tests/hooks tests/compat tests/test_examples.py \
		tests/test_before_and_after.py

ends: $(VENV)/installed  ## Test what reads and hands out tables with the oldest and the newest libraries
	@scripts/test-ends

pictures: $(VENV)/installed  ## Draw the pictures of README.md anew
	@$(BIN)/python scripts/pictures.py

spark:  ## Install the Java that Spark runs on, if there is none and it can be installed
	@scripts/install-java

chromium:  ## Install the browser that tests open reports in, if there is none and it can be installed
	@scripts/install-chromium

trec_eval: $(VENV)/installed-test  ## Compare `rankmark trec_eval` with trec_eval for a minute
	$(BIN)/python tests/against_trec_eval.py

bench: $(VENV)/installed-bench  ## Time rankmark beside its peers; print the ratios and what was reached
	$(BIN)/python -m benchmarks

clean:  ## Remove the environment and everything built
	rm -rf $(VENV) $(TOOLS) target
