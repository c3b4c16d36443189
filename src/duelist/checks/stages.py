"""Where a learner is put to the test: duels of arms, of points or of actions in contexts, and lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from duelist import problems
from duelist.card import Setting, card_of
from duelist.checks.list_stage import LISTS, ListStage
from duelist.checks.trials import Effort, Plan, Stage, Trial
from duelist.duel import Choice, Duel
from duelist.menus import Actions, Arms, Box, require_inside
from duelist.problems import FiniteContexts, Separable, UtilityProblem, worst_case
from duelist.registry import LEARNERS
from duelist.replaying import replay
from duelist.simulation import simulate
from duelist.simulation.storage import arrays_of
from duelist.votes import Votes

NEAR = 0.1  # a point is right if the best point beats it with a chance of 0.6 at most


@dataclass(frozen=True, kw_only=True)
class DuelStage(Stage):
    """A stage with duels."""

    def start(self, learner: Any, rng: Generator) -> Any:
        """Return a learner's first state."""
        return learner.init(self.offer(default_rng(0)), rng)

    def offer(self, world_rng: Generator) -> Any:
        """Return what may be chosen in a round."""
        return self.problem.menu(world_rng)

    def answer(self, duel: Duel, world_rng: Generator) -> float:
        """Return an outcome."""
        assert isinstance(duel, Duel), f"ask returned {duel!r:.80}, not a Duel"
        return float(self.problem.play(duel, world_rng))

    def odd_answers(self, duel: Duel) -> Sequence[Any]:
        """Return outcomes of every type, a tie among them."""
        return 1, 0, 0.5, True, np.float64(1.0)

    def unasked(self, menu: Any, rng: Generator) -> list[Duel]:
        """Return a duel that the learner did not ask for."""
        if not isinstance(menu, Arms | Actions):
            return [Duel(*menu.sample(rng, 2))]
        duel = Duel(int(rng.integers(menu.k)), int(rng.integers(menu.k)))
        if isinstance(menu, Actions):
            duel = duel._replace(propensity=(1.0 / menu.k, 1.0 / menu.k), context=menu.context)
        return [duel]

    def admits(self, menu: Any, duel: Duel) -> bool:
        """Return whether both sides are on the menu."""
        return is_on(menu, duel.left) and is_on(menu, duel.right)

    def alike(self, one: Duel, other: Duel) -> bool:
        """Return whether two duels show the same."""
        return all(np.array_equal(side, twin) for side, twin in zip(one[:2], other[:2], strict=True))

    def mirrored(self, duel: Duel, outcome: float) -> tuple[Duel, float]:
        """Return the same answer as one tells it who saw the duel from the other side."""
        chances = duel.propensity and duel.propensity[::-1]
        swapped = duel._replace(left=duel.right, right=duel.left, propensity=chances, note=None)
        return swapped, 1.0 - outcome

    def has_best(self, learner: Any, state: Any) -> bool:
        """Return whether what the learner believes to be best is on the menu."""
        menu = self.offer(default_rng(0))
        return is_on(menu, learner.best(state, menu))


def measure_arms(learners: dict[str, Any], problem: Any, plan: Plan) -> Trial:
    """Return runs that are right where they end with the Condorcet winner."""
    # rounds that are jumped over cannot be compared with rounds that are not
    stepwise = plan.interpreted or plan.name == "compiled_equals_interpreted"
    result = simulate(learners, problem, plan.effort.rounds, **plan.options(), stepwise=stepwise)[plan.name]
    return Trial(result.measure("accuracy")[:, -1] == 1.0, result.regret, arrays_of([result]))


def measure_points(learners: dict[str, Any], problem: Any, plan: Plan) -> Trial:
    """Return runs that are right where they end near the optimum."""
    result = simulate(learners, problem, plan.effort.rounds, **plan.options())[plan.name]
    return Trial(result.gap_at[:, -1] <= NEAR, result.regret, arrays_of([result]))


