# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export MPLBACKEND := Agg

.PHONY: help demo test lint benchmarks reproduce golden clean

help: ## Show what can be made
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@

demo: $(VENV)/ready ## Compare all learners on 16 arms to a million rounds; writes demo-report/
	$(BIN)/duelist simulate --problem random_bradley_terry:k=16 --horizon 1000000 --runs 20 --out demo-report
	@echo "Open demo-report/report.html in a browser."

lint: $(VENV)/ready ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint ## Run all checks and tests
	$(BIN)/pytest -n 2

benchmarks: $(VENV)/ready ## Measure speed, each figure beside its baseline
	$(BIN)/python -m benchmarks

reproduce: $(VENV)/ready ## Compute published tables and figures again, beside the papers' numbers
	$(BIN)/python -m reproductions.yue2009_gradient_descent

golden: $(VENV)/ready ## Record the golden trajectories anew, when results are meant to change
	$(BIN)/python tests/golden/record.py

clean: ## Remove everything that was made
	rm -rf $(VENV) demo-report .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
