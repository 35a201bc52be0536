# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
TOOLS := .venv-tools
NOX := .venv-nox
BIN := $(VENV)/bin
# Tests start many processes, each of which would compile all of rankmark anew where this is set.
export PYTHONDONTWRITEBYTECODE :=
# The Rust tests link the same Python that the package is built for.
export PYO3_PYTHON := $(abspath $(BIN)/python)
# Where `make rust` installs it, if it is not there.
export PATH := $(CURDIR)/.rust/bin:$(PATH)
NATIVE := Cargo.toml Cargo.lock pyproject.toml $(shell find native -name '*.rs')

.PHONY: help demo docs test quick thorough hooks lint ends pictures rust spark chromium trec_eval bench fuzz man wheel clean
.DEFAULT_GOAL := help

help:  ## Show this list
	@grep -E '^[a-z_-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rankmark needs Python 3.11 or newer; say which: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)

# Editable: changes to Python files need no new build, changes to Rust files do.
$(VENV)/installed: $(BIN)/python $(NATIVE)
	@$(BIN)/python scripts/install_rust.py
	@echo 'Building the native core and installing rankmark into $(VENV); the first time takes minutes.'
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

$(VENV)/installed-docs: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

$(VENV)/installed-bench: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

demo: $(VENV)/installed  ## Build, install, simulate a data set and evaluate two systems on it
	$(BIN)/rankmark demo

lint: $(VENV)/installed-test rust  ## Formatting, lint and types, Rust and Python
	cargo fmt --check
	cargo clippy --quiet --all-targets -- -D warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(VENV)/installed-docs  ## Build the site of docs/ into docs/_build/html; a warning is an error
	$(BIN)/sphinx-build -W --keep-going -n -q -j auto -d docs/_build/doctrees docs docs/_build/html

# One session of Spark for all of its tests, which therefore run in one process.
test: lint spark chromium docs  ## Lint, build the site, then every Rust and Python test
	cargo test --quiet
	$(BIN)/pytest -n auto --dist loadgroup

quick: $(VENV)/installed-test  ## After an edit: the tests that take moments (no Spark, peers, processes, benchmarks)
	$(BIN)/pytest -q -n auto --dist worksteal -m 'not (spark or peer or process or slow)' --hypothesis-profile=quick \
		--ignore=tests/peers --ignore=tests/test_benchmarks.py --ignore=tests/api/test_spark.py

thorough: $(VENV)/installed-test  ## The tests of properties with many examples, others each time
	$(BIN)/pytest -q -n auto --dist worksteal -m 'not (spark or peer or process)' --hypothesis-profile=thorough \
		--ignore=tests/peers --ignore=tests/test_benchmarks.py --ignore=tests/api/test_spark.py

$(TOOLS)/installed: $(VENV)/installed
	@echo 'Installing the tools that rankmark works inside of into $(TOOLS): some gigabytes, of torch above all.'
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/pip install --quiet --disable-pip-version-check -e '.[hooks]'
	@touch $@

hooks: $(TOOLS)/installed  ## Test the hooks and examples inside their tools, which it installs (gigabytes)
	$(TOOLS)/bin/pytest -n auto --dist worksteal tests/hooks tests/compat tests/test_examples.py \
		tests/test_before_and_after.py

$(NOX)/installed: $(BIN)/python
	$(PYTHON) -m venv $(NOX)
	$(NOX)/bin/pip install --quiet --disable-pip-version-check 'nox[uv]>=2025.5'
	@touch $@

ends: $(VENV)/installed $(NOX)/installed  ## Test the tables with the oldest and the newest libraries, in each Python there is
	$(NOX)/bin/nox -s ends

wheel: $(NOX)/installed rust  ## Build the portable wheel and the sdist into dist, and test both where nothing else is
	$(NOX)/bin/nox -s build wheel sdist

pictures: $(VENV)/installed  ## Draw the pictures of README.md anew
	@$(BIN)/python scripts/pictures.py

rust: $(BIN)/python  ## Install the Rust that the core is built and checked with, if there is none and it can be
	@$(BIN)/python scripts/install_rust.py clippy fmt

spark:  ## Install the Java that Spark runs on, if there is none and it can be installed
	@scripts/install-java

chromium:  ## Install the browser that tests open reports in, if there is none and it can be installed
	@scripts/install-chromium

trec_eval: $(VENV)/installed-test  ## Compare `rankmark trec_eval` with trec_eval for a minute
	$(BIN)/python tests/against_trec_eval.py

SECONDS ?= 60
fuzz: $(VENV)/installed  ## Give every reader, grammar and command SECONDS=60 each of what nobody would write
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[fuzz]'
	$(BIN)/python -m fuzz --seconds $(SECONDS)

man: $(VENV)/installed  ## Write the manual pages of all commands into man/
	@$(BIN)/python scripts/man_pages.py man

bench: $(VENV)/installed-bench  ## Time rankmark beside its peers; print the ratios and what was reached
	$(BIN)/python -m benchmarks

clean:  ## Remove the environment and everything built
	rm -rf $(VENV) $(TOOLS) $(NOX) .nox .rust dist release target docs/_build docs/reference
