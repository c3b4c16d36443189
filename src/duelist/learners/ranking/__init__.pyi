# Written by `make derived` from duelist.registry.

from duelist.learners.ranking.dueling import DuelingGradientRanker as DuelingGradientRanker
from duelist.learners.ranking.multileaving import MultileavingGradientRanker as MultileavingGradientRanker
from duelist.learners.ranking.pairwise import PairwiseGradientRanker as PairwiseGradientRanker

__all__ = [
    "DuelingGradientRanker",
    "MultileavingGradientRanker",
    "PairwiseGradientRanker",
]
