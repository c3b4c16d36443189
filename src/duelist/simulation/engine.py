"""The engine: any learner, any known problem, many runs, the same luck for all."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from duelist.bounds import asymptotic_lower_bound
from duelist.errors import ParameterError, require_whole
from duelist.metrics import Target, target
from duelist.point_rounds import (
    CompiledPointLearner,
    PointLedger,
    PointRun,
    book_points,
    close_points,
    open_point_ledger,
    room_for_duel,
)
from duelist.protocols import KnownProblem, KnownUtility, Learner
from duelist.rounds import CompiledLearner, Ledger, Run, World, book, close, open_ledger
from duelist.simulation.checkpoints import as_checkpoints
from duelist.simulation.repetitions import Show, progress_bar, repeat
from duelist.simulation.result import LearnerResult, PointResult, PointSimulationResult, SimulationResult
from duelist.types import BoolArray, IntArray

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
            points = {
                name: measure_points(name, learner, problem, marks, runs, seed, workers, show)
                for name, learner in named.items()
            }
            return PointSimulationResult(results=points, seed=int(seed))
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


def luck(seed: int, index: int) -> tuple[Generator, Generator]:
    """Return a run's two generators, the learner's and nature's."""
    rng, nature = SeedSequence(seed, spawn_key=(index,)).spawn(2)
    return default_rng(rng), default_rng(nature)


def play_all(
    name: str,
    run: Callable[[int], None],
    ledgers: Sequence[Ledger | PointLedger],
    halt: BoolArray,
    workers: int | None,
    show: Show,
) -> None:
    """Play every run, and show how far all of them are."""
    total = len(ledgers) * int(ledgers[0].checkpoints[-1])

    def look() -> None:
        show(name, sum(int(ledger.played[0]) for ledger in ledgers) / total)

    look()
    repeat(run, len(ledgers), workers, halt, look)


def measure_arms(
    name: str,
    learner: Learner[Any],
    problem: KnownProblem,
    sought: Target,
    marks: IntArray,
    runs: int,
    seed: int,
    workers: int | None,
    show: Show,
    stepwise: bool,
) -> LearnerResult:
    """Play one learner's runs and gather what was written down."""
    world = World(np.ascontiguousarray(problem.matrix), np.ascontiguousarray(sought.gaps))
    halt = np.zeros(1, np.bool_)
    ledgers = [open_ledger(marks, len(world.gaps), halt) for _ in range(runs)]

    def run(index: int) -> None:
        play_arms(learner, problem, Run(world, ledgers[index], *luck(seed, index), stepwise))

    play_all(name, run, ledgers, halt, workers, show)
    return LearnerResult(
        description=repr(learner),
        checkpoints=marks,
        regret=np.stack([ledger.regret for ledger in ledgers]),
        weak_regret=np.stack([ledger.weak_regret for ledger in ledgers]),
        best_at=np.stack([ledger.best for ledger in ledgers]),
        plays=np.stack([ledger.plays for ledger in ledgers]),
        informative=np.array([ledger.informative[0] for ledger in ledgers]),
        winners=sought.winners,
    )


def play_arms(learner: Learner[Any], problem: KnownProblem, run: Run) -> None:
    """Play one run: compiled where the learner offers kernels, through the protocol where not."""
    menu = problem.menu(run.nature)
    state = learner.init(menu, run.rng)
    if isinstance(learner, CompiledLearner):
        learner.kernels.play(learner.rules(menu.k), state, run)
        return
    ledger = run.ledger
    for mark, until in enumerate(ledger.checkpoints):
        while ledger.played[0] < until:
            if ledger.halt[0]:
                return
            duel = learner.ask(state, menu, run.rng)
            state = learner.tell(state, duel, problem.play(duel, run.nature))
            book(run.world, ledger, duel.left, duel.right, 1)
        close(run.world, ledger, mark, learner.best(state, menu))


def measure_points(
    name: str,
    learner: Learner[Any],
    problem: KnownUtility,
    marks: IntArray,
    runs: int,
    seed: int,
    workers: int | None,
    show: Show,
) -> PointResult:
    """Play one learner's runs and gather what was written down."""
    halt = np.zeros(1, np.bool_)
    ledgers = [open_point_ledger(marks, problem.menu().d, halt) for _ in range(runs)]

    def run(index: int) -> None:
        play_points(learner, problem, ledgers[index], *luck(seed, index))

    play_all(name, run, ledgers, halt, workers, show)
    return PointResult(
        description=repr(learner),
        checkpoints=marks,
        regret=np.stack([ledger.regret for ledger in ledgers]),
        weak_regret=np.stack([ledger.weak_regret for ledger in ledgers]),
        gap_at=np.stack([ledger.gap for ledger in ledgers]),
        best=np.stack([ledger.best for ledger in ledgers]),
    )


def play_points(
    learner: Learner[Any], problem: KnownUtility, ledger: PointLedger, rng: Generator, nature: Generator
) -> None:
    """Play one run: compiled where learner and problem both are, through the protocol where not."""
    menu = problem.menu(nature)
    state = learner.init(menu, rng)
    landscape = getattr(problem, "landscape", None)
    if isinstance(learner, CompiledPointLearner) and landscape is not None:
        run = PointRun(landscape, ledger, room_for_duel(menu.d), rng, nature)
        learner.point_kernels.play(learner.rules(), state, run)
        return
    for mark, until in enumerate(ledger.checkpoints):
        while ledger.played[0] < until:
            if ledger.halt[0]:
                return
            duel = learner.ask(state, menu, rng)
            state = learner.tell(state, duel, problem.play(duel, nature))
            book_points(ledger, problem.gap(duel.left), problem.gap(duel.right))
        ledger.best[:] = learner.best(state, menu)
        close_points(ledger, mark, problem.gap(ledger.best))
