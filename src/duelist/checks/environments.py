"""Test beds for learners: duels of arms, of points and of actions in contexts, and lists."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from duelist import clicks, problems
from duelist.card import Setting, card_of
from duelist.duel import BoolArray, Choice, Duel, FloatArray
from duelist.menus import Actions, Arms, Box, Documents, require_inside
from duelist.problems import FiniteContexts, RankingProblem, Separable, UtilityProblem, worst_case
from duelist.ranking import RankingData
from duelist.registry import LEARNERS
from duelist.replaying import replay
from duelist.simulation import simulate
from duelist.simulation.storage import arrays_of
from duelist.votes import Votes


class Effort(NamedTuple):
    """The number and length of runs in checks of learning."""

    runs: int
    rounds: int
    least: float  # the share of runs that must end with the winner
    progress: bool | None = False  # whether to show a progress bar; None shows it on terminals only


FULL = Effort(runs=100, rounds=50_000, least=0.95)
QUICK = Effort(runs=5, rounds=5_000, least=0.8)


@dataclass(frozen=True, kw_only=True)
class TrialPlan:
    """A plan of runs to play."""

    name: str  # name of the check, for the progress bar
    effort: Effort
    seed: int
    checkpoints: Sequence[int] | None = None
    renamed: bool = False  # whether arms, coordinates or features are renamed
    interpreted: bool = False  # whether every round goes through ask and tell

    def options(self) -> dict[str, Any]:
        """Return the arguments shared by all simulations."""
        runs, progress = self.effort.runs, self.effort.progress
        return {"runs": runs, "seed": self.seed, "progress": progress, "checkpoints": self.checkpoints}


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Problems with different menus for checks of conduct, and an easy one, also renamed, for learning."""

    measure: Callable[[dict[str, Any], Any, TrialPlan], "Trial"]
    """Simulate a single learner on a problem."""
    problem: Any
    other: Any
    easy: Any
    renamed: Any
    full: Effort = FULL
    quick: Effort = QUICK
    late_share: float = 0.25  # maximum cost of a late round, as a share of an early one

    def play(self, learner: Any, plan: TrialPlan) -> "Trial":
        played = interpreted(learner) if plan.interpreted else learner
        return self.measure({plan.name: played}, self.renamed if plan.renamed else self.easy, plan)


class Trial(NamedTuple):
    """The outcome of a learner's runs."""

    right: BoolArray  # for each run: whether it ended with the winner
    costs: FloatArray  # for each run and checkpoint: the cost so far of not showing the winner
    arrays: dict[str, Any]  # all measurements, by name


def checks_in(module: Mapping[str, Any]) -> Iterator[tuple[str, Callable[..., None]]]:
    """Yield the name and the function of every check in a module's namespace."""
    for name, function in list(module.items()):
        if name.startswith("check_"):
            yield name.removeprefix("check_"), function


def interpreted(learner: Any) -> Any:
    """Return a learner without kernels, which forces the engine to call ask and tell."""
    parts = ("init", "ask", "tell", "best", "winner", "length")
    return SimpleNamespace(**{name: getattr(learner, name) for name in parts if hasattr(learner, name)})


USERS = clicks.perfect(grades=3)
PLACES = 5  # lists are judged by their first five documents
GOOD = 0.95  # mean NDCG from which a ranker counts as right; the best ranker has 1


def documents(features: int, seed: int, names: Sequence[int] | None = None) -> RankingData:
    """Return queries with documents graded by a weighted sum of their features."""
    rng = default_rng(seed)
    table = rng.random((30, 8, features))
    worth = table @ np.linspace(-1.0, 1.0, features)
    grades = np.searchsorted(np.quantile(worth, [0.6, 0.85]), worth)
    offsets = np.arange(31) * 8
    reordered = table.reshape(-1, features)[:, list(range(features)) if names is None else list(names)]
    labels = np.arange(30).astype(np.str_)
    data = RankingData(reordered.astype(np.float32), grades.ravel(), labels, offsets)
    return data.with_relevant()


