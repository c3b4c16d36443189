"""Runs in contexts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.bounds import sparring_exp4p_upper_bound
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_confidence
from duelist.kernels import contexts as kernels
from duelist.kernels.contexts import ContextWorld
from duelist.kernels.loop import Ledger, Run, open_ledger
from duelist.menus import Actions
from duelist.parallel import Executor, progress_bar
from duelist.protocols import KnownContexts, Learner, PolicyTable
from duelist.simulation.arguments import LEARNER_NEEDS, Named, as_checkpoints, name_learners, require_sizes
from duelist.simulation.result import Curves, Runs
from duelist.simulation.runs import Player, Setting, measure_all
from duelist.text import counted


@dataclass(frozen=True, eq=False, repr=False)
class ContextualResult(Runs):
    """One learner's runs in contexts; margins are twice the chance beyond 1/2, as the paper counts them."""

    measures: ClassVar[tuple[str, ...]] = ("regret", "error")

    regret: FloatArray
    """A round's mean regret up to each checkpoint: the margin of the best policy, in hindsight, over the two
    actions shown, their mean."""
    error: FloatArray
    """By how much the best policy beats what is learned: nothing, where that is a von Neumann winner."""
    learned: FloatArray
    """What was learned at the end: for every run, context and action, the action's chance."""


@dataclass(frozen=True, eq=False, repr=False)
class ContextualSimulationResult(Curves[ContextualResult]):
    """The results of several learners in contexts, by name.

    Examples
    --------
    >>> from duelist.learners.contextual.sparring_exp4p import SparringEXP4P
    >>> from duelist.problems.cyclic_contexts import cyclic_contexts
    >>> policies = [[0, 0], [1, 1], [2, 2]]
    >>> learner = SparringEXP4P(policies, horizon=1000)
    >>> result = simulate_contextual(learner, cyclic_contexts(1, 1), policies, horizon=1000, runs=2)
    >>> result["SparringEXP4P"].learned.shape
    (2, 2, 3)
    """

    runs: ClassVar[type[Runs]] = ContextualResult

    policies: int
    """How many policies regret is measured against."""
    delta: float
    """The chance that the bound does not hold."""
    bound: FloatArray
    """What the regret of sparring EXP4.P, set to each checkpoint as its horizon, does not exceed."""

    @property
    def against(self) -> str:
        """What regret is measured against, in words."""
        return f"the best of {counted(self.policies, 'policy')} in hindsight"


@dataclass(frozen=True)
class ContextSetting(Setting[ContextualResult]):
    """A problem over finitely many contexts, and the policies that regret is measured against."""

    kind = ContextualResult
    problem: KnownContexts
    world: ContextWorld
    marks: IntArray
    seed: int

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run; the answer is each action's chance in each context."""
        contexts, k = self.world.preferences.shape[:2]
        return open_ledger(self.marks, halt, measures=2, answer=np.zeros((contexts, k)), plays=(contexts, k))

    def start(self, learner: Any, rng: Generator, world_rng: Generator) -> Any:
        """Return a learner's state before the first round."""
        return learner.init(Actions(self.world.preferences.shape[1], np.zeros(1)), rng)

    def run(self, player: Player) -> Run | None:
        """Return what the compiled loop needs."""
        menu = kernels.action_menu(self.world.preferences.shape[1])
        return player.run_in(self.world, menu, player.learner.buffer(player.state))

    def round(self, player: Player) -> None:
        """Play one round through ask and tell."""
        menu = self.problem.menu(player.world_rng, int(player.ledger.played[0]))
        duel = player.play_duel(self.problem, menu)
        kernels.book_actions(player.ledger, int(menu.context[0]), duel.left, duel.right)

    def close(self, player: Player, mark: int) -> None:
        """Write down each action's chance in each context, all on the best where no winner is a mixture."""
        contexts, k = player.ledger.answer.shape
        numbers = np.arange(contexts, dtype=np.float64)[:, np.newaxis]
        if hasattr(player.learner, "winner"):
            player.ledger.answer[:] = player.learner.winner(player.state).chances(numbers)
        else:
            best = [player.learner.best(player.state, Actions(k, number)) for number in numbers]
            player.ledger.answer[:] = np.eye(k)[best]
        kernels.close_actions(self.world, player.ledger, mark)

    def ends(self, ledgers: Sequence[Ledger]) -> dict[str, Any]:
        """Return what was learned."""
        return {"learned": np.stack([ledger.answer for ledger in ledgers])}


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
    delta : float, default 0.05
        The chance that the proven bound, which is reported beside, does not hold.
    horizon, runs, seed, checkpoints, workers, executor, progress
        As in `simulate`.

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
    require_sizes("horizon", horizon, runs, seed, workers)
    require_confidence(delta, "delta", usual=0.05)
    if not isinstance(problem, KnownContexts):
        raise ParameterError(
            f"problem must have finitely many contexts and known preferences, as FiniteContexts does; got "
            f"{type(problem).__name__}."
        )
    table = problem.as_policies(policies.actions if isinstance(policies, PolicyTable) else policies)
    world = ContextWorld(problem.matrices, problem.chances, problem.cumulated, problem.order, table)
    named = name_learners(learners, Learner, LEARNER_NEEDS)
    contexts, k = world.preferences.shape[:2]
    for name, learner in named.items():
        known = getattr(learner, "contexts", contexts)
        if known != contexts:
            raise ParameterError(f"{name} knows {known} contexts, but the problem has {contexts}.")
    setting = ContextSetting(problem, world, as_checkpoints(checkpoints, int(horizon)), int(seed))
    with progress_bar(progress) as show:
        results = measure_all(setting, named, runs, workers, executor, show)
    bound = [sparring_exp4p_upper_bound(int(mark), k, len(table), delta) for mark in setting.marks]
    return ContextualSimulationResult(results, int(seed), len(table), float(delta), np.array(bound))
