"""What is played: retrieval functions compared by NDCG@10 (Figures 3 and 4).

The paper takes its 1,000 functions from the experiments of Yue and Joachims (2009), on private data; here
they are what dueling bandit gradient descent passes through on MQ2008, with every pair of step sizes of that
paper's Table 2.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from duelist import DuelingBanditGradientDescent, LinearRankerSpace
from duelist.duel import FloatArray, IntArray
from duelist.kernels.duels import point_buffer
from duelist.kernels.loop import Run
from duelist.kernels.points import PointWorld, open_point_ledger
from duelist.kernels.projection import region_of
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, Scale
from duelist.problems import MatrixProblem
from duelist.ranking import RankingData, synthetic_ranking_data
from duelist.ranking.linear import LinearRanker
from duelist.ranking.metrics import ndcg
from duelist.simulation.runs import luck
from duelist.winners import condorcet
from duelist_reproductions.yue2009_dbgd.documents import TRAINING
from duelist_reproductions.yue2009_dbgd.web_search import SETTINGS
from duelist_reproductions.yue2012.sweep import HORIZON, play_both

MADE_UP_QUERIES = 500
"""Of which about as many have a relevant document as of MQ2008's."""
STEPS = [
    (exploration, exploitation)
    for exploration in SETTINGS[Scale.PAPER].explorations
    for exploitation in SETTINGS[Scale.PAPER].exploitations
]
"""Of Table 2 of Yue and Joachims (2009)."""
SCALE = 10.0
"""What a difference in NDCG is multiplied with before the logistic, as Yue and Joachims (2009) did."""
PLAIN = 1.0
"""The same if one reads the paper literally, which names the logistic and NDCG@10 and no factor."""
EVENLY, BY_RATIOS = "evenly", "by ratios"
"""When runs of gradient descent are looked at: at equal distances, or mostly when they are young."""
MAIN: dict[str, Any] = {"scale": SCALE, "spacing": EVENLY}
"""What Figures 3 and 4 are drawn from."""
VARIATIONS = {"plain": {**MAIN, "scale": PLAIN}, "young": {**MAIN, "spacing": BY_RATIOS}}
"""What the paper leaves open, done otherwise; the second gathers rankers anew, which takes seconds."""
FIRST_LOOK = 10
"""At a run that is looked at by ratios: after so many duels."""


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
    variations: tuple[str, ...]
    varied_settings: int
    """Choices, with so many runs on each, to see what each variation matters."""


WEB_SEARCH = {
    Scale.QUICK: WebSearch(
        looks=10,
        between=1_000,
        sizes=(16, 32, 64, 128),
        settings=10,
        trials=5,
        together=10,
        variations=("plain",),
        varied_settings=2,
    ),
    Scale.PAPER: WebSearch(
        looks=50,
        between=2_000,
        sizes=tuple(range(100, 501, 50)),
        settings=25,
        trials=25,
        together=5,
        variations=("plain", "young"),
        varied_settings=5,
    ),
}


def read_queries(sources: Sources) -> RankingData:
    """Return the training queries that have a relevant document; on others all rankings are equally good.

    Yue and Joachims (2009) simulated on training queries only.
    """
    if not sources.real:
        return synthetic_ranking_data(MADE_UP_QUERIES).with_relevant()
    return sources.documents(*TRAINING).with_relevant()


def times_of_looks(looks: int, between: int, spacing: str) -> IntArray:
    """Return after how many duels a run of gradient descent is looked at, as often and as long either way."""
    if spacing == EVENLY:
        return between * np.arange(1, looks + 1)
    return np.rint(np.geomspace(FIRST_LOOK, between * looks, looks)).astype(np.int64)


def gather_rankers(data: RankingData, times: IntArray) -> FloatArray:
    """Return the weights that runs of gradient descent have whenever they are looked at, a row each."""
    space = LinearRankerSpace(data, scale=SCALE)
    found = []
    for index, (exploration, exploitation) in enumerate(STEPS):
        learner = DuelingBanditGradientDescent(exploration, exploitation)
        rng, world_rng = luck(0, index)
        state = learner.init(space.menu(), rng)
        for duels in np.diff(times, prepend=0):
            # the state goes on where the last look left it, and a ledger keeps the point at its end
            ledger = open_point_ledger(np.array([duels]), data.d, np.zeros(1, np.bool_))
            world, menu = PointWorld(space.world), region_of(space.menu())
            run = Run(world, ledger, menu, point_buffer(data.d), rng, world_rng, stepwise=True)
            learner.kernels.play(learner.rules(), state, run)
            found.append(ledger.answer)
    return np.array(found)


@lru_cache(maxsize=2)
def qualities(sources: Sources, looks: int, between: int, spacing: str) -> FloatArray:
    """Return every ranker's NDCG@10 on every query; a row per ranker.

    Remembered, because all pieces of work need it, and gathering rankers takes seconds.
    """
    data = read_queries(sources)
    rankers = gather_rankers(data, times_of_looks(looks, between, spacing))
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
    spacing: str,
) -> Arrays:
    """Play trials on some random choices of rankers; arrays have a row per choice, and a column per trial."""
    quality = qualities(sources, looks, between, spacing)
    found = []
    for setting in range(first, first + settings):
        problem = choose_rankers(quality, k, scale, default_rng((k, setting)))
        found.append(play_both(problem, horizon, range(trials), seed=1000 * k + setting))
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def plan_web_search(results: ItemResults) -> list[Piece]:
    """Return the pieces of Figures 3 and 4, and with fewest and most rankers a few of each variation."""
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
                **MAIN,
                **shared,
            },
            cost=float(k * played.together * played.trials),
        )
        for k in played.sizes
        for first in range(0, played.settings, played.together)
    ]
    few = played.varied_settings
    varied = [
        Piece(
            name=f"{name}-k={k}",
            work=play_web_search,
            setting={"k": k, "first": 0, "settings": few, "trials": few, **VARIATIONS[name], **shared},
            cost=float(5 * k * few * few),
        )
        for name in played.variations
        for k in (played.sizes[0], played.sizes[-1])
    ]
    return found + varied
