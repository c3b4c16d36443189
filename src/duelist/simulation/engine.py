"""The engine: any learner, any known problem, many runs, the same random streams for all learners."""

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from duelist.bounds import asymptotic_lower_bound, gradient_descent_upper_bound, sparring_exp4p_upper_bound
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, SlowWarning
from duelist.kernels.loop import CompiledLearner
from duelist.metrics import CONCEPT_NAMES, scored_target, target
from duelist.parallel import Executor, progress_bar
from duelist.preferences import Preferences
from duelist.protocols import (
    KnownContexts,
    KnownProblem,
    KnownRankings,
    KnownUtility,
    Learner,
    ListLearner,
    PolicyTable,
    ScoredProblem,
)
from duelist.simulation.arguments import LEARNER_NEEDS, Named, as_checkpoints, name_learners, require_sizes
from duelist.simulation.result import Result, Runs
from duelist.simulation.runs import Setting, in_kernels, measure_all
from duelist.simulation.settings import ArmSetting, ContextSetting, ListSetting, PointSetting
from duelist.text import counted

Learners: TypeAlias = Named[Learner[Any] | ListLearner[Any]]
Playable: TypeAlias = KnownProblem | ScoredProblem | KnownUtility | KnownContexts | KnownRankings
Against: TypeAlias = str | PolicyTable | ArrayLike | None
DELTA = 0.05  # the failure probability of high-probability bounds


def simulate(
    learners: Learners,
    problem: Playable,
    horizon: int,
    runs: int = 20,
    seed: int = 0,
    *,
    checkpoints: Sequence[int] | None = None,
    against: Against = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    keep: str | os.PathLike[str] | None = None,
    stepwise: bool = False,
) -> Result:
    """Play learners on a problem and measure their regret.

    Parameters
    ----------
    learners : learner, sequence of learners, or mapping of names to learners
        Learners are named after their classes; if that is not unique, by their hyperparameters too.
    problem : KnownProblem, ScoredProblem, KnownUtility, KnownContexts or KnownRankings
        Arms (`MatrixProblem`; `RankerDuel`, which is played live), points of a space (`UtilityProblem`,
        `LinearRankerSpace`), contexts (`FiniteContexts`) or lists (`RankingProblem`). The problem's own
        `menu` and `play` decide every round: if they are overridden, compiled learners run through `ask` and
        `tell` like all others, and a `SlowWarning` is issued.
    horizon : int
        The number of rounds; for lists, of lists.
    runs : int, default 20
        The number of independent repetitions. Run r of every learner uses the same random streams.
    seed : int, default 0
        Equal seeds give equal results, whatever the number of workers.
    checkpoints : sequence of int, optional
        The rounds at which to measure; ten per factor of ten by default. With the same seed, other
        checkpoints give `InterleavedFilter1`, `InterleavedFilter2`, `CondorcetSavage` and
        `DoubleThompsonSampling` different runs of the same distribution: these learners draw many rounds at
        once, but never beyond a checkpoint. With `stepwise=True`, and for all other learners, runs stay the
        same.
    against : str, or FinitePolicies or array of shape (policies, contexts), optional
        The reference for regret. For arms, one of `metrics.CONCEPTS`; by default the Condorcet winner.
        Without a Condorcet winner, "hindsight": the single arm that would have beaten the arms shown most
        often, by how much beyond 1/2, as the mean of both sides (Dudik et al. 2015). Weak regret is then
        undefined (nan), and accuracy is the share of runs that return an arm that loses to none (nan if every
        arm loses to one). For contexts it is required: policies, as the action of each one in each context.
    workers : int, optional
        The number of threads; by default one per core.
    executor : Executor, optional
        Workers elsewhere, such as `parallel.RayExecutor()`; by default threads of this process. The results
        are identical, bit by bit.
    progress : bool, optional
        Whether to show a progress bar; by default only if standard error is a terminal.
    keep : path, optional
        A file for finished runs, written even if the simulation is interrupted or workers are lost; the same
        call resumes from it. The file is not deleted: delete it once the result is saved.
    stepwise : bool, default False
        For arms: play every round one by one, without the exact jumps. Slow; for checking the jumps.

    Returns
    -------
    Result
        The `Runs` of every learner by name, with named measures.

    Raises
    ------
    ParameterError
        If a learner, the problem, `against` or a number is invalid.
    OutcomeError
        If a learner or a problem does not follow the protocol.
    FileError
        If the file `keep` belongs to another simulation or is damaged.

    Examples
    --------
    >>> from duelist import RUCB, Uniform
    >>> from duelist.problems import worst_case
    >>> result = simulate([RUCB(), Uniform()], worst_case(4, 0.2), horizon=10_000, runs=4)
    >>> result["RUCB"].best
    array([0, 0, 0, 0])
    >>> bool(result["RUCB"].regret[:, -1].max() < result["Uniform"].regret[:, -1].min())
    True

    In contexts, against all policies:

    >>> from duelist import SparringEXP4P
    >>> from duelist.problems import cyclic_contexts
    >>> policies = np.indices((3, 3, 3)).reshape(3, -1).T
    >>> sparring = SparringEXP4P(policies, 10_000)
    >>> result = simulate(sparring, cyclic_contexts(1, 2), 10_000, runs=2, against=policies)
    >>> bool((result["SparringEXP4P"].regret[:, -1] < result.bounds["sparring"][-1]).all())
    True
    """
    require_sizes("horizon", horizon, runs, seed, workers)
    named = name_learners(learners, Learner, LEARNER_NEEDS)
    marks = as_checkpoints(checkpoints, int(horizon))
    setting, facts = setting_of(problem, named, marks, int(seed), against, stepwise)
    warn_of_slow_runs(problem, named)
    with progress_bar(progress) as show:
        results = measure_all(setting, named, runs, workers, executor, show, keep)
    return Result(results, int(seed), **facts)


