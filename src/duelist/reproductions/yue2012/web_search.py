"""What is played: retrieval functions compared by NDCG@10 (Figures 3 and 4).

The paper takes its 1,000 functions from the experiments of Yue and Joachims (2009), on private data; here
they are what dueling bandit gradient descent passes through on MQ2008, with every pair of step sizes of that
paper's Table 2.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator, default_rng

from duelist import DuelingBanditGradientDescent, LinearRankerSpace
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, Piece, Results, Scale
from duelist.point_rounds import PointRun, open_point_ledger, room_for_duel
from duelist.problems import MatrixProblem
from duelist.ranking import RankingData, synthetic_ranking_data
from duelist.ranking.linear import LinearRanker
from duelist.ranking.metrics import ndcg
from duelist.reproductions.yue2012.sweep import HORIZON, play_both
from duelist.simulation.repetitions import luck
from duelist.types import FloatArray
from duelist.winners import condorcet

TRAINING = ("mq2008/S1.txt", "mq2008/S2.txt", "mq2008/S3.txt")
"""Of MQ2008's first fold; the paper on gradient descent simulated on training queries only."""
MADE_UP_QUERIES = 500
"""Of which about as many have a relevant document as of MQ2008's."""
EXPLORATIONS = (0.5, 0.8, 1.0, 3.0)
EXPLOITATIONS = (0.001, 0.005, 0.01, 0.05, 0.1)
SCALE = 10.0
"""What a difference in NDCG is multiplied with before the logistic, as Yue and Joachims (2009) did."""
PLAIN = 1.0
"""The same if one reads the paper literally, which names the logistic and NDCG@10 and no factor."""


@dataclass(frozen=True)
class WebSearch:
    """How rankers are gathered, and what is played among them."""

    looks: int
    """How often a run of gradient descent is looked at; there are 20 runs."""
    between: int
    """Duels between two looks."""
    sizes: tuple[int, ...]
    settings: int
    """Random choices of rankers for each number of them."""
    trials: int
    """Runs on each choice."""
    together: int
    """Choices in a piece of work."""
    plain_settings: int
    """Choices, with so many runs on each, to see what the factor before the logistic matters."""


WEB_SEARCH = {
    Scale.QUICK: WebSearch(
        looks=10, between=1_000, sizes=(16, 32, 64, 128), settings=10, trials=5, together=10, plain_settings=2
    ),
    Scale.PAPER: WebSearch(
        looks=50,
        between=2_000,
        sizes=tuple(range(100, 501, 50)),
        settings=25,
        trials=25,
        together=5,
        plain_settings=5,
    ),
}


def read_queries(sources: Sources) -> RankingData:
    """Return the queries that have a relevant document; on all others, any two rankings are equally good."""
    if not sources.real:
        return synthetic_ranking_data(MADE_UP_QUERIES).with_relevant()
    return sources.documents(*TRAINING).with_relevant()


def gather_rankers(data: RankingData, looks: int, between: int) -> FloatArray:
    """Return the weights that runs of gradient descent have whenever they are looked at, a row each."""
    space = LinearRankerSpace(data, scale=SCALE)
    steps = [(exploration, exploitation) for exploration in EXPLORATIONS for exploitation in EXPLOITATIONS]
    found = []
    for index, (exploration, exploitation) in enumerate(steps):
        learner = DuelingBanditGradientDescent(exploration, exploitation)
        rng, nature = luck(0, index)
        state = learner.init(space.menu(), rng)
        for _ in range(looks):
            # the state goes on where the last look left it, and a ledger keeps the point at its end
            ledger = open_point_ledger(np.array([between]), data.d, np.zeros(1, np.bool_))
            run = PointRun(space.landscape, ledger, room_for_duel(data.d), rng, nature)
            learner.point_kernels.play(learner.rules(), state, run)
            found.append(ledger.best)
    return np.array(found)


@lru_cache(maxsize=1)
def qualities(sources: Sources, looks: int, between: int) -> FloatArray:
    """Return every ranker's NDCG@10 on every query; a row per ranker.

    Remembered, because all pieces of work need it, and gathering rankers takes seconds.
    """
    data = read_queries(sources)
    rankers = gather_rankers(data, looks, between)
    return np.array([ndcg(LinearRanker(weights).score(data), data, k=10) for weights in rankers])


def preferences(quality: FloatArray, scale: float) -> FloatArray:
    """Return the chance that a ranker is preferred to another on a random query.

    On one query it is the logistic of the scaled difference in quality. A random query and then a toss is a
    toss with the mean chance, so this matrix is all there is to know of the duels.
    """
    worth = np.exp(scale * quality)
    matrix = np.full((len(worth), len(worth)), 0.5)
    for left in range(len(worth) - 1):
        chances = (worth[left] / (worth[left] + worth[left + 1 :])).mean(axis=1)
        matrix[left, left + 1 :] = chances
        matrix[left + 1 :, left] = 1.0 - chances
    return matrix


def choose_rankers(quality: FloatArray, k: int, scale: float, rng: Generator) -> MatrixProblem:
    """Return a random choice of k rankers of which one is the best, or there would be nothing to regret."""
    while True:
        chosen = rng.choice(len(quality), k, replace=False)
        problem = MatrixProblem(preferences(quality[chosen], scale))
        if condorcet(problem.matrix) is not None:
            return problem


def play_web_search(
    sources: Sources,
    *,
    k: int,
    first: int,
    settings: int,
    trials: int,
    horizon: int,
    scale: float,
    looks: int,
    between: int,
) -> Arrays:
    """Play trials on some random choices of rankers; arrays have a row per choice, and a column per trial."""
    quality = qualities(sources, looks, between)
    found = []
    for setting in range(first, first + settings):
        problem = choose_rankers(quality, k, scale, default_rng((k, setting)))
        found.append(play_both(problem, horizon, range(trials), seed=1000 * k + setting))
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def plan_web_search(results: Results) -> list[Piece]:
    """Return the pieces of Figures 3 and 4, and a few without the factor before the logistic."""
    played = WEB_SEARCH[results.scale]
    shared = {"horizon": HORIZON, "looks": played.looks, "between": played.between}
    found = [
        Piece(
            name=f"k={k}-first={first}",
            work=play_web_search,
            setting={
                "k": k,
                "first": first,
                "settings": played.together,
                "trials": played.trials,
                "scale": SCALE,
                **shared,
            },
            cost=float(k * played.together * played.trials),
        )
        for k in played.sizes
        for first in range(0, played.settings, played.together)
    ]
    few = played.plain_settings
    plain = [
        Piece(
            name=f"plain-k={k}",
            work=play_web_search,
            setting={"k": k, "first": 0, "settings": few, "trials": few, "scale": PLAIN, **shared},
            cost=float(5 * k * few * few),
        )
        for k in (played.sizes[0], played.sizes[-1])
    ]
    return found + plain
