"""The runs on retrieval functions compared by NDCG@10 (Figures 3 and 4).

The paper takes its 1,000 functions from the experiments of Yue and Joachims (2009), on private data; here
they are the iterates of dueling bandit gradient descent on MQ2008, with every pair of step sizes of that
paper's Table 2.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from duelist import DuelingBanditGradientDescent
from duelist.duel import FloatArray, IntArray
from duelist.kernels.duels import point_buffer
from duelist.kernels.loop import Run
from duelist.kernels.points import PointWorld, open_point_ledger, region_of
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, chunks, grid, settings
from duelist.problems import LinearRankerSpace, MatrixProblem
from duelist.ranking import RankingData, synthetic_ranking_data
from duelist.ranking.linear import LinearRanker
from duelist.ranking.metrics import ndcg
from duelist.simulation.runs import generators
from duelist.winners import condorcet
from duelist_reproductions.documents import EXPLOITATIONS, EXPLORATIONS, TRAINING
from duelist_reproductions.yue2012.sweep import HORIZON, play_both

MADE_UP_QUERIES = 500
"""Made-up queries; about as many have a relevant document as in MQ2008."""
STEPS = [(exploration, exploitation) for exploration in EXPLORATIONS for exploitation in EXPLOITATIONS]
SCALE, PLAIN = 10.0, 1.0
"""Factor of a difference in NDCG inside the logistic: that of Yue and Joachims (2009), and 1, because this
paper names no factor."""
EVENLY, BY_RATIOS = "evenly", "by ratios"
"""How iterates of gradient descent are sampled: evenly, or mostly early in a run."""
MAIN: dict[str, Any] = {"scale": SCALE, "spacing": EVENLY}
"""The setting of Figures 3 and 4."""
VARIATIONS = {"plain": {**MAIN, "scale": PLAIN}, "young": {**MAIN, "spacing": BY_RATIOS}}
"""Alternatives where the paper is not explicit; the second needs other rankers, which takes seconds."""
FIRST_LOOK = 10
"""Number of duels at the first sample of a run that is sampled by ratios."""
WEB_SEARCH = settings(
    # samples of each of 20 runs of gradient descent, and duels between samples
    looks=(10, 50),
    between=(1_000, 2_000),
    sizes=((16, 32, 64, 128), tuple(range(100, 501, 50))),
    # random choices of rankers for each K, and runs on each choice
    choices=(10, 25),
    trials=(5, 25),
    together=(10, 5),
    # variations, and the number of choices of each, with as many runs on each choice
    variations=(("plain",), ("plain", "young")),
    varied=(2, 5),
)


def plan_web_search(results: ItemResults) -> list[Piece]:
    """Return the pieces of Figures 3 and 4, and some of each variation with the fewest and most rankers."""
    setting = WEB_SEARCH[results.scale]
    shared = {"horizon": HORIZON, "looks": setting.looks, "between": setting.between}
    ends, few = (setting.sizes[0], setting.sizes[-1]), setting.varied
    kinds = [("", MAIN, setting.sizes, chunks(setting.choices, setting.together), setting.trials)]
    kinds += [(name, VARIATIONS[name], ends, [(0, few)], few) for name in setting.variations]
    pieces = []
    for name, kind, sizes, choices, trials in kinds:
        over = {"k": sizes, ("first", "settings"): choices}
        fixed = {"trials": trials, **kind, **shared}
        pieces += grid(
            play_web_search, over, fixed, name=name, cost=lambda one: one.k * one.settings * one.trials
        )
    return pieces


def read_queries(sources: Sources) -> RankingData:
    """Return the training queries with a relevant document; on others all rankings are equally good."""
    if not sources.real:
        return synthetic_ranking_data(MADE_UP_QUERIES).with_relevant()
    return sources.documents(*TRAINING).with_relevant()


def times_of_looks(looks: int, between: int, spacing: str) -> IntArray:
    """Return the numbers of duels at which a run is sampled: equally many, with the same last, either way."""
    if spacing == EVENLY:
        return between * np.arange(1, looks + 1)
    return np.rint(np.geomspace(FIRST_LOOK, between * looks, looks)).astype(np.int64)


def pass_rankers(data: RankingData, times: IntArray) -> FloatArray:
    """Return the sampled weights of runs of gradient descent, one row each."""
    space = LinearRankerSpace(data, scale=SCALE)
    found = []
    for index, (exploration, exploitation) in enumerate(STEPS):
        learner = DuelingBanditGradientDescent(exploration, exploitation)
        rng, world_rng = generators(0, index)
        state = learner.init(space.menu(), rng)
        for duels in np.diff(times, prepend=0):
            # the state continues from the last sample, and a ledger keeps its final point
            ledger = open_point_ledger(np.array([duels]), data.d, np.zeros(1, np.bool_))
            world, menu = PointWorld(space.world), region_of(space.menu())
            run = Run(world, ledger, menu, point_buffer(data.d), rng, world_rng, stepwise=True)
            learner.kernels.play(learner.rules(), state, run)
            found.append(ledger.answer)
    return np.array(found)


@lru_cache(maxsize=2)
def qualities(sources: Sources, looks: int, between: int, spacing: str) -> FloatArray:
    """Return every ranker's NDCG@10 on every query, one row per ranker.

    Cached, because all pieces need it, and gradient descent takes seconds.
    """
    data = read_queries(sources)
    rankers = pass_rankers(data, times_of_looks(looks, between, spacing))
    return np.array([ndcg(LinearRanker(weights).score(data), data, k=10) for weights in rankers])


def preferences(quality: FloatArray, scale: float) -> FloatArray:
    """Return the chance that a ranker is preferred to another on a random query.

    On one query it is the logistic of the scaled difference in quality. A random query followed by a toss
    equals a toss with the mean chance, so this matrix determines the distribution of duels.
    """
    worth = np.exp(scale * quality)
    matrix = np.full((len(worth), len(worth)), 0.5)
    for left in range(len(worth) - 1):
        chances = (worth[left] / (worth[left] + worth[left + 1 :])).mean(axis=1)
        matrix[left, left + 1 :] = chances
        matrix[left + 1 :, left] = 1.0 - chances
    return matrix


def choose_rankers(quality: FloatArray, k: int, scale: float, rng: Generator) -> MatrixProblem:
    """Return a random choice of k rankers with a best one, without which regret is undefined."""
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
    **pool: Any,
) -> Arrays:
    """Play trials on some random choices of rankers; arrays have one row per choice, one column per trial."""
    quality = qualities(sources, **pool)
    found = []
    for setting in range(first, first + settings):
        problem = choose_rankers(quality, k, scale, default_rng((k, setting)))
        found.append(play_both(problem, horizon, range(trials), seed=1000 * k + setting))
    return {name: np.array([one[name] for one in found]) for name in found[0]}
