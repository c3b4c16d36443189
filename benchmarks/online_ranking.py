"""How fast rankers are learned from clicks, and duels of rankers are played, on one core."""

from pathlib import Path
from typing import Any

from numpy.random import default_rng

from benchmarks.table import Figure, seconds
from duelist import (
    Duel,
    DuelingBanditGradientDescent,
    DuelingGradientRanker,
    MultileavingGradientRanker,
    PairwiseGradientRanker,
    RankerDuel,
    RankingProblem,
    clicks,
    simulate,
)
from duelist.interleaving import Probabilistic
from duelist.problems import LinearRankerSpace
from duelist.ranking import RankingData, load_ranking_data, synthetic_ranking_data

LTR = Path(__file__).resolve().parents[2] / "shared" / "data" / "ltr"
SAMPLE = 3_000


def mq2008() -> tuple[str, RankingData]:
    files = [LTR / "mq2008" / f"S{part}.txt.gz" for part in (1, 2, 3)]
    if files[0].exists():
        return "MQ2008", load_ranking_data(files, cache=False)
    return "synthetic data", synthetic_ranking_data(queries=471)


def np2004() -> tuple[str, RankingData]:
    files = [LTR / "np2004" / f"Fold1.{part}.txt.gz" for part in ("vali", "test")]
    if files[0].exists():
        return "NP2004", load_ranking_data(files, cache=False)
    return "synthetic data", synthetic_ranking_data(queries=30, documents=970, features=64, grades=2)


def per_second(count: float, elapsed: float) -> str:
    return f"{count / elapsed:,.0f} /s"


def learn(learner: Any) -> Figure:
    name, data = mq2008()
    user, many = clicks.perfect(grades=data.grades), 300_000

    def train(impressions: int) -> object:
        return simulate(learner, RankingProblem(data, user), impressions, runs=1, workers=1, progress=False)

    train(10)
    elapsed = seconds(lambda: train(many))
    by_hand(learner, data, 1)
    plain = seconds(lambda: by_hand(learner, data, SAMPLE))
    return Figure(
        f"{type(learner).__name__}, {name}, perfect clicks: impressions",
        per_second(many, elapsed),
        per_second(SAMPLE, plain),
        "the same through ask and tell",
        many / elapsed / (SAMPLE / plain),
    )


def by_hand(learner: Any, data: RankingData, impressions: int) -> None:
    rng, user = default_rng(0), clicks.perfect(grades=data.grades)
    state = learner.init(data.d, rng)
    for query in rng.integers(len(data), size=impressions).tolist():
        rows = data.rows(query)
        impression = learner.ask(state, data.features[rows], rng)
        flags = user.click(data.labels[rows][list(impression.documents)], rng)
        clicked = [document for document, flag in zip(impression.documents, flags, strict=True) if flag]
        state = learner.tell(state, impression, clicked)


def descend() -> Figure:
    name, data = mq2008()
    space, many = LinearRankerSpace(data.with_relevant()), 300_000
    learner = DuelingBanditGradientDescent(exploration=1.0, exploitation=0.01)

    def play(rounds: int) -> object:
        return simulate(learner, space, rounds, runs=1, workers=1, progress=False)

    play(10)
    elapsed = seconds(lambda: play(many))
    rng = default_rng(0)
    state = learner.init(space.menu(), rng)
    duel = learner.ask(state, space.menu(), rng)
    space.play(duel, rng)
    plain = seconds(lambda: [space.play(duel, rng) for _ in range(SAMPLE)])
    return Figure(
        f"DuelingBanditGradientDescent, {name}, by NDCG@10: comparisons",
        per_second(many, elapsed),
        per_second(SAMPLE, plain),
        "a comparison alone, called from Python",
        many / elapsed / (SAMPLE / plain),
    )


def estimate() -> Figure:
    name, data = np2004()
    problem = RankerDuel(data, range(64), Probabilistic(), clicks.informational(grades=data.grades))
    comparisons, pairs = 100, 64 * 63 // 2
    problem.estimate(comparisons=1, progress=False)
    elapsed = seconds(lambda: problem.estimate(comparisons=comparisons, workers=1, progress=False))
    rng = default_rng(0)
    problem.play(Duel(0, 1), rng)
    plain = seconds(lambda: [problem.play(Duel(0, 1), rng) for _ in range(SAMPLE)])
    return Figure(
        f"RankerDuel.estimate, 64 rankers of {name}, probabilistic interleaving: impressions",
        per_second(comparisons * pairs, elapsed),
        per_second(SAMPLE, plain),
        "the same, called from Python one by one",
        comparisons * pairs / elapsed / (SAMPLE / plain),
    )


def figures() -> list[Figure]:
    return [
        learn(DuelingGradientRanker()),
        learn(MultileavingGradientRanker()),
        learn(PairwiseGradientRanker()),
        descend(),
        estimate(),
    ]
