"""One learner's runs on arms."""

from typing import Any

import numpy as np

from duelist.duel import IntArray
from duelist.kernels.arms import CompiledLearner, Run, World, book, close, open_ledger
from duelist.metrics import Target
from duelist.parallel import Show
from duelist.protocols import KnownProblem, Learner, ScoredProblem
from duelist.simulation.repetitions import luck, play_all
from duelist.simulation.result import LearnerResult


def measure_arms(
    name: str,
    learner: Learner[Any],
    runs: range,
    workers: int | None,
    show: Show,
    *,
    problem: KnownProblem | ScoredProblem,
    sought: Target,
    marks: IntArray,
    seed: int,
    stepwise: bool,
) -> LearnerResult:
    """Play one learner's runs and gather what was written down."""
    known = problem.matrix if isinstance(problem, KnownProblem) else np.empty((0, 0))
    world = World(np.ascontiguousarray(known), np.ascontiguousarray(sought.gaps))
    halt = np.zeros(1, np.bool_)
    ledgers = [open_ledger(marks, len(world.gaps), halt) for _ in runs]

    def run(index: int) -> None:
        play_arms(learner, problem, Run(world, ledgers[index], *luck(seed, runs[index]), stepwise))

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


def play_arms(learner: Learner[Any], problem: KnownProblem | ScoredProblem, run: Run) -> None:
    """Play one run: compiled where learner and problem allow it, through the protocol where not."""
    menu = problem.menu(run.world_rng)
    state = learner.init(menu, run.rng)
    if isinstance(learner, CompiledLearner) and isinstance(problem, KnownProblem):
        learner.kernels.play(learner.rules(menu.k), state, run)
        return
    ledger = run.ledger
    for mark, until in enumerate(ledger.checkpoints):
        while ledger.played[0] < until:
            if ledger.halt[0]:
                return
            duel = learner.ask(state, menu, run.rng)
            state = learner.tell(state, duel, problem.play(duel, run.world_rng))
            book(run.world, ledger, duel.left, duel.right, 1)
        close(run.world, ledger, mark, learner.best(state, menu))
