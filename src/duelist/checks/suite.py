"""The whole suite for a learner."""

from collections.abc import Callable, Iterator
from typing import Any

from duelist.checks.conduct import yield_conduct_checks
from duelist.checks.learning import yield_learning_checks
from duelist.protocols import Learner

Check = Callable[[Learner[Any]], None]
"""Takes a learner and raises AssertionError when a law is broken."""


def yield_learner_checks(learner: Learner[Any]) -> Iterator[tuple[str, Check]]:
    """Yield the name and the function of every check that applies to a learner by design.

    Checks that a learner's class declares in `unmet_checks`, each with its reason, are left out.

    Examples
    --------
    >>> from duelist import BeatTheMean
    >>> names = [name for name, _ in yield_learner_checks(BeatTheMean(horizon=1000))]
    >>> "replay" in names, "swapped_sides" in names
    (True, False)
    """
    excused = expected_failures(learner)
    for name, check in [*yield_conduct_checks(), *yield_learning_checks()]:
        if name not in excused:
            yield name, check


def expected_failures(learner: Learner[Any]) -> dict[str, str]:
    """Return the checks that a learner does not meet by design, each with its reason."""
    return dict(getattr(learner, "unmet_checks", {}))
