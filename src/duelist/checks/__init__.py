"""Contract checks for learners, problems and journals, including those of plug-ins.

Examples
--------
>>> from duelist import RUCB
>>> for name, check in yield_learner_checks(RUCB(), quick=True):
...     check(RUCB())
"""

from duelist.checks.conduct import yield_conduct_checks
from duelist.checks.journals import JournalChecks
from duelist.checks.problems import yield_problem_checks
from duelist.checks.suite import (
    CheckResult,
    expected_failures,
    run_checks,
    yield_learner_checks,
    yield_learning_checks,
)

__all__ = [
    "CheckResult",
    "JournalChecks",
    "expected_failures",
    "run_checks",
    "yield_conduct_checks",
    "yield_learner_checks",
    "yield_learning_checks",
    "yield_problem_checks",
]
