"""Learners: they ask for duels and are told outcomes."""

from duelist.learners.armed import (
    RUCB,
    BeatTheMean,
    CondorcetSavage,
    InterleavedFilter1,
    InterleavedFilter2,
    Uniform,
)
from duelist.learners.contextual import (
    FollowMixture,
    LogisticDuels,
    PolicyMixture,
    SparringEXP4P,
    SparringFPL,
    SparringPGD,
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
    "FollowMixture",
    "Impression",
    "InterleavedFilter1",
    "InterleavedFilter2",
    "LogisticDuels",
    "MultileavingGradientDescent",
    "MultileavingGradientRanker",
    "PairwiseGradientRanker",
    "PolicyMixture",
    "PreferentialOptimization",
    "SparringEXP4P",
    "SparringFPL",
    "SparringPGD",
    "Uniform",
]
