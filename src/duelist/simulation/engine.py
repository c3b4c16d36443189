"""The engine: any learner, any known problem, many runs, the same luck for all."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, overload

from duelist.bounds import asymptotic_lower_bound
from duelist.errors import ParameterError, require_whole
from duelist.metrics import target
from duelist.protocols import KnownProblem, KnownUtility, Learner
from duelist.simulation.arm_runs import measure_arms
from duelist.simulation.checkpoints import as_checkpoints
from duelist.simulation.point_runs import measure_points, proven_bound
from duelist.simulation.repetitions import progress_bar
from duelist.simulation.result import PointSimulationResult, SimulationResult

Learners: TypeAlias = Learner[Any] | Sequence[Learner[Any]] | Mapping[str, Learner[Any]]

LONGEST = 10**15
"""More rounds than anyone plays, and few enough to be counted exactly."""


@overload
def simulate(
    learners: Learners,
    problem: KnownProblem,
    horizon: int,
    runs: int = 20,
    seed: int = 0,
    *,
    checkpoints: Sequence[int] | None = None,
    against: str | None = None,
    workers: int | None = None,
    progress: bool | None = None,
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
    progress: bool | None = None,
) -> PointSimulationResult: ...


def simulate(
    learners: Learners,
    problem: KnownProblem | KnownUtility,
    horizon: int,
    runs: int = 20,
    seed: int = 0,
    *,
    checkpoints: Sequence[int] | None = None,
    against: str | None = None,
    workers: int | None = None,
    progress: bool | None = None,
    stepwise: bool = False,
) -> SimulationResult | PointSimulationResult:
    """Play learners on a problem and measure their regret.

    Parameters
    ----------
    learners : learner, sequence of learners, or mapping of names to learners
        Learners are named after their classes; where that is not unique, after their hyperparameters too.
    problem : KnownProblem or KnownUtility
        A problem whose true preferences are known, such as a `MatrixProblem` or a `UtilityProblem`.
    horizon : int
        Rounds to play.
    runs : int, default 20
        Independent repetitions. Run r of every learner meets the same luck.
    seed : int, default 0
        Equal seeds give equal results, whatever the number of workers.
    checkpoints : sequence of int, optional
        Rounds at which to measure; ten in every factor of ten unless told otherwise.
    against : str, optional
        For arms: the winner that regret is measured against, one of `metrics.CONCEPTS`. By default the
        Condorcet winner, or the von Neumann winner where there is none.
    workers : int, optional
        Threads; as many as there are cores unless told otherwise.
    progress : bool, optional
        Whether to show a progress bar; by default when standard error is a terminal.
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
    require_whole("horizon", horizon, 1)
    if horizon > LONGEST:
        raise ParameterError(f"horizon must be at most {LONGEST:.0e} rounds; got {horizon}.")
    require_whole("runs", runs, 1)
    require_whole("seed", seed, 0)
    require_whole("workers", 1 if workers is None else workers, 1)
    named = name_learners(learners)
    marks = as_checkpoints(checkpoints, int(horizon))
    with progress_bar(progress) as show:
        if isinstance(problem, KnownProblem):
            sought = target(problem.matrix, against)
            arms = {
                name: measure_arms(name, learner, problem, sought, marks, runs, seed, workers, show, stepwise)
                for name, learner in named.items()
            }
            bounded = sought.concept == "condorcet"
            return SimulationResult(
                results=arms,
                seed=int(seed),
                labels=tuple(problem.labels),
                concept=sought.concept,
                winners=sought.winners,
                lower_bound=asymptotic_lower_bound(problem.matrix) if bounded else None,
            )
        if isinstance(problem, KnownUtility):
            if against is not None or stepwise:
                raise ParameterError(
                    "against and stepwise are for arms; leave them out for a utility problem."
                )
            points = {
                name: measure_points(name, learner, problem, marks, runs, seed, workers, show)
                for name, learner in named.items()
            }
            return PointSimulationResult(
                results=points,
                seed=int(seed),
                theorem_bound=proven_bound(problem, marks, convex=False),
                bound=proven_bound(problem, marks, convex=True),
            )
    raise ParameterError(
        f"problem must know its true preferences, as a MatrixProblem or a UtilityProblem does; "
        f"got {type(problem).__name__}."
    )


def name_learners(learners: Learners) -> dict[str, Learner[Any]]:
    """Return learners by name: their class's, or all of `repr` where two share a class."""
    if isinstance(learners, Mapping):
        listed = list(learners.values())
    else:
        listed = [learners] if isinstance(learners, Learner) else list(learners)
    for learner in listed:
        if not isinstance(learner, Learner):
            raise ParameterError(f"learners must have init, ask, tell and best; got {learner!r}.")
    if isinstance(learners, Mapping) and listed:
        return dict(learners)
    kinds = [type(learner).__name__ for learner in listed]
    named = {
        kind if kinds.count(kind) == 1 else repr(learner): learner
        for kind, learner in zip(kinds, listed, strict=True)
    }
    if not listed or len(named) < len(listed):
        raise ParameterError(
            "learners must not be empty and must differ; to repeat one, give a mapping of names to learners."
        )
    return named
