"""Not in the paper: which ranker for which query, learned from logged duels and judged on other queries.

The paper plays no contextual algorithm; here two of its own, and a logistic regression, meet real queries.
The actions are single features, duels are interleaved lists and simulated clicks on them, and what is learned
meets the ranker that is best for the training queries on the whole.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from itertools import product

import numpy as np
from numpy.random import Generator, default_rng

from duelist.duel import FloatArray, IntArray
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, Scale
from duelist.learners.contextual import (
    LogisticDuels,
    PolicyMixture,
    RegressionOracle,
    SparringFPL,
    SparringPGD,
)
from duelist.logs import DuelLog
from duelist.problems import QueryContexts, RankerDuel, clicks
from duelist.problems.query_contexts import summary_of
from duelist.ranking import RankingData
from duelist.ranking.metrics import ndcg
from duelist.winners import borda_scores
from duelist_reproductions.documents import Documents, load_documents

RANKERS = 10
"""Single features: those of the highest NDCG@10 on the training queries."""
DEPTH = 3
"""Of decision trees; one that never asks is always the same ranker."""
USERS = {
    "perfect": clicks.perfect,
    "navigational": clicks.navigational,
    "informational": clicks.informational,
}
SEED = 0


@dataclass(frozen=True)
class Amount:
    """How much is played."""

    users: tuple[str, ...]
    duels: int
    """In the log."""
    calls: int
    """Of the oracle."""
    meetings: int
    """Of what is learned with the best fixed ranker, on each query."""


AMOUNTS = {
    Scale.QUICK: Amount(("perfect",), duels=3000, calls=20, meetings=100),
    Scale.PAPER: Amount(tuple(USERS), duels=30_000, calls=200, meetings=2000),
}


def plan(results: ItemResults) -> list[Piece]:
    """Return a piece for every kind of users and learner."""
    amount = AMOUNTS[results.scale]
    much = {"duels": amount.duels, "calls": amount.calls, "meetings": amount.meetings}
    return [
        Piece(f"{user}-{learner}", learn, {"user": user, "learner": learner, **much})
        for user, learner in product(amount.users, LEARNERS)
    ]


def learn(sources: Sources, *, user: str, learner: str, duels: int, calls: int, meetings: int) -> Arrays:
    """Return how often what is learned beats the best fixed ranker, and its NDCG, on both parts.

    Rows are the training and the test queries: the rate of wins, a tie being half a win; half of its 95%
    interval over queries, which are what varies; NDCG@10 of what is learned and of the fixed ranker; and the
    rate of a ranker that is drawn anew for every list.
    """
    stages = problems(load_documents(sources), user)
    training = stages[0]
    fixed = int(
        np.argmax(borda_scores(training.rankers.estimate(seed=SEED, workers=1, progress=False).matrix))
    )
    mixture = LEARNERS[learner](training.log(duels, default_rng(SEED)), calls)
    rows = []
    for problem in stages:
        rng = default_rng(SEED)
        queries = np.repeat(np.arange(len(problem.table)), meetings)
        rates = meet(problem, queries, mixture.draw(problem.table[queries], rng), fixed, rng)
        drawn = meet(problem, queries, rng.integers(problem.k, size=len(queries)), fixed, rng)
        quality = qualities(problem)
        rows.append(
            [
                rates.mean(),
                1.96 * rates.std(ddof=1) / np.sqrt(len(rates)),
                (mixture.chances(problem.table) * quality).sum(axis=1).mean(),
                quality[:, fixed].mean(),
                drawn.mean(),
            ]
        )
    names = ("rate", "interval", "quality", "fixed_quality", "drawn_rate")
    return dict(zip(names, np.array(rows).T, strict=True))


def meet(
    problem: QueryContexts, queries: IntArray, actions: IntArray, fixed: int, rng: Generator
) -> FloatArray:
    """Return each query's share of wins over the fixed ranker."""
    outcomes = problem.meet(queries, actions, np.full(len(queries), fixed), rng)
    return np.asarray(outcomes.reshape(len(problem.table), -1).mean(axis=1))


def problems(documents: Documents, user: str) -> tuple[QueryContexts, QueryContexts]:
    """Return the problems to learn on and to be judged on; contexts are scaled by the training queries."""
    features = best_features(documents.training)
    parts = (documents.training, documents.test)
    contexts = [known_of(data, features) for data in parts]
    middle, spread = contexts[0].mean(axis=0), contexts[0].std(axis=0)
    grades = max(data.grades for data in parts)
    training, test = (
        QueryContexts(RankerDuel(data, features, clicks=USERS[user](grades)), (known - middle) / spread)
        for data, known in zip(parts, contexts, strict=True)
    )
    return training, test


def best_features(training: RankingData) -> list[int]:
    """Return the features that rank the training queries best."""
    quality = [float(ndcg(training.features[:, j].astype(float), training).mean()) for j in range(training.d)]
    return [int(feature) for feature in np.argsort(quality)[::-1][:RANKERS]]


def known_of(data: RankingData, features: list[int]) -> FloatArray:
    """Return contexts: the mean and deviation of these features in a query, and how many documents it has."""
    chosen = np.array(features)
    size = np.log(np.diff(data.offsets))[:, np.newaxis]
    return np.hstack([summary_of(data)[:, np.append(chosen, chosen + data.d)], size])


def qualities(problem: QueryContexts) -> FloatArray:
    """Return the NDCG@10 of every ranker's list, a row for each query."""
    data = problem.rankers.data
    scores = (data.features[:, int(ranker)].astype(float) for ranker in problem.rankers.rankers)
    return np.array([ndcg(score, data) for score in scores]).T


def sparring(kind: type[SparringFPL] | type[SparringPGD]) -> Callable[[DuelLog, int], PolicyMixture]:
    """Return a learner of mixtures of decision trees."""

    def fit(log: DuelLog, calls: int) -> PolicyMixture:
        oracle = RegressionOracle(import_module("sklearn.tree").DecisionTreeRegressor(max_depth=DEPTH))
        return kind(oracle, calls=calls).fit(log, SEED, progress=False)

    return fit


LEARNERS: dict[str, Callable[[DuelLog, int], PolicyMixture]] = {
    "SparringFPL": sparring(SparringFPL),
    "SparringPGD": sparring(SparringPGD),
    "LogisticDuels": lambda log, calls: LogisticDuels().fit(log),
}
