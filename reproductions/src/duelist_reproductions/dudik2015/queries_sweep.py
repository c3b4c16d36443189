"""Not in the paper: which ranker for which query, learned from logged duels and judged on other queries.

The paper runs no contextual algorithm; here two of its algorithms, and a logistic regression, run on real
queries. The actions are single features, duels are interleaved lists with simulated clicks, and the learned
policy is compared with the best fixed ranker of the training queries.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from duelist.clicks import CLICK_MODELS
from duelist.duel import FloatArray, IntArray
from duelist.estimators import RegressionOracle, SparringFPL, SparringPGD
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, grid, settings
from duelist.learners.contextual import LogisticDuels
from duelist.logs import DuelLog
from duelist.policies import PolicyMixture
from duelist.problems import QueryContexts, RankerDuel
from duelist.problems.query_contexts import summary_of
from duelist.ranking import RankingData
from duelist.ranking.metrics import ndcg
from duelist.winners import borda_scores
from duelist_reproductions.documents import Documents, load_documents

RANKERS = 10
"""Number of single features: those with the highest NDCG@10 on the training queries."""
DEPTH = 3
"""Depth of decision trees; one of depth 0 is a fixed ranker."""
USERS = ("perfect", "navigational", "informational")
SPARRING = {one.__name__: one for one in (SparringFPL, SparringPGD)}
SEED = 0
SETTINGS = settings(
    users=(("perfect",), USERS),
    duels=(3000, 30_000),
    calls=(20, 200),
    # comparisons of the learned policy with the best fixed ranker, per query
    meetings=(100, 2000),
)


def plan(results: ItemResults) -> list[Piece]:
    """Return one piece per click model and learner."""
    fixed = dict(vars(SETTINGS[results.scale]))
    return grid(learn, {"user": fixed.pop("users"), "learner": [*SPARRING, "LogisticDuels"]}, fixed)


def learn(sources: Sources, *, user: str, learner: str, duels: int, calls: int, meetings: int) -> Arrays:
    """Compare a learned policy with the best fixed ranker on both parts.

    Rows are the training and the test queries. Columns are the rate of wins, with ties as half wins; half of
    its 95% interval over queries; NDCG@10 of the policy and of the fixed ranker; and the rate of a ranker
    drawn separately for every list.
    """
    training, _ = stages = problems(load_documents(sources), user)
    estimated = training.rankers.estimate(seed=SEED, workers=1, progress=False).matrix
    fixed = int(np.argmax(borda_scores(estimated)))
    mixture = fit(learner, training.log(duels, default_rng(SEED)), calls)
    rows = []
    for problem in stages:
        rng = default_rng(SEED)
        queries = np.repeat(np.arange(len(problem.table)), meetings)
        rates = meet(problem, queries, mixture.draw(problem.table[queries], rng), fixed, rng)
        drawn = meet(problem, queries, rng.integers(problem.k, size=len(queries)), fixed, rng)
        quality = qualities(problem.rankers.data, problem.rankers.rankers)
        row = {"rate": rates.mean(), "interval": 1.96 * rates.std(ddof=1) / np.sqrt(len(rates))}
        row["quality"] = (mixture.chances(problem.table) * quality).sum(axis=1).mean()
        rows.append({**row, "fixed_quality": quality[:, fixed].mean(), "drawn_rate": drawn.mean()})
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def meet(
    problem: QueryContexts, queries: IntArray, actions: IntArray, fixed: int, rng: Generator
) -> FloatArray:
    outcomes = problem.meet(queries, actions, np.full(len(queries), fixed), rng)
    return np.asarray(outcomes.reshape(len(problem.table), -1).mean(axis=1))


def problems(documents: Documents, user: str) -> tuple[QueryContexts, QueryContexts]:
    """Return the problems for training and test queries, with contexts scaled by the training queries.

    A context is the mean and deviation of the rankers' features in a query, and its number of documents.
    """
    parts = (documents.training, documents.test)
    features = best_features(documents.training)
    clicks = CLICK_MODELS[user](max(data.grades for data in parts))
    contexts = []
    for data in parts:
        known = summary_of(data)[:, [*features, *(data.d + feature for feature in features)]]
        contexts.append(np.column_stack([known, np.log(np.diff(data.offsets))]))
    middle, spread = contexts[0].mean(axis=0), contexts[0].std(axis=0)
    training, test = (
        QueryContexts(RankerDuel(data, features, clicks=clicks), (known - middle) / spread)
        for data, known in zip(parts, contexts, strict=True)
    )
    return training, test


def best_features(training: RankingData) -> list[int]:
    """Return the features that rank the training queries best."""
    quality = qualities(training, range(training.d)).mean(axis=0)
    return [int(feature) for feature in np.argsort(quality)[::-1][:RANKERS]]


def qualities(data: RankingData, features: Iterable[Any]) -> FloatArray:
    """Return the NDCG@10 of single features, one row per query."""
    return np.array([ndcg(data.features[:, int(one)].astype(float), data) for one in features]).T


def fit(learner: str, log: DuelLog, calls: int) -> PolicyMixture:
    """Return the policy learned from a log; for sparring, a mixture of decision trees."""
    if learner not in SPARRING:
        return LogisticDuels().fit(log)
    tree = import_module("sklearn.tree").DecisionTreeRegressor(max_depth=DEPTH)
    return SPARRING[learner](RegressionOracle(tree), calls=calls).fit(log, SEED, progress=False)
