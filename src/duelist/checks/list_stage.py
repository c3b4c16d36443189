"""The stage for learners of rankings: queries with a few documents, and users who click."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from duelist import clicks
from duelist.checks.trials import Effort, Plan, Stage, Trial
from duelist.menus import Documents
from duelist.problems import RankingProblem
from duelist.ranking import RankingData
from duelist.simulation import simulate
from duelist.simulation.storage import arrays_of

USERS = clicks.perfect(grades=3)
PLACES = 5  # lists are judged by their first places
GOOD = 0.95  # a ranker is right whose mean NDCG is this high; the best ranker has 1


def documents(features: int, seed: int, names: Sequence[int] | None = None) -> RankingData:
    """Return queries whose documents are graded by a weighted sum of their features."""
    rng = default_rng(seed)
    table = rng.random((30, 8, features))
    worth = table @ np.linspace(-1.0, 1.0, features)
    grades = np.searchsorted(np.quantile(worth, [0.6, 0.85]), worth)
    offsets = np.arange(31) * 8
    shown = table.reshape(-1, features)[:, list(range(features)) if names is None else list(names)]
    labels = np.arange(30).astype(np.str_)
    data = RankingData(shown.astype(np.float32), grades.ravel(), labels, offsets)
    return data.with_relevant()


class ListStage(Stage):
    """A stage with queries and their documents; problems are data with other features or other names."""

    def start(self, learner: Any, rng: Generator) -> Any:
        """Return a learner's first state."""
        return learner.init(self.offer(default_rng(0)), rng)

    def offer(self, world_rng: Generator) -> Documents:
        """Return the documents of a query."""
        query = int(world_rng.integers(len(self.problem)))
        return Documents(self.problem.features[self.problem.rows(query)], query)

    def answer(self, shown: Any, world_rng: Generator) -> list[int]:
        """Return the documents that are clicked: the more likely, the larger their last feature."""
        return [one for one in shown.documents if world_rng.random() < shown.menu.features[one, -1]]

    def odd_answers(self, shown: Any) -> Sequence[Any]:
        """Return clicks on nothing and on everything, in every form."""
        rows = shown.documents
        return [], list(rows), rows[:1], np.array(rows[:1]), {*rows}

    def unasked(self, menu: Documents, rng: Generator) -> list[Any]:
        """Return nothing: a list that was not asked for has no credits to give."""
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
        menu = self.offer(default_rng(0))
        return bool(np.isfinite(learner.best(state, menu).score(menu.features)).all())


def measure_lists(learners: dict[str, Any], data: RankingData, plan: Plan) -> Trial:
    """Return runs that are right where they end with a good ranker; a list costs one minus its NDCG."""
    problem = RankingProblem(data, USERS, depth=PLACES)
    result = simulate(learners, problem, plan.effort.rounds, **plan.options())[plan.name]
    cost = (1.0 - result.shown_quality) * result.checkpoints
    return Trial(result.quality[:, -1] >= GOOD, cost, arrays_of([result]))


LISTS = ListStage(
    measure=measure_lists,
    problem=documents(5, seed=0),
    other=documents(3, seed=1),
    easy=documents(4, seed=2),
    renamed=documents(4, seed=2, names=[2, 0, 3, 1]),
    full=Effort(runs=20, rounds=5_000, least=0.95),
    quick=Effort(runs=5, rounds=1_000, least=0.8),
    late_share=0.75,  # lists explore for ever, near the best ranker
)
