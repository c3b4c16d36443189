# Written by `make derived` from duelist.registry.

from duelist.learners.armed.auto import Auto as Auto
from duelist.learners.armed.beat_the_mean import BeatTheMean as BeatTheMean
from duelist.learners.armed.double_thompson import DoubleThompsonSampling as DoubleThompsonSampling
from duelist.learners.armed.interleaved_filter import InterleavedFilter1 as InterleavedFilter1
from duelist.learners.armed.interleaved_filter import InterleavedFilter2 as InterleavedFilter2
from duelist.learners.armed.rmed import RMED1 as RMED1
from duelist.learners.armed.rmed import RMED2 as RMED2
from duelist.learners.armed.rmed import RMED2FH as RMED2FH
from duelist.learners.armed.rucb import RUCB as RUCB
from duelist.learners.armed.savage import CondorcetSavage as CondorcetSavage
from duelist.learners.armed.top_two import TopTwoBradleyTerry as TopTwoBradleyTerry
from duelist.learners.armed.uniform import Uniform as Uniform
from duelist.learners.armed.widest_interval import WidestInterval as WidestInterval
from duelist.learners.contextual.following import FollowMixture as FollowMixture
from duelist.learners.contextual.logistic import LogisticDuels as LogisticDuels
from duelist.learners.contextual.sparring_exp4p import SparringEXP4P as SparringEXP4P
from duelist.learners.continuous.gradient_descent import BGD1 as BGD1
from duelist.learners.continuous.gradient_descent import BGD2 as BGD2
from duelist.learners.continuous.gradient_descent import (
    DuelingBanditGradientDescent as DuelingBanditGradientDescent,
)
from duelist.learners.continuous.multileaving import (
    MultileavingGradientDescent as MultileavingGradientDescent,
)
from duelist.learners.continuous.preferential_optimization import (
    PreferentialOptimization as PreferentialOptimization,
)
from duelist.learners.ranking.dueling import DuelingGradientRanker as DuelingGradientRanker
from duelist.learners.ranking.multileaving import MultileavingGradientRanker as MultileavingGradientRanker
from duelist.learners.ranking.pairwise import PairwiseGradientRanker as PairwiseGradientRanker

__all__ = [
    "BGD1",
    "BGD2",
    "RMED1",
    "RMED2",
    "RMED2FH",
    "RUCB",
    "Auto",
    "BeatTheMean",
    "CondorcetSavage",
    "DoubleThompsonSampling",
    "DuelingBanditGradientDescent",
    "DuelingGradientRanker",
    "FollowMixture",
    "InterleavedFilter1",
    "InterleavedFilter2",
    "LogisticDuels",
    "MultileavingGradientDescent",
    "MultileavingGradientRanker",
    "PairwiseGradientRanker",
    "PreferentialOptimization",
    "SparringEXP4P",
    "TopTwoBradleyTerry",
    "Uniform",
    "WidestInterval",
]