def setting_of(
    problem: Playable,
    learners: Mapping[str, Any],
    marks: IntArray,
    seed: int,
    against: Against,
    stepwise: bool,
) -> tuple[Setting[Runs], dict[str, Any]]:
    """Return the setting for this kind of problem, and the metadata of its result."""
    if isinstance(problem, KnownProblem | ScoredProblem):
        return arm_setting(problem, marks, seed, against, stepwise)
    if stepwise:
        raise ParameterError("stepwise is only for arms; omit it for other problems.")
    if isinstance(problem, KnownContexts):
        return context_setting(problem, learners, marks, seed, against)
    if against is not None:
        raise ParameterError("against is only for arms and contexts; omit it for other problems.")
    if isinstance(problem, KnownRankings):
        facts = {"kind": "lists", "depth": int(problem.depth), "held_out": problem.held_out is not None}
        return ListSetting(problem, marks, seed), facts
    if isinstance(problem, KnownUtility):
        return PointSetting(problem, marks, seed), {
            "kind": "points",
            "against": "the optimum",
            "bounds": proven_bounds(problem, marks),
        }
    raise ParameterError(
        "problem must know its true preferences, as MatrixProblem, UtilityProblem, FiniteContexts and "
        f"RankingProblem do; got {type(problem).__name__}."
    )


def arm_setting(
    problem: KnownProblem | ScoredProblem, marks: IntArray, seed: int, against: Against, stepwise: bool
) -> tuple[Setting[Runs], dict[str, Any]]:
    if not isinstance(against, str | None):
        raise ParameterError(f"against must be one of metrics.CONCEPTS for arms; got {against!r:.80}.")
    lower_bound = None
    if isinstance(problem, KnownProblem):
        preferences = preferences_of(problem)
        sought = target(preferences, against)
        if sought.concept == "condorcet":
            lower_bound = asymptotic_lower_bound(preferences)
    elif against is not None:
        raise ParameterError(
            f"against is only for problems with a known matrix; omit it for {type(problem).__name__}."
        )
    else:
        sought = scored_target(problem.gaps)
    return ArmSetting(problem, sought, marks, seed, stepwise), {
        "kind": "arms",
        "against": CONCEPT_NAMES[sought.concept],
        "labels": tuple(problem.labels),
        "concept": sought.concept,
        "winners": sought.winners,
        "lower_bound": lower_bound,
    }


def preferences_of(problem: KnownProblem) -> Preferences:
    """Return a problem's preferences, without validating them again if possible."""
    known = getattr(problem, "preferences", None)
    if isinstance(known, Preferences) and known.matrix is problem.matrix:
        return known
    return Preferences(problem.matrix)


def context_setting(
    problem: KnownContexts, learners: Mapping[str, Any], marks: IntArray, seed: int, against: Against
) -> tuple[Setting[Runs], dict[str, Any]]:
    if against is None or isinstance(against, str):
        raise ParameterError(
            "against must be a table of policies for contexts, with a row per policy and its action in each "
            f"context; got {against!r}."
        )
    table = problem.as_policies(against.actions if isinstance(against, PolicyTable) else against)
    setting = ContextSetting(problem, table, marks, seed)
    many, k = setting.world.preferences.shape[:2]
    for name, learner in learners.items():
        known = getattr(learner, "contexts", many)
        if known != many:
            raise ParameterError(f"{name} has policies for {known} contexts, but the problem has {many}.")
    bound = [sparring_exp4p_upper_bound(int(mark), k, len(table), DELTA) for mark in marks]
    return setting, {
        "kind": "contexts",
        "against": f"the best of {counted(len(table), 'policy')} in hindsight",
        "bounds": {"sparring": np.array(bound)},
    }


def proven_bounds(problem: KnownUtility, marks: IntArray) -> dict[str, FloatArray]:
    """Return upper bounds on gradient descent's expected regret, if the utility's slope is known.

    Corollary 2 assumes that the smoothed loss is convex.
    """
    slope, space = getattr(problem, "lipschitz", None), problem.menu()
    if slope is None or getattr(problem, "link", None) != "logistic":
        return {}
    return {
        source: np.array(
            [gradient_descent_upper_bound(int(mark), space.d, space.radius, slope, convex) for mark in marks]
        )
        for source, convex in {"Theorem 2": False, "Corollary 2": True}.items()
    }


def warn_of_slow_runs(problem: Playable, learners: Mapping[str, Any]) -> None:
    """Warn once that overridden methods of the problem force compiled learners through ask and tell."""
    slowed = [name for name, learner in learners.items() if isinstance(learner, CompiledLearner)]
    known = isinstance(problem, KnownProblem | KnownContexts | KnownRankings) or hasattr(
        problem, "in_kernels"
    )
    if slowed and known and not in_kernels(problem):
        warnings.warn(
            f"{type(problem).__name__} overrides methods that kernels replace, so {', '.join(slowed)} will "
            "run through ask and tell: tens of thousands of rounds per second instead of millions.",
            SlowWarning,
            stacklevel=3,
        )