def measure_contexts(learners: dict[str, Any], problem: Any, plan: Plan) -> Trial:
    """Return runs that are right where the best action is the likeliest in every context."""
    contexts, k = problem.matrices.shape[:2]
    policies = np.indices((k,) * contexts).reshape(contexts, -1).T
    options = {"against": policies, **plan.options()}
    result = simulate(learners, problem, plan.effort.rounds, **options)[plan.name]
    best = problem.matrices.sum(axis=2).argmax(axis=1)
    right = (result.learned.argmax(axis=2) == best).all(axis=1)
    return Trial(right, result.regret * result.checkpoints, arrays_of([result]))


def is_on(menu: Any, choice: Choice) -> bool:
    """Return whether a choice is on the menu; a point outside is refused with an error."""
    if isinstance(menu, Arms | Actions):
        return bool(0 <= choice < menu.k)
    return require_inside(menu, choice) is not None


def hill(*steepness: float) -> UtilityProblem:
    """Return a problem on a square, best away from its center, with a slope of its own along each side."""
    return UtilityProblem(Box((-1.0, -1.0), (3.0, 3.0)), Separable(2, square=steepness), [0.0, 0.0])


def ordered_contexts(*orders: Sequence[int]) -> FiniteContexts:
    """Return contexts in which the actions have an order, each its own."""
    return FiniteContexts([worst_case(3, 0.4).subset(order).matrix for order in orders])


ARMS = DuelStage(
    measure=measure_arms,
    problem=problems.bradley_terry([5.0, 4.0, 3.0, 2.0, 1.0]),
    other=worst_case(3),
    easy=worst_case(4, 0.3),
    renamed=worst_case(4, 0.3).subset([2, 0, 3, 1]),
)
POINTS = DuelStage(
    measure=measure_points,
    problem=problems.p1(d=3, radius=3.0),
    other=hill(1.0, 1.0),
    easy=hill(1.0, 3.0),
    renamed=hill(3.0, 1.0),
)
CONTEXTS = DuelStage(
    measure=measure_contexts,
    problem=problems.cyclic_contexts(hard=1, easy=1),
    other=ordered_contexts([0, 2, 1], [1, 2, 0]),
    easy=ordered_contexts([0, 1, 2], [2, 0, 1]),
    renamed=ordered_contexts([1, 2, 0], [0, 1, 2]),
    full=Effort(runs=20, rounds=5_000, least=0.95),
    quick=Effort(runs=5, rounds=2_000, least=0.8),
    late_share=0.5,
)
STAGES: dict[Setting, DuelStage | ListStage] = {
    "arms": ARMS,
    "points of a space": POINTS,
    "contexts": CONTEXTS,
    "rankings": LISTS,
}


def stage_for(learner: object) -> DuelStage | ListStage:
    """Return the stage that a learner plays on, by its card."""
    return STAGES[card_of(learner).setting]


def play_along(learner: Any, seed: int, rounds: int | None = None) -> tuple[list[tuple[Any, Any]], Any]:
    """Return the questions and answers of a run through the public protocol, and the state it ends in."""
    stage = stage_for(learner)
    rng, world_rng = default_rng([seed, 0]), default_rng([seed, 1])
    state = stage.start(learner, rng)
    journal = []
    for _ in range(card_of(learner).rounds if rounds is None else rounds):
        question = learner.ask(state, stage.offer(world_rng), rng)
        answer = stage.answer(question, world_rng)
        journal.append((question, answer))
        told = learner.tell(state, question, answer)
        assert type(told) is type(state), f"tell returned {told!r:.80}, not a {type(state).__name__}"
        state = told
    return journal, state


def warm(name: str, live: bool = True) -> str:
    """Play a learner of the registry, simulated and perhaps live and on votes, and return its name."""
    kind = LEARNERS[name]
    learner = kind(**kind.card.example)
    rounds = min(40, kind.card.rounds)
    stage = stage_for(learner)
    stage.play(learner, Plan(name=name, effort=Effort(runs=1, rounds=rounds, least=0.0), seed=0))
    if live:
        _, state = play_along(learner, rounds=3, seed=0)
        stage.has_best(learner, state)
        if stage is ARMS:
            replay(learner, Votes.from_counts([[0, 2], [1, 0]]), runs=1, limit=3)
    return name
