"""The whole suite for a learner: every check that applies to it, one after another or all at once."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from duelist.card import card_of
from duelist.checks.conduct import yield_conduct_checks
from duelist.checks.learning import yield_learning_checks
from duelist.checks.stages import stage_for

Check = Callable[[Any], None]
"""Takes a learner and raises AssertionError when a law is broken."""

LONG = ("late_regret",)
"""What a few short runs cannot tell: many learners explore longer, and are right to."""


class Verdict(NamedTuple):
    """What a check found."""

    name: str
    met: bool
    reason: str
    """Why it is not met; empty where it is."""


def yield_learner_checks(
    learner: Any, quick: bool = False, progress: bool | None = False
) -> Iterator[tuple[str, Check]]:
    """Yield the name and the function of every check that applies to a learner by design.

    Checks that a learner's card declares as not met, each with its reason, are left out.

    Parameters
    ----------
    learner : learner
        Of any setting; its card says which.
    quick : bool, default False
        Whether checks of learning play a few short runs, and `late_regret` is left out: seconds for a learner
        in plain Python, for which the full checks take many minutes.
    progress : bool, optional
        Whether checks of learning show a bar; None shows it to people only, not to files.

    Examples
    --------
    >>> from duelist import BeatTheMean
    >>> names = [name for name, _ in yield_learner_checks(BeatTheMean(horizon=1000))]
    >>> "replay" in names, "swapped_sides" in names
    (True, False)
    """
    excused, stage = expected_failures(learner), stage_for(learner)
    effort = (stage.quick if quick else stage.full)._replace(progress=progress)
    for name, check in yield_conduct_checks():
        if name not in excused:
            yield name, check
    for name, measured in yield_learning_checks():
        if name not in excused and not (quick and name in LONG):
            yield name, partial(measured, effort=effort)


def expected_failures(learner: Any) -> dict[str, str]:
    """Return the checks that a learner does not meet by design, each with its reason."""
    return dict(card_of(learner).unmet)


def run_checks(learner: Any, quick: bool = True, progress: bool | None = False) -> Iterator[Verdict]:
    """Run every check that applies to a learner, and yield what each found; none of them raises.

    Examples
    --------
    >>> from duelist import RUCB
    >>> [verdict.name for verdict in run_checks(RUCB()) if not verdict.met]
    []
    """
    for name, check in yield_learner_checks(learner, quick, progress):
        try:
            check(learner)
        except AssertionError as error:
            yield Verdict(name, False, str(error))
        # whatever a learner from outside raises
        except Exception as error:
            yield Verdict(name, False, f"{type(error).__name__}: {error}")
        else:
            yield Verdict(name, True, "")
