"""Learning, and the whole suite: a learner finds the winner, stops showing bad choices, and plays alike."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from duelist.card import card_of
from duelist.checks.conduct import yield_conduct_checks
from duelist.checks.stages import Effort, Trial, TrialPlan, checks_in, stage_for
from duelist.errors import require_known

Check = Callable[[Any], None]  # takes a learner and raises AssertionError when a law is broken

LONG = ("late_regret",)  # what a few short runs cannot tell: many learners explore longer, and are right to


class CheckResult(NamedTuple):
    """What a check found."""

    name: str
    met: bool
    reason: str
    """Why it is not met; empty where it is."""


class LearnerRuns:
    """A learner's runs on an easy problem, played once for all checks that look at them."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.plan = TrialPlan(
            name="learning", effort=effort, seed=0, checkpoints=[effort.rounds // 100, effort.rounds // 2]
        )
        self.played: tuple[Any, Trial] | None = None

    def of(self, learner: Any) -> Trial:
        """Return the runs of a learner, which are kept until those of another are asked for."""
        if self.played is None or self.played[0] is not learner:
            self.played = learner, stage_for(learner).play(learner, self.plan)
        return self.played[1]


def check_finds_the_winner(learner: Any, runs: LearnerRuns) -> None:
    """Demand that on an easy problem nearly all runs end with the winner."""
    found, effort = int(runs.of(learner).right.sum()), runs.effort
    assert found >= effort.least * effort.runs, f"only {found} of {effort.runs} runs found the winner"


def check_late_regret(learner: Any, runs: LearnerRuns) -> None:
    """Demand that a round of the second half costs much less than one of the first hundredth."""
    rounds, costs = runs.effort.rounds, runs.of(learner).costs.mean(axis=0)
    early, late = costs[0] / (rounds // 100), (costs[2] - costs[1]) / (rounds - rounds // 2)
    share = stage_for(learner).late_share
    assert late <= share * early, f"a round cost {early:.4f} at first and {late:.4f} at last"


def check_relabelling(learner: Any, runs: LearnerRuns) -> None:
    """Demand that other names for arms, coordinates or features change nothing, in distribution."""
    effort, renamed = runs.effort, replace(runs.plan, name="relabelling", seed=1, renamed=True)
    trials = [runs.of(learner), stage_for(learner).play(learner, renamed)]
    mean, other = (trial.costs[:, -1].mean() for trial in trials)
    error = np.sqrt(sum(trial.costs[:, -1].var() for trial in trials) / effort.runs)
    assert abs(mean - other) <= 5.0 * error, f"mean regret {mean:.1f} became {other:.1f}, error {error:.1f}"
    right, renamed_right = (int(trial.right.sum()) for trial in trials)
    assert abs(right - renamed_right) <= max(2, 0.05 * effort.runs), (
        f"{right} of {effort.runs} runs found the winner, by its other name {renamed_right}"
    )


def check_compiled_equals_interpreted(learner: Any, runs: LearnerRuns) -> None:
    """Demand that the compiled loop and the protocol's ask and tell give the same runs."""
    if not any(name.endswith("kernels") for name in dir(type(learner))):
        return
    stage, short = stage_for(learner), runs.effort._replace(runs=2, rounds=min(runs.effort.rounds, 2_000))
    plan = TrialPlan(name="compiled_equals_interpreted", effort=short, seed=4)
    plans = (plan, replace(plan, interpreted=True))
    compiled, interpreted = (stage.play(learner, one).arrays for one in plans)
    for name in compiled:
        assert np.allclose(compiled[name], interpreted[name], rtol=1e-12, atol=0.0), f"{name} differs"


def yield_learning_checks() -> Iterator[tuple[str, Callable[..., None]]]:
    """Yield the name and the function of every check of learning, which takes a learner and `LearnerRuns`."""
    return checks_in(globals())


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
    runs = LearnerRuns((stage.quick if quick else stage.full)._replace(progress=progress))
    for name, check in yield_conduct_checks():
        if name not in excused:
            yield name, check
    for name, measured in yield_learning_checks():
        if name not in excused and not (quick and name in LONG):
            yield name, partial(measured, runs=runs)


def expected_failures(learner: Any) -> dict[str, str]:
    """Return the checks that a learner does not meet by design, each with its reason."""
    known = [name for name, _ in (*yield_conduct_checks(), *yield_learning_checks())]
    for name in card_of(learner).unmet:
        require_known("check in unmet", name, known)
    return dict(card_of(learner).unmet)


def run_checks(learner: Any, quick: bool = True, progress: bool | None = False) -> Iterator[CheckResult]:
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
            yield CheckResult(name, False, str(error))
        # whatever a learner from outside raises
        except (Exception, SystemExit) as error:
            yield CheckResult(name, False, f"{type(error).__name__}: {error}")
        else:
            yield CheckResult(name, True, "")