class ListEnvironment(Environment):
    """A test bed of queries with documents; problems differ in features or their names."""

    def start(self, learner: Any, rng: Generator) -> Any:
        return learner.init(self.menu(default_rng(0)), rng)

    def menu(self, world_rng: Generator) -> Documents:
        query = int(world_rng.integers(len(self.problem)))
        return Documents(self.problem.features[self.problem.rows(query)], query)

    def answer(self, shown: Any, world_rng: Generator) -> list[int]:
        """Return clicked documents; a larger last feature makes a click more likely."""
        return [one for one in shown.documents if world_rng.random() < shown.menu.features[one, -1]]

    def odd_answers(self, shown: Any) -> Sequence[Any]:
        """Return clicks on nothing and on everything, in every accepted type."""
        rows = shown.documents
        return [], list(rows), rows[:1], np.array(rows[:1]), {*rows}

    def unasked(self, menu: Documents, rng: Generator) -> list[Any]:
        """Return nothing: a list that was not asked for cannot be credited."""
        return []

    def admits(self, menu: Documents, shown: Any) -> bool:
        """Return whether a list shows documents of the query, each once."""
        rows = list(shown.documents)
        return len(rows) > 0 and len(set(rows)) == len(rows) and set(rows) <= set(range(len(menu)))

    def alike(self, one: Any, other: Any) -> bool:
        """Return whether two lists show the same."""
        return tuple(one.documents) == tuple(other.documents)

    def has_best(self, learner: Any, state: Any) -> bool:
        """Return whether the ranker learned so far gives finite scores."""
        menu = self.menu(default_rng(0))
        return bool(np.isfinite(learner.best(state, menu).score(menu.features)).all())


def measure_lists(learners: dict[str, Any], data: RankingData, plan: TrialPlan) -> Trial:
    """Simulate rankers: a run is right if its final ranker is good; a list costs one minus its NDCG."""
    problem = RankingProblem(data, USERS, depth=PLACES)
    result = simulate(learners, problem, plan.effort.rounds, **plan.options())[plan.name]
    cost = (1.0 - result.shown_quality) * result.checkpoints
    return Trial(result.quality[:, -1] >= GOOD, cost, arrays_of([result]))


LISTS = ListEnvironment(
    measure=measure_lists,
    problem=documents(5, seed=0),
    other=documents(3, seed=1),
    easy=documents(4, seed=2),
    renamed=documents(4, seed=2, names=[2, 0, 3, 1]),
    full=Effort(runs=20, rounds=5_000, least=0.95),
    quick=Effort(runs=5, rounds=1_000, least=0.8),
    late_share=0.75,  # rankers keep exploring near the best one
)


NEAR = 0.1  # a point is right if the best point beats it with a chance of at most 0.6


@dataclass(frozen=True, kw_only=True)
class DuelEnvironment(Environment):
    """A test bed of duels."""

    def start(self, learner: Any, rng: Generator) -> Any:
        return learner.init(self.menu(default_rng(0)), rng)

    def menu(self, world_rng: Generator) -> Any:
        return self.problem.menu(world_rng)

    def answer(self, duel: Duel, world_rng: Generator) -> float:
        assert isinstance(duel, Duel), f"ask returned {duel!r:.80}, not a Duel"
        return float(self.problem.play(duel, world_rng))

    def odd_answers(self, duel: Duel) -> Sequence[Any]:
        """Return outcomes of every accepted type, including a tie."""
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
        return is_on(menu, duel.left) and is_on(menu, duel.right)

    def alike(self, one: Duel, other: Duel) -> bool:
        """Return whether two duels show the same."""
        return all(np.array_equal(side, twin) for side, twin in zip(one[:2], other[:2], strict=True))

    def mirrored(self, duel: Duel, outcome: float) -> tuple[Duel, float]:
        """Return the duel with its sides swapped, and its outcome."""
        chances = duel.propensity and duel.propensity[::-1]
        swapped = duel._replace(left=duel.right, right=duel.left, propensity=chances, note=None)
        return swapped, 1.0 - outcome

    def has_best(self, learner: Any, state: Any) -> bool:
        """Return whether the learner's best choice is on the menu."""
        menu = self.menu(default_rng(0))
        return is_on(menu, learner.best(state, menu))


def measure_arms(learners: dict[str, Any], problem: Any, plan: TrialPlan) -> Trial:
    """Simulate duels of arms: a run is right if it ends with the Condorcet winner."""
    # skipped rounds cannot be compared with rounds played one by one
    stepwise = plan.interpreted or plan.name == "compiled_equals_interpreted"
    result = simulate(learners, problem, plan.effort.rounds, **plan.options(), stepwise=stepwise)[plan.name]
    return Trial(result.measure("accuracy")[:, -1] == 1.0, result.regret, arrays_of([result]))


def measure_points(learners: dict[str, Any], problem: Any, plan: TrialPlan) -> Trial:
    """Simulate duels of points: a run is right if it ends near the optimum."""
    result = simulate(learners, problem, plan.effort.rounds, **plan.options())[plan.name]
    return Trial(result.gap_at[:, -1] <= NEAR, result.regret, arrays_of([result]))


