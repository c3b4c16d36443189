"""Documents to compare rankers on: the first fold of LETOR's MQ2008, or made-up ones."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.sources import Sources
from duelist.ranking import RankingData, ndcg, synthetic_ranking_data
from duelist.ranking.linear import LinearRanker

TRAINING = ("mq2008/S1.txt", "mq2008/S2.txt", "mq2008/S3.txt")
VALIDATION = ("mq2008/S4.txt",)
TEST = ("mq2008/S5.txt",)
FILES = (*TRAINING, *VALIDATION, *TEST)
PARTS = ("training", "validation", "test")
MADE_UP_QUERIES = 800
EXPLORATIONS = (0.5, 0.8, 1.0, 3.0)
EXPLOITATIONS = (0.001, 0.005, 0.01, 0.05, 0.1)
"""The step sizes of gradient descent on documents (Yue and Joachims 2009, Table 2)."""


@dataclass(frozen=True)
class Documents:
    """Queries to learn from, and held-out queries."""

    training: RankingData
    validation: RankingData
    test: RankingData

    def qualities(self, ranker: LinearRanker) -> dict[str, FloatArray]:
        """Return a ranker's NDCG@10 on every query, by part."""
        parts = {name: getattr(self, name) for name in PARTS}
        return {name: ndcg(ranker.score(data), data) for name, data in parts.items()}


# cached, because reading the files is slow and every piece of work needs them
@lru_cache(maxsize=1)
def load_documents(sources: Sources) -> Documents:
    """Return the first fold of MQ2008, or made-up documents split likewise.

    Queries without a relevant document are left out: on them all rankings are equally good.
    """
    if sources.real:
        return Documents(
            *(sources.documents(*files).with_relevant() for files in (TRAINING, VALIDATION, TEST))
        )
    made = synthetic_ranking_data(queries=MADE_UP_QUERIES).with_relevant()
    pieces = np.split(np.arange(len(made)), [3 * len(made) // 5, 4 * len(made) // 5])
    return Documents(*(made.subset(piece) for piece in pieces))
