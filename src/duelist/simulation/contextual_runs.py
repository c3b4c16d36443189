"""Learning in contexts: any learner of contextual duels, many runs, the same luck for all."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.bounds.sparring import sparring_exp4p_upper_bound
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, require_confidence, require_whole
from duelist.kernels.contexts import (
    CompiledContextLearner,
    ContextLedger,
    ContextRun,
    ContextWorld,
    KnownContexts,
    PolicyTable,
    book_actions,
    close_contexts,
    open_context_ledger,
    room_for_actions,
)
from duelist.menus import Actions
from duelist.parallel import Executor, Show, progress_bar
from duelist.protocols import Learner
from duelist.simulation.checkpoints import as_checkpoints
from duelist.simulation.contextual_result import ContextualResult, ContextualSimulationResult
from duelist.simulation.measuring import measure_all
from duelist.simulation.naming import LEARNER_NEEDS, Named, name_learners
from duelist.simulation.repetitions import luck, play_all


def simulate_contextual(
    learners: Named[Learner[Any]],
    problem: KnownContexts,
    policies: PolicyTable | ArrayLike,
    horizon: int,
    runs: int = 20,
    seed: int = 0,
    *,
    delta: float = 0.05,
    checkpoints: Sequence[int] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> ContextualSimulationResult:
    """Play learners in contexts and measure their regret against a class of policies.

    Parameters
    ----------
    learners : learner, sequence of learners, or mapping of names to learners
        Such as `SparringEXP4P(policies, horizon)`.
    problem : KnownContexts
        A problem whose true preferences are known, such as `FiniteContexts`.
    policies : FinitePolicies or array of shape (policies, contexts)
        Whom regret is measured against: each policy's action in each context, by number.
    horizon : int
        Rounds to play.
    runs : int, default 20
        Independent repetitions. Run r of every learner meets the same luck.
    seed : int, default 0
        Equal seeds give equal results, whatever the number of workers.
    delta : float, default 0.05
        The chance that the proven bound, which is reported beside, does not hold.
    checkpoints : sequence of int, optional
        Rounds at which to measure; ten in every factor of ten unless told otherwise.
    workers : int, optional
        Threads; as many as there are cores unless told otherwise.
    executor : Executor, optional
        Workers elsewhere, such as `parallel.RayExecutor()`; by default the threads of this process.
        Results are the same, bit by bit.
    progress : bool, optional
        Whether to show a progress bar; by default when standard error is a terminal.

    Returns
    -------
    ContextualSimulationResult
        One `ContextualResult` for every learner's name.

    Examples
    --------
    >>> from duelist.learners.contextual.sparring_exp4p import SparringEXP4P
    >>> from duelist.problems.cyclic_contexts import cyclic_contexts
    >>> policies = np.indices((3, 3, 3)).reshape(3, -1).T
    >>> problem = cyclic_contexts(hard=1, easy=2)
    >>> result = simulate_contextual(SparringEXP4P(policies, 10_000), problem, policies, 10_000, runs=2)
    >>> bool((result["SparringEXP4P"].regret[:, -1] < result.bound[-1]).all())
    True
    """
    require_whole("horizon", horizon, 1)
    require_whole("runs", runs, 1)
    require_whole("seed", seed, 0)
    require_whole("workers", 1 if workers is None else workers, 1)
    require_confidence(delta, "delta", usual=0.05)
    if not isinstance(problem, KnownContexts):
        raise ParameterError(
            f"problem must have finitely many contexts and known preferences, as FiniteContexts does; got "
            f"{type(problem).__name__}."
        )
    world = world_of(problem, policies)
    named = name_learners(learners, Learner, LEARNER_NEEDS)
    marks = as_checkpoints(checkpoints, int(horizon))
    k, many = world.preferences.shape[1], len(world.policies)
    measure = partial(measure_contexts, problem=problem, world=world, marks=marks, seed=seed)
    with progress_bar(progress) as show:
        results = measure_all(measure, named, runs, workers, executor, show)
    bound = np.array([sparring_exp4p_upper_bound(int(mark), k, many, delta) for mark in marks])
    return ContextualSimulationResult(results, int(seed), many, float(delta), bound)


def world_of(problem: KnownContexts, policies: PolicyTable | ArrayLike) -> ContextWorld:
    """Return what the world knows, and whom regret is measured against, as kernels see it."""
    table = problem.as_policies(policies.actions if isinstance(policies, PolicyTable) else policies)
    return ContextWorld(problem.matrices, problem.chances, problem.cumulated, problem.order, table)


def measure_contexts(
    name: str,
    learner: Learner[Any],
    runs: range,
    workers: int | None,
    show: Show,
    *,
    problem: KnownContexts,
    world: ContextWorld,
    marks: IntArray,
    seed: int,
) -> ContextualResult:
    """Play one learner's runs and gather what was written down."""
    contexts, k = world.preferences.shape[:2]
    if isinstance(learner, CompiledContextLearner) and learner.contexts != contexts:
        raise ParameterError(f"{name} knows {learner.contexts} contexts, but the problem has {contexts}.")
    halt = np.zeros(1, np.bool_)
    ledgers = [open_context_ledger(marks, contexts, k, halt) for _ in runs]

    def run(index: int) -> None:
        play_contexts(learner, problem, world, ledgers[index], *luck(seed, runs[index]))

    play_all(name, run, ledgers, halt, workers, show)
    return ContextualResult(
        description=repr(learner),
        checkpoints=marks,
        regret=np.stack([ledger.regret for ledger in ledgers]),
        error=np.stack([ledger.error for ledger in ledgers]),
        learned=np.stack([ledger.learned for ledger in ledgers]),
    )


def play_contexts(
    learner: Learner[Any],
    problem: KnownContexts,
    world: ContextWorld,
    ledger: ContextLedger,
    rng: Generator,
    world_rng: Generator,
) -> None:
    """Play one run: compiled where the learner is, through the protocol where not."""
    k = world.preferences.shape[1]
    state = learner.init(Actions(k, np.zeros(1)), rng)
    if isinstance(learner, CompiledContextLearner):
        run = ContextRun(world, ledger, room_for_actions(k), rng, world_rng)
        learner.context_kernels.play(learner.rules(), state, run)
        return
    for mark, until in enumerate(ledger.checkpoints):
        while ledger.played[0] < until:
            if ledger.halt[0]:
                return
            menu = problem.menu(world_rng, int(ledger.played[0]))
            duel = learner.ask(state, menu, rng)
            state = learner.tell(state, duel, problem.play(duel, world_rng))
            book_actions(ledger, int(menu.context[0]), duel.left, duel.right)
        ledger.learned[:] = chances_learned(learner, state, k, len(ledger.learned))
        close_contexts(world, ledger, mark)


def chances_learned(learner: Learner[Any], state: Any, k: int, contexts: int) -> FloatArray:
    """Return each action's chance in each context: by the winner, or all on the best where there is none."""
    numbers = np.arange(contexts, dtype=np.float64)[:, np.newaxis]
    winner = getattr(learner, "winner", None)
    if winner is not None:
        return np.asarray(winner(state).chances(numbers))
    best = [learner.best(state, Actions(k, number)) for number in numbers]
    return np.asarray(np.eye(k)[best])
