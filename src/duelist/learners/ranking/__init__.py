"""Learners of rankings: they show lists and are told clicks."""

from duelist.learners.ranking.base import Impression
from duelist.learners.ranking.dueling import DuelingGradientRanker
from duelist.learners.ranking.multileaving import MultileavingGradientRanker
from duelist.learners.ranking.pairwise import PairwiseGradientRanker

__all__ = ["DuelingGradientRanker", "Impression", "MultileavingGradientRanker", "PairwiseGradientRanker"]
