"""New estimates of the appendix's preferences between the features of MSLR, by click model.

The paper's rankers are the features of MSLR, compared by probabilistic interleaving and informational users.
The same is done here on a sample of MSLR, and again with perfect users. Preferences are estimated in pieces
with separate random streams, which shows the effect of fewer comparisons and of chance.
"""

from functools import lru_cache

import numpy as np

from duelist.clicks import CLICK_MODELS
from duelist.interleaving import Probabilistic
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, grid, settings
from duelist.problems import RankerDuel
from duelist.ranking import RankingData, synthetic_ranking_data

FILES = ("mslr/msn1.fold1.train.5k.txt", "mslr/msn1.fold1.test.5k.txt")
INFORMATIONAL, PERFECT = "informational", "perfect"
FEATURES, GRADES = 136, 5
MADE_UP_QUERIES = 80
SETTINGS = settings(
    # every n-th feature from the first on is a ranker
    every=(8, 1),
    # comparisons of every pair per piece
    comparisons=(25, 500),
    # by click model: powers of two, so they can be halved repeatedly
    pieces=({INFORMATIONAL: 8, PERFECT: 4}, {INFORMATIONAL: 16, PERFECT: 8}),
)


def plan(results: ItemResults) -> list[Piece]:
    """Return the pieces: comparisons of all pairs, for both click models, with separate random streams."""
    fixed = dict(vars(SETTINGS[results.scale]))
    drawn = [(user, luck) for user, pieces in fixed.pop("pieces").items() for luck in range(pieces)]
    return grid(compare, {("user", "luck"): drawn}, fixed)


def compare(sources: Sources, *, user: str, luck: int, every: int, comparisons: int) -> Arrays:
    """Return the share of comparisons that the first ranker of each pair wins, with ties as half wins.

    Documents with equal values of a feature, often 0 for most of them, are in random order.
    """
    data = load_queries(sources)
    rankers = RankerDuel(
        data, range(0, data.d, every), Probabilistic(), CLICK_MODELS[user](data.grades), seed=luck
    )
    preferences = rankers.estimate(comparisons, seed=luck, workers=1, progress=False).matrix
    return {"share": preferences[np.triu_indices(rankers.k, 1)]}


# cached, because reading the files is slow and every piece of work needs them
@lru_cache(maxsize=1)
def load_queries(sources: Sources) -> RankingData:
    """Return the sample of MSLR, or made-up documents with as many features and grades."""
    if sources.real:
        return sources.documents(*FILES)
    return synthetic_ranking_data(MADE_UP_QUERIES, features=FEATURES, grades=GRADES)
