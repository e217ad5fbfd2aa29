# make test and make setup need nothing but Python 3.11 or newer.
# VENV=path uses an existing virtual environment instead of .venv.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin

.PHONY: help setup demo lint types test

help:
	@echo "make demo    set up, then cure MiniWorld's hallucinating model: no GPU, no weights or data to download"
	@echo "make test    set up, then lint, check types and run every test"
	@echo "make setup   create $(VENV) with the locked versions"

setup: $(VENV)/halluc.ready

$(VENV)/halluc.ready: pyproject.toml requirements.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable '.[dev]'
	touch $@

demo: setup
	$(BIN)/python train.py experiment=miniworld

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: setup
	$(BIN)/mypy

test: lint types
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/conformance  # alone, since it prints how many values it checked
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses=2 --dist=loadfile --ignore=tests/conformance