def measure_contexts(learners: dict[str, Any], problem: Any, plan: TrialPlan) -> Trial:
    """Simulate contexts: a run is right if the best action is the likeliest in every context."""
    contexts, k = problem.matrices.shape[:2]
    policies = np.indices((k,) * contexts).reshape(contexts, -1).T
    options = {"against": policies, **plan.options()}
    result = simulate(learners, problem, plan.effort.rounds, **options)[plan.name]
    best = problem.matrices.sum(axis=2).argmax(axis=1)
    right = (result.learned.argmax(axis=2) == best).all(axis=1)
    return Trial(right, result.regret * result.checkpoints, arrays_of([result]))


def is_on(menu: Any, choice: Choice) -> bool:
    """Return whether a choice is on the menu. Raise an error for a point outside the space."""
    if isinstance(menu, Arms | Actions):
        return bool(0 <= choice < menu.k)
    return require_inside(menu, choice) is not None


def hill(*steepness: float) -> UtilityProblem:
    """Return a problem on a square with an off-centre optimum and a separate steepness per side."""
    return UtilityProblem(Box((-1.0, -1.0), (3.0, 3.0)), Separable(2, square=steepness), [0.0, 0.0])


def ordered_contexts(*orders: Sequence[int]) -> FiniteContexts:
    """Return contexts, each with its own order of the actions."""
    return FiniteContexts([worst_case(3, 0.4).subset(order).matrix for order in orders])


ARMS = DuelEnvironment(
    measure=measure_arms,
    problem=problems.bradley_terry([5.0, 4.0, 3.0, 2.0, 1.0]),
    other=worst_case(3),
    easy=worst_case(4, 0.3),
    renamed=worst_case(4, 0.3).subset([2, 0, 3, 1]),
)
POINTS = DuelEnvironment(
    measure=measure_points,
    problem=problems.p1(d=3, radius=3.0),
    other=hill(1.0, 1.0),
    easy=hill(1.0, 3.0),
    renamed=hill(3.0, 1.0),
)
CONTEXTS = DuelEnvironment(
    measure=measure_contexts,
    problem=problems.cyclic_contexts(hard=1, easy=1),
    other=ordered_contexts([0, 2, 1], [1, 2, 0]),
    easy=ordered_contexts([0, 1, 2], [2, 0, 1]),
    renamed=ordered_contexts([1, 2, 0], [0, 1, 2]),
    full=Effort(runs=20, rounds=5_000, least=0.95),
    quick=Effort(runs=5, rounds=2_000, least=0.8),
    late_share=0.5,
)
ENVIRONMENTS: dict[Setting, DuelEnvironment | ListEnvironment] = {
    "arms": ARMS,
    "points of a space": POINTS,
    "contexts": CONTEXTS,
    "rankings": LISTS,
}


def environment_for(learner: object) -> DuelEnvironment | ListEnvironment:
    """Return the test bed for the setting on a learner's card."""
    return ENVIRONMENTS[card_of(learner).setting]


def play_along(learner: Any, seed: int, rounds: int | None = None) -> tuple[list[tuple[Any, Any]], Any]:
    """Play a run through the public protocol; return its questions and answers, and the final state."""
    environment = environment_for(learner)
    rng, world_rng = default_rng([seed, 0]), default_rng([seed, 1])
    state = environment.start(learner, rng)
    journal = []
    for _ in range(card_of(learner).rounds if rounds is None else rounds):
        question = learner.ask(state, environment.menu(world_rng), rng)
        answer = environment.answer(question, world_rng)
        journal.append((question, answer))
        after = learner.tell(state, question, answer)
        assert type(after) is type(state), f"tell returned {after!r:.80}, not a {type(state).__name__}"
        state = after
    return journal, state


def warm(name: str, live: bool = True) -> str:
    """Compile a registered learner's kernels by short runs: simulated and, if `live`, live and on votes."""
    kind = LEARNERS[name]
    learner = kind(**kind.card.example)
    rounds = min(40, kind.card.rounds)
    environment = environment_for(learner)
    environment.play(learner, TrialPlan(name=name, effort=Effort(runs=1, rounds=rounds, least=0.0), seed=0))
    if live:
        _, state = play_along(learner, rounds=3, seed=0)
        environment.has_best(learner, state)
        if environment is ARMS:
            replay(learner, Votes.from_counts([[0, 2], [1, 0]]), runs=1, limit=3)
    return name
