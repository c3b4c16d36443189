"""Which ranker for which query: policies learned from logged duels on MQ2008, judged on other queries.

Not in the paper, which plays no contextual algorithm: one of them on real queries, with simulated clicks.
"""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.random import default_rng
from rich.console import Console
from rich.progress import track
from rich.table import Table

from duelist import DuelLog, LogisticDuels, PolicyMixture, RankerDuel, SparringFPL, SparringPGD
from duelist.learners.contextual import RegressionOracle
from duelist.problems import clicks
from duelist.problems.query_contexts import QueryContexts, summary_of
from duelist.ranking import RankingData
from duelist.ranking.metrics import ndcg
from duelist.types import FloatArray
from duelist.winners import borda_scores
from reproductions.yue2009_gradient_descent.web_search import Documents, load_documents

RANKERS = 10
"""Single features: those of the highest NDCG@10 on the training queries."""
DUELS = 30_000
CALLS = 200
MEETINGS = 2000
"""Of a policy with the best fixed ranker, on each query."""
USERS = {
    "perfect": clicks.perfect,
    "navigational": clicks.navigational,
    "informational": clicks.informational,
}


@dataclass(frozen=True)
class Score:
    """How often a policy beats the best fixed ranker, a tie being half a win, and the NDCG@10 of both."""

    rate: float
    error: float  # half of a 95% interval; queries are drawn, so they are what varies
    quality: float
    fixed_quality: float

    def __str__(self) -> str:
        """Return both in a cell of a table."""
        return f"{self.rate:.3f} ± {self.error:.3f}, {self.quality:.3f}"


def sparring(kind: type[SparringFPL] | type[SparringPGD]) -> Callable[[DuelLog, int], PolicyMixture]:
    """Return a learner of mixtures of decision trees of depth 3."""

    def fit(log: DuelLog, seed: int) -> PolicyMixture:
        oracle = RegressionOracle(import_module("sklearn.tree").DecisionTreeRegressor(max_depth=3))
        return kind(oracle, calls=CALLS).fit(log, seed, progress=False)

    return fit


LEARNERS: dict[str, Callable[[DuelLog, int], PolicyMixture]] = {
    "LogisticDuels": lambda log, seed: LogisticDuels().fit(log),
    "SparringFPL, trees": sparring(SparringFPL),
    "SparringPGD, trees": sparring(SparringPGD),
}


def best_features(training: RankingData) -> list[int]:
    """Return the features that rank the training queries best."""
    quality = [float(ndcg(training.features[:, j].astype(float), training).mean()) for j in range(training.d)]
    return [int(feature) for feature in np.argsort(quality)[::-1][:RANKERS]]


def known_of(data: RankingData, features: list[int]) -> FloatArray:
    """Return contexts: the mean and deviation of these features in a query, and how many documents it has."""
    chosen = np.array(features)
    size = np.log(np.diff(data.offsets))[:, np.newaxis]
    return np.hstack([summary_of(data)[:, np.append(chosen, chosen + data.d)], size])


def stages(documents: Documents, user: str) -> tuple[QueryContexts, QueryContexts]:
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


def judge(problem: QueryContexts, mixture: PolicyMixture, fixed: int, seed: int) -> Score:
    """Let a mixture meet the fixed ranker on every query."""
    rng = default_rng(seed)
    queries = np.repeat(np.arange(len(problem.table)), MEETINGS)
    actions = mixture.draw(problem.table[queries], rng)
    outcomes = problem.meet(queries, actions, np.full(len(queries), fixed), rng)
    rates = outcomes.reshape(-1, MEETINGS).mean(axis=1)
    quality = qualities(problem)
    return Score(
        rate=float(rates.mean()),
        error=float(1.96 * rates.std(ddof=1) / np.sqrt(len(rates))),
        quality=float((mixture.chances(problem.table) * quality).sum(axis=1).mean()),
        fixed_quality=float(quality[:, fixed].mean()),
    )


def compare(documents: Documents, user: str, seed: int = 0) -> dict[str, tuple[Score, Score]]:
    """Return each learner's score on the training and on the test queries."""
    training, test = stages(documents, user)
    fixed = int(np.argmax(borda_scores(training.rankers.estimate(seed=seed, progress=False).matrix)))
    log = training.log(DUELS, default_rng(seed))
    scores = {}
    for name, fit in track(LEARNERS.items(), description=f"{user} users"):
        mixture = fit(log, seed)
        scores[name] = judge(training, mixture, fixed, seed), judge(test, mixture, fixed, seed)
    return scores


def taught(documents: Documents) -> dict[str, tuple[float, float]]:
    """Return the NDCG@10 of policies taught by every query's true NDCG, on training and test queries.

    What no learner from clicks can be expected to surpass; the best fixed ranker comes first.
    """
    training, test = stages(documents, "perfect")
    truth, held_out = qualities(training), qualities(test)
    fixed = int(truth.mean(axis=0).argmax())
    found = {"best fixed ranker": (float(truth[:, fixed].mean()), float(held_out[:, fixed].mean()))}
    for name, model in {
        "tree of depth 3": import_module("sklearn.tree").DecisionTreeRegressor(max_depth=3, random_state=0),
        "ridge": import_module("sklearn.linear_model").RidgeCV(np.logspace(-1, 4, 20)),
    }.items():
        model.fit(training.table, truth)
        chosen = [model.predict(problem.table).argmax(axis=1)[:, np.newaxis] for problem in (training, test)]
        found[name] = (
            float(np.take_along_axis(truth, chosen[0], axis=1).mean()),
            float(np.take_along_axis(held_out, chosen[1], axis=1).mean()),
        )
    return found


def qualities(problem: QueryContexts) -> FloatArray:
    """Return the NDCG@10 of every ranker's list, a row for each query."""
    data = problem.rankers.data
    scores = (data.features[:, int(ranker)].astype(float) for ranker in problem.rankers.rankers)
    return np.array([ndcg(score, data) for score in scores]).T


def main() -> None:
    """Print how often each learned policy beats the best fixed ranker."""
    command = ArgumentParser(prog="python -m reproductions.dudik2015_contextual.mq2008", description=__doc__)
    command.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder with MQ2008's S1.txt ... S5.txt, plain or .gz; without it, documents are made up",
    )
    documents = load_documents(command.parse_args().data)
    table = Table(
        title=f"{documents.name}: wins against the best fixed ranker, and NDCG@10", title_justify="left"
    )
    for column in ("users", "learner", "training queries", "test queries", "test NDCG@10 of the fixed"):
        table.add_column(column)
    for user in USERS:
        for name, (learned, held_out) in compare(documents, user).items():
            table.add_row(user, name, str(learned), str(held_out), f"{held_out.fixed_quality:.3f}")
    Console(width=130).print(table)
    for name, (seen, unseen) in taught(documents).items():
        print(f"taught by true NDCG@10, {name}: {seen:.3f} on training, {unseen:.3f} on test queries")


if __name__ == "__main__":
    main()
