"""The engine: any learner, any known problem, many runs, the same luck for all."""

import os
from collections.abc import Sequence
from typing import Any, TypeAlias, overload

from duelist.errors import ParameterError
from duelist.parallel import Executor, progress_bar
from duelist.protocols import KnownProblem, KnownUtility, Learner, ScoredProblem
from duelist.simulation.arguments import LEARNER_NEEDS, Named, as_checkpoints, name_learners, require_sizes
from duelist.simulation.arms import ArmSetting, SimulationResult, sought_in
from duelist.simulation.points import PointSetting, PointSimulationResult, proven_bound
from duelist.simulation.runs import measure_all

Learners: TypeAlias = Named[Learner[Any]]


@overload
def simulate(
    learners: Learners,
    problem: KnownProblem | ScoredProblem,
    horizon: int,
    runs: int = 20,
    seed: int = 0,
    *,
    checkpoints: Sequence[int] | None = None,
    against: str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    keep: str | os.PathLike[str] | None = None,
    stepwise: bool = False,
) -> SimulationResult: ...


@overload
def simulate(
    learners: Learners,
    problem: KnownUtility,
    horizon: int,
    runs: int = 20,
    seed: int = 0,
    *,
    checkpoints: Sequence[int] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    keep: str | os.PathLike[str] | None = None,
) -> PointSimulationResult: ...


def simulate(
    learners: Learners,
    problem: KnownProblem | ScoredProblem | KnownUtility,
    horizon: int,
    runs: int = 20,
    seed: int = 0,
    *,
    checkpoints: Sequence[int] | None = None,
    against: str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    keep: str | os.PathLike[str] | None = None,
    stepwise: bool = False,
) -> SimulationResult | PointSimulationResult:
    """Play learners on a problem and measure their regret.

    Parameters
    ----------
    learners : learner, sequence of learners, or mapping of names to learners
        Learners are named after their classes; where that is not unique, after their hyperparameters too.
    problem : KnownProblem, ScoredProblem or KnownUtility
        A problem whose true preferences are known, such as a `MatrixProblem` or a `UtilityProblem`, or one
        that is played live and knows how good its arms are, such as a `RankerDuel`.
    horizon : int
        Rounds to play.
    runs : int, default 20
        Independent repetitions. Run r of every learner meets the same luck.
    seed : int, default 0
        Equal seeds give equal results, whatever the number of workers.
    checkpoints : sequence of int, optional
        Rounds at which to measure; ten in every factor of ten unless told otherwise. With the same seed other
        checkpoints give `InterleavedFilter1`, `InterleavedFilter2`, `CondorcetSavage` and
        `DoubleThompsonSampling` other runs, of the same distribution: these learners draw many rounds at
        once, no draw may reach beyond a checkpoint, and so the draws differ. With `stepwise=True`, and for
        all other learners, runs stay the same.
    against : str, optional
        For arms: what regret is measured against, one of `metrics.CONCEPTS`. By default the Condorcet winner.
        Where there is none, "hindsight": the one arm that would have beaten the arms shown most often, by how
        much beyond 1/2, as the mean of both sides (Dudik et al. 2015). Weak regret is not defined then (nan),
        and accuracy is the share of runs that name an arm that loses to none (nan if every arm loses to one).
    workers : int, optional
        Threads; by default one for each core.
    executor : Executor, optional
        Workers elsewhere, such as `parallel.RayExecutor()`; by default the threads of this process.
        Results are the same, bit by bit.
    progress : bool, optional
        Whether to show a progress bar; by default when standard error is a terminal.
    keep : path, optional
        A file for the runs that are finished, also when the simulation is interrupted or workers are lost;
        the same call takes them up from there. It stays; remove it once the result is saved.
    stepwise : bool, default False
        For arms: play every round singly, without the exact jumps. Slow; for checking the jumps.

    Returns
    -------
    SimulationResult or PointSimulationResult
        One `LearnerResult`, or `PointResult`, for every learner's name.

    Examples
    --------
    >>> from duelist import RUCB, Uniform
    >>> from duelist.problems import worst_case
    >>> result = simulate([RUCB(), Uniform()], worst_case(4, 0.2), horizon=10_000, runs=4)
    >>> result["RUCB"].best
    array([0, 0, 0, 0])
    >>> bool(result["RUCB"].regret[:, -1].max() < result["Uniform"].regret[:, -1].min())
    True
    """
    require_sizes("horizon", horizon, runs, seed, workers)
    named = name_learners(learners, Learner, LEARNER_NEEDS)
    marks = as_checkpoints(checkpoints, int(horizon))
    with progress_bar(progress) as show:
        if isinstance(problem, KnownProblem | ScoredProblem):
            sought, lower_bound = sought_in(problem, against)
            setting = ArmSetting(problem, sought, marks, int(seed), stepwise)
            return SimulationResult(
                results=measure_all(setting, named, runs, workers, executor, show, keep),
                seed=int(seed),
                labels=tuple(problem.labels),
                concept=sought.concept,
                winners=sought.winners,
                lower_bound=lower_bound,
            )
        if isinstance(problem, KnownUtility):
            if against is not None or stepwise:
                raise ParameterError(
                    "against and stepwise are for arms; leave them out for a utility problem."
                )
            points = PointSetting(problem, marks, int(seed))
            return PointSimulationResult(
                results=measure_all(points, named, runs, workers, executor, show, keep),
                seed=int(seed),
                theorem_bound=proven_bound(problem, marks, convex=False),
                bound=proven_bound(problem, marks, convex=True),
            )
    raise ParameterError(
        f"problem must know its true preferences, as a MatrixProblem or a UtilityProblem does; "
        f"got {type(problem).__name__}."
    )
