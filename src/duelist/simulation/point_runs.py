"""One learner's runs on the points of a space."""

from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.bounds import gradient_descent_upper_bound
from duelist.duel import Duel, FloatArray, IntArray
from duelist.kernels.points import (
    CompiledPointLearner,
    PointLedger,
    PointRun,
    book_points,
    close_points,
    open_point_ledger,
    room_for_duel,
)
from duelist.parallel import Show
from duelist.protocols import KnownUtility, Learner
from duelist.simulation.repetitions import luck, play_all
from duelist.simulation.result import PointResult


def measure_points(
    name: str,
    learner: Learner[Any],
    runs: range,
    workers: int | None,
    show: Show,
    *,
    problem: KnownUtility,
    marks: IntArray,
    seed: int,
) -> PointResult:
    """Play one learner's runs and gather what was written down."""
    halt = np.zeros(1, np.bool_)
    ledgers = [open_point_ledger(marks, problem.menu().d, halt) for _ in runs]

    def run(index: int) -> None:
        play_points(learner, problem, ledgers[index], *luck(seed, runs[index]))

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
    learner: Learner[Any], problem: KnownUtility, ledger: PointLedger, rng: Generator, world_rng: Generator
) -> None:
    """Play one run: compiled where learner and problem both are, through the protocol where not."""
    menu = problem.menu(world_rng)
    state = learner.init(menu, rng)
    utility = getattr(problem, "world", None)
    if isinstance(learner, CompiledPointLearner) and utility is not None:
        run = PointRun(utility, ledger, room_for_duel(menu.d), rng, world_rng)
        learner.point_kernels.play(learner.rules(), state, run)
        if ledger.played[0] < ledger.checkpoints[-1] and not ledger.halt[0]:
            problem.play(Duel(run.duel.left, run.duel.right), world_rng)  # says which utility is not finite
        return
    for mark, until in enumerate(ledger.checkpoints):
        while ledger.played[0] < until:
            if ledger.halt[0]:
                return
            duel = learner.ask(state, menu, rng)
            state = learner.tell(state, duel, problem.play(duel, world_rng))
            book_points(ledger, problem.gap(duel.left), problem.gap(duel.right))
        ledger.best[:] = learner.best(state, menu)
        close_points(ledger, mark, problem.gap(ledger.best))


def proven_bound(problem: KnownUtility, marks: IntArray, convex: bool) -> FloatArray | None:
    """Return what gradient descent's regret does not exceed, if the utility's slope is known."""
    slope, space = getattr(problem, "lipschitz", None), problem.menu()
    if slope is None or getattr(problem, "link", None) != "logistic":
        return None
    return np.array(
        [gradient_descent_upper_bound(int(mark), space.d, space.radius, slope, convex) for mark in marks]
    )
