"""Checks of learning, and the suite of all checks of a learner."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from duelist.card import card_of
from duelist.checks.conduct import yield_conduct_checks
from duelist.checks.environments import Effort, Trial, TrialPlan, checks_in, environment_for
from duelist.errors import require_known

Check = Callable[[Any], None]  # takes a learner and raises AssertionError if it breaks a rule

LONG = ("late_regret",)  # not in quick suites: many learners rightly explore longer than a few short runs


class CheckResult(NamedTuple):
    """The result of a check."""

    name: str
    met: bool
    reason: str
    """Why it is not met; empty if it is met."""


class LearnerRuns:
    """A learner's runs on an easy problem, shared by all checks that examine them."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.plan = TrialPlan(
            name="learning", effort=effort, seed=0, checkpoints=[effort.rounds // 100, effort.rounds // 2]
        )
        self.played: tuple[Any, Trial] | None = None

    def of(self, learner: Any) -> Trial:
        """Return the runs of a learner, cached until another learner is passed."""
        if self.played is None or self.played[0] is not learner:
            self.played = learner, environment_for(learner).play(learner, self.plan)
        return self.played[1]


def check_finds_the_winner(learner: Any, runs: LearnerRuns) -> None:
    """Check that nearly all runs on an easy problem end with the winner."""
    found, effort = int(runs.of(learner).right.sum()), runs.effort
    assert found >= effort.least * effort.runs, f"only {found} of {effort.runs} runs found the winner"


def check_late_regret(learner: Any, runs: LearnerRuns) -> None:
    """Check that rounds of the second half cost much less than those of the first hundredth."""
    rounds, costs = runs.effort.rounds, runs.of(learner).costs.mean(axis=0)
    early, late = costs[0] / (rounds // 100), (costs[2] - costs[1]) / (rounds - rounds // 2)
    share = environment_for(learner).late_share
    assert late <= share * early, f"a round cost {early:.4f} early and {late:.4f} in the second half"


def check_relabelling(learner: Any, runs: LearnerRuns) -> None:
    """Check that renaming arms, coordinates or features changes nothing in distribution."""
    effort, renamed = runs.effort, replace(runs.plan, name="relabelling", seed=1, renamed=True)
    trials = [runs.of(learner), environment_for(learner).play(learner, renamed)]
    mean, other = (trial.costs[:, -1].mean() for trial in trials)
    error = np.sqrt(sum(trial.costs[:, -1].var() for trial in trials) / effort.runs)
    assert abs(mean - other) <= 5.0 * error, (
        f"renaming changed the mean regret from {mean:.1f} to {other:.1f}, standard error {error:.1f}"
    )
    right, renamed_right = (int(trial.right.sum()) for trial in trials)
    assert abs(right - renamed_right) <= max(2, 0.05 * effort.runs), (
        f"{right} of {effort.runs} runs found the winner, {renamed_right} after renaming"
    )


def check_compiled_equals_interpreted(learner: Any, runs: LearnerRuns) -> None:
    """Check that the compiled loop gives the same runs as the protocol's ask and tell."""
    if not any(name.endswith("kernels") for name in dir(type(learner))):
        return
    environment, short = (
        environment_for(learner),
        runs.effort._replace(runs=2, rounds=min(runs.effort.rounds, 2_000)),
    )
    plan = TrialPlan(name="compiled_equals_interpreted", effort=short, seed=4)
    plans = (plan, replace(plan, interpreted=True))
    compiled, interpreted = (environment.play(learner, one).arrays for one in plans)
    for name in compiled:
        assert np.allclose(compiled[name], interpreted[name], rtol=1e-12, atol=0.0), f"{name} differs"


def yield_learning_checks() -> Iterator[tuple[str, Callable[..., None]]]:
    """Yield the name and the function of every check of learning.

    Yields
    ------
    tuple of str and callable
        A check takes a learner and its `LearnerRuns`, and raises AssertionError if the learner breaks a rule.

    Examples
    --------
    >>> [name for name, _ in yield_learning_checks()]
    ['finds_the_winner', 'late_regret', 'relabelling', 'compiled_equals_interpreted']
    """
    return checks_in(globals())


def yield_learner_checks(
    learner: Any, quick: bool = False, progress: bool | None = False
) -> Iterator[tuple[str, Check]]:
    """Yield the name and the function of every check that applies to a learner by design.

    Checks that the learner's card declares as unmet are left out.

    Parameters
    ----------
    learner : learner
        A learner of any setting.
    quick : bool, default False
        Whether checks of learning play only a few short runs and skip `late_regret`. For a learner in plain
        Python this takes seconds instead of many minutes.
    progress : bool, optional
        Whether checks of learning show a progress bar; None shows it on terminals only.

    Yields
    ------
    tuple of str and callable
        A check takes the learner and raises AssertionError if the learner breaks a rule.

    Examples
    --------
    >>> from duelist import BeatTheMean
    >>> names = [name for name, _ in yield_learner_checks(BeatTheMean(horizon=1000))]
    >>> "replay" in names, "swapped_sides" in names
    (True, False)
    """
    excused, environment = expected_failures(learner), environment_for(learner)
    runs = LearnerRuns((environment.quick if quick else environment.full)._replace(progress=progress))
    for name, check in yield_conduct_checks():
        if name not in excused:
            yield name, check
    for name, measured in yield_learning_checks():
        if name not in excused and not (quick and name in LONG):
            yield name, partial(measured, runs=runs)


def expected_failures(learner: Any) -> dict[str, str]:
    """Return the checks that a learner does not meet by design, with the reasons on its card.

    Parameters
    ----------
    learner : learner
        A learner of any setting.

    Returns
    -------
    dict of str to str
        The reason, by name of the check.

    Raises
    ------
    UnknownNameError
        If the card names a check that does not exist.

    Examples
    --------
    >>> from duelist import RUCB
    >>> expected_failures(RUCB())
    {}
    """
    known = [name for name, _ in (*yield_conduct_checks(), *yield_learning_checks())]
    for name in card_of(learner).unmet:
        require_known("check in unmet", name, known)
    return dict(card_of(learner).unmet)


def run_checks(learner: Any, quick: bool = True, progress: bool | None = False) -> Iterator[CheckResult]:
    """Run every check that applies to a learner, and yield the results instead of raising errors.

    Parameters
    ----------
    learner : learner
        A learner of any setting.
    quick : bool, default True
        Whether checks of learning play only a few short runs, as in `yield_learner_checks`.
    progress : bool, optional
        Whether checks of learning show a progress bar; None shows it on terminals only.

    Yields
    ------
    CheckResult
        The result of each check.

    Examples
    --------
    >>> from duelist import RUCB
    >>> [result.name for result in run_checks(RUCB()) if not result.met]
    []
    """
    for name, check in yield_learner_checks(learner, quick, progress):
        try:
            check(learner)
        except AssertionError as error:
            yield CheckResult(name, False, str(error))
        # a learner from outside may raise anything
        except (Exception, SystemExit) as error:
            yield CheckResult(name, False, f"{type(error).__name__}: {error}")
        else:
            yield CheckResult(name, True, "")
