# Everything a checkout needs: `make demo` and `make test` set up .venv by themselves.
# Needs python3 (3.11 or newer) with venv; uses uv when it is there. Another Python:
# make test PYTHON=python3.13

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
PROCESSES ?= 3  # of two processors: some tests wait for a server

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-days test test-crawls test-browser check fix messages bench fuzz mutants docs reference columns mail pins
.SUFFIXES:
.DELETE_ON_ERROR:

help:  ## show these lines
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

setup: $(READY)  ## make .venv with all that is needed to run and test
	@:

$(READY): pyproject.toml constraints.txt .ci/setup
	@.ci/setup $(PYTHON)
	-@$(BIN)/python -m pytest -n0 --collect-only >/dev/null  # else each process of tests compiles all; the demo needs none
	@touch $@

demo: $(READY)  ## the main job on a bundled web, killed once on purpose
	@$(BIN)/focuscrawl demo

demo-days: $(READY)  ## two weeks of that web in some minutes: what changed is told, and nothing else
	@$(BIN)/focuscrawl demo --days

test: $(READY)  ## all tests but those that must start programs
	@$(BIN)/python -m pytest -m "not (program or timed or server)" -n $(PROCESSES)
	@echo "Not among them: make test-crawls (kills, servers, terminals, floors), make test-browser (reports)"

test-crawls: $(READY)  ## whole programs: kills, servers, scrapyd, terminals, floors; STORE=redis: every crawl over Redis
ifeq ($(STORE),redis)
	@$(BIN)/python -m pytest --store redis tests/crawls tests/demo/test_fortnight.py \
	    tests/demo/test_continuous.py tests/demo/test_mail.py tests/benchmarks/test_shared_archive.py tests/benchmarks/test_figures.py tests/benchmarks/test_many_features.py
else  # one more than in make test: whole programs wait more than they compute
	@$(BIN)/python -m pytest -n 6 -m "program or timed or server"
endif

test-browser: $(READY)  ## reports in Debian's Chromium, light, dark, on a telephone and on paper
	@$(BIN)/python -m pytest -n0 tests/browser

check: $(READY)  ## lint, types of package and tests, walls between the rooms
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/pip-licenses >/dev/null

fix: $(READY)  ## what ruff can mend by itself
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

messages: $(READY)  ## bring the Chinese catalogue up to the code; says what is to be translated
	@$(BIN)/python tests/locale/catalogue.py

bench: $(READY)  ## every benchmark in its quick form; the last line of each is JSON
	@for script in benchmarks/[a-z]*.py; do \
	    name=$$(basename $$script .py); \
	    echo "== $$name"; \
	    $(BIN)/python -m benchmarks.$$name --quick || exit 1; \
	done

fuzz: $(READY)  ## 20,000 spoilt pages are read: DATA=folder of real ones, PAGES=number, SEED=text
	@$(BIN)/python -m benchmarks.fuzz --pages $(or $(PAGES),20000) --seed $(or $(SEED),1) $(if $(DATA),--data $(DATA))

reference: $(READY)  ## print the keys of the template as docs/template.md has them
	@$(BIN)/python -c "from focuscrawl.template.template import language_of; from focuscrawl.template.show import reference; print(reference(language_of()))"

columns: $(READY)  ## print the tables, views and columns of the results as docs/results.md has them
	@$(BIN)/python -c "from focuscrawl.features import ROWS; from focuscrawl.stores.results.kind import Kinds; from focuscrawl.stores.results.schema import results_page; print(results_page(Kinds.load(ROWS)), end='')"

mail: $(READY)  ## two weeks of the demo with a mail each morning; one of them is docs/mail.md
	@$(BIN)/python -m pytest -n0 --store redis --write tests/demo/test_mail.py

mutants: $(READY)  ## 200 small changes to the code: does a test fail? SAMPLE=number, SEED=number, JOBS=number
	@$(BIN)/python -c 'import cosmic_ray' 2>/dev/null || \
	    uv pip install --quiet --python $(BIN)/python --constraints constraints.txt cosmic-ray 2>/dev/null || \
	    $(BIN)/python -m pip install --quiet --constraint constraints.txt cosmic-ray
	@$(BIN)/python -m benchmarks.mutants --sample $(or $(SAMPLE),200) --seed $(or $(SEED),1) --jobs $(or $(JOBS),1)

docs: $(READY)  ## every setting described, every example in the docs runs
	@$(BIN)/python -m pytest -n0 tests/test_docs.py

pins:  ## write constraints.txt anew: the newest versions pyproject.toml allows
	@.ci/pins $(PYTHON)
