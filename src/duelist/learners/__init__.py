"""Learners: they ask for duels and are told outcomes."""

from duelist.learners.armed import (
    RUCB,
    BeatTheMean,
    CondorcetSavage,
    InterleavedFilter1,
    InterleavedFilter2,
    Uniform,
)
from duelist.learners.continuous import (
    BGD1,
    BGD2,
    DuelingBanditGradientDescent,
    MultileavingGradientDescent,
    PreferentialOptimization,
)
from duelist.learners.ranking import (
    DuelingGradientRanker,
    Impression,
    MultileavingGradientRanker,
    PairwiseGradientRanker,
)

__all__ = [
    "BGD1",
    "BGD2",
    "RUCB",
    "BeatTheMean",
    "CondorcetSavage",
    "DuelingBanditGradientDescent",
    "DuelingGradientRanker",
    "Impression",
    "InterleavedFilter1",
    "InterleavedFilter2",
    "MultileavingGradientDescent",
    "MultileavingGradientRanker",
    "PairwiseGradientRanker",
    "PreferentialOptimization",
    "Uniform",
]
