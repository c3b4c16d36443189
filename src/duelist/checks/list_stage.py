"""The stage for learners of rankings: queries with a few documents, and users who click."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.random import Generator, default_rng

from duelist import clicks
from duelist.checks.trials import Effort, Plan, Trial, has_kernels, luck, trial
from duelist.duel import FloatArray, IntArray
from duelist.parallel import progress_bar
from duelist.ranking import RankingData, ndcg
from duelist.simulation import train_online

USERS = clicks.perfect(grades=3)
PLACES = 5
"""Lists are judged by their first places."""
GOOD = 0.95
"""A ranker is right whose mean NDCG is this high; the best ranker has 1."""


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


@dataclass(frozen=True)
class ListStage:
    """Data for checks of conduct, two with other features, and of learning, the same by two names."""

    data: RankingData
    other: RankingData
    easy: RankingData
    renamed: RankingData
    full: Effort
    quick: Effort
    late_share: float = 0.75
    """What a late list may cost of an early one: lists explore for ever, near the best ranker."""

    def elsewhere(self) -> Self:
        """Return the stage with the other data in the place of the first."""
        return replace(self, data=self.other)

    def start(self, learner: Any, rng: Generator) -> Any:
        """Return a learner's first state."""
        return learner.init(self.data.d, rng)

    def offer(self, world_rng: Generator) -> FloatArray:
        """Return the features of a query's documents."""
        rows = self.data.rows(int(world_rng.integers(len(self.data))))
        return np.asarray(self.data.features[rows])

    def answer(self, shown: Any, world_rng: Generator) -> list[int]:
        """Return the documents that are clicked: the more likely, the larger their last feature."""
        return [one for one in shown.documents if world_rng.random() < shown.features[one, -1]]

    def odd_answers(self, shown: Any) -> Sequence[Any]:
        """Return clicks on nothing and on everything, in every form."""
        rows = shown.documents
        return [], list(rows), rows[:1], np.array(rows[:1]), {*rows}

    def unasked(self, features: FloatArray, rng: Generator) -> list[Any]:
        """Return nothing: a list that was not asked for has no credits to give."""
        return []

    def admits(self, features: FloatArray, shown: Any) -> bool:
        """Return whether a list shows documents of the query, each once."""
        rows = list(shown.documents)
        return len(rows) > 0 and len(set(rows)) == len(rows) and set(rows) <= set(range(len(features)))

    def alike(self, one: Any, other: Any) -> bool:
        """Return whether two lists show the same."""
        return tuple(one.documents) == tuple(other.documents)

    def has_best(self, learner: Any, state: Any) -> bool:
        """Return whether the ranker learned so far gives finite scores."""
        return bool(np.isfinite(learner.best(state).score(self.offer(default_rng(0)))).all())

    def play(self, learner: Any, plan: Plan) -> Trial:
        """Return what comes of a learner's runs: compiled where it can be, else through ask and tell."""
        data = self.renamed if plan.renamed else self.easy
        rounds = plan.effort.rounds
        if has_kernels(learner) and not plan.interpreted:
            learners = {plan.name: learner}
            result = train_online(learners, data, USERS, rounds, depth=PLACES, **plan.options())
            found = result[plan.name]
            lost = (1.0 - found.shown_quality) * found.checkpoints
            return trial(found.quality[:, -1] >= GOOD, lost, found)
        marks = np.unique([*(plan.checkpoints or ()), rounds])
        costs, right, weights = [], [], []
        with progress_bar(plan.effort.progress) as show:
            for run in range(plan.effort.runs):
                spent, ranker = self.run(learner, data, rounds, *luck(plan.seed, run))
                costs.append(np.cumsum(spent)[marks - 1])
                right.append(np.mean(ndcg(ranker.score(data), data, PLACES)) >= GOOD)
                weights.append(getattr(ranker, "weights", 0.0))
                show(plan.name, (run + 1) / plan.effort.runs)
        return Trial(np.array(right), np.array(costs), {"weights": np.array(weights)})

    def run(
        self, learner: Any, data: RankingData, rounds: int, rng: Generator, world_rng: Generator
    ) -> tuple[FloatArray, Any]:
        """Return what each list cost, one minus its NDCG, and the ranker learned."""
        state = learner.init(data.d, rng)
        spent = np.zeros(rounds)
        for played in range(rounds):
            rows = data.rows(int(world_rng.random() * len(data)))
            grades = data.labels[rows]
            shown = learner.ask(state, data.features[rows], rng)
            flags = USERS.click(grades[list(shown.documents)], world_rng)
            clicked = [one for one, flag in zip(shown.documents, flags, strict=True) if flag]
            state = learner.tell(state, shown, clicked)
            spent[played] = 1.0 - list_quality(grades, shown.documents)
        return spent, learner.best(state)


def list_quality(grades: IntArray, shown: Sequence[int]) -> float:
    """Return the NDCG of a list."""
    discounts = 1.0 / np.log2(np.arange(2, PLACES + 2))
    gains = 2.0 ** np.asarray(grades) - 1.0
    best, got = np.sort(gains)[::-1][:PLACES], gains[list(shown)][:PLACES]
    return float(got @ discounts[: len(got)] / (best @ discounts[: len(best)]))


LISTS = ListStage(
    data=documents(5, seed=0),
    other=documents(3, seed=1),
    easy=documents(4, seed=2),
    renamed=documents(4, seed=2, names=[2, 0, 3, 1]),
    full=Effort(runs=20, rounds=5_000, least=0.95),
    quick=Effort(runs=5, rounds=1_000, least=0.8),
)
