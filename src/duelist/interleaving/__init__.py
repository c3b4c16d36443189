"""Interleaving: two or more rankings are merged into one list, and clicks on it show which is preferred."""

from duelist.interleaving.balanced import Balanced
from duelist.interleaving.base import Interleaving
from duelist.interleaving.optimized import Optimized
from duelist.interleaving.pairwise_preference import PairwisePreference
from duelist.interleaving.probabilistic import Probabilistic
from duelist.interleaving.sample_only import SampleOnly
from duelist.interleaving.team_draft import TeamDraft
from duelist.shown import Shown

__all__ = [
    "Balanced",
    "Interleaving",
    "Optimized",
    "PairwisePreference",
    "Probabilistic",
    "SampleOnly",
    "Shown",
    "TeamDraft",
]
