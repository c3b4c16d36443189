# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export MPLBACKEND := Agg
# where it is set, every process that the tests start compiles the whole package again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test tests browser lint benchmarks reproduce derived long crash mutants coverage golden clean

help: ## Show what can be made
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/ready: pyproject.toml reproductions/pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]" -e reproductions
	@touch $@

demo: $(VENV)/ready ## Show on one page how many votes a learner saves, and learners compared; writes demo-report/
	$(BIN)/duelist demo --out demo-report
	@echo "The program is $(BIN)/duelist."

browser: # what tests of pages need, from the system; where it cannot be installed, they are left out, and that is said
	@$(PYTHON) tests/browser_path.py \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } \
	|| echo "No browser was found, and none can be installed here: tests of pages will be left out."

lint: $(VENV)/ready ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MEANWHILE) $(BIN)/mypy
	$(MEANWHILE) $(BIN)/lint-imports

# side by side: types, which are checked on one core, take the time in which tests wait
test: $(VENV)/ready browser ## Run all checks and tests, with a quick part of every reproduction
	$(MAKE) --no-print-directory --jobs 2 MEANWHILE="nice -n 19" lint tests

tests: $(VENV)/ready browser
	$(BIN)/pytest -n 2 --dist worksteal

benchmarks: $(VENV)/ready ## Measure speed, each figure beside its baseline
	$(BIN)/python -m benchmarks

reproduce: $(VENV)/ready ## Play all published figures and tables again; DATA=folder for real data
	$(BIN)/duelist reproduce --scale paper $(if $(DATA),--data $(DATA)) --out reproduced-paper

derived: $(VENV)/ready ## Write what derives from the code: stubs, tables of learners, docs/gallery.md, docs/messages.md
	$(BIN)/python docs/stubs.py
	$(BIN)/python docs/messages.py
	$(BIN)/python docs/gallery.py $(wildcard reproduced-paper/summary.json)

long: $(VENV)/ready ## Play live studies, verdicts and contract checks at full length, and kill a process that tells one 50 times
	DUELIST_LONG=1 $(BIN)/pytest tests/checks tests/study tests/stopping tests/journal/test_processes.py tests/database/test_processes.py

crash: $(VENV)/ready ## Kill the service 200 times while people vote, stop its database, fill its disk
	DUELIST_LONG=1 $(BIN)/pytest tests/service/test_crash.py tests/service/test_workers.py

# coverage imports what this test does not want to see imported
coverage: IMPORTS := tests/journal/test_imports.py::test_who_has_no_journal_imports_nothing_for_it
coverage: $(VENV)/ready browser ## Measure which lines and branches of src/duelist the tests run
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n 2 --dist worksteal --deselect $(IMPORTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --skip-covered --sort=cover

mutants: $(VENV)/ready ## Change the package for the worse, line by line, and see that tests notice; ONLY=text for some
	PYTHONPATH=tests $(BIN)/python -m mutants $(if $(ONLY),--only "$(ONLY)")

golden: $(VENV)/ready ## Record the golden trajectories anew, when results are meant to change
	$(BIN)/python tests/golden/record.py

clean: ## Remove everything that was made, but for reproduced-paper
	rm -rf $(VENV) demo-report reproduced-quick .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
