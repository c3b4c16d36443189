"""Multileaving: several rankings shown as one list, and clicks on it turned into credits."""

from duelist.interleaving.multileave.base import Multileaving, ShownMany
from duelist.interleaving.multileave.pairwise_preference import PairwisePreferenceMultileaving
from duelist.interleaving.multileave.probabilistic import ProbabilisticMultileaving
from duelist.interleaving.multileave.sample_only import SampleOnlyScoredMultileaving
from duelist.interleaving.multileave.team_draft import TeamDraftMultileaving

__all__ = [
    "Multileaving",
    "PairwisePreferenceMultileaving",
    "ProbabilisticMultileaving",
    "SampleOnlyScoredMultileaving",
    "ShownMany",
    "TeamDraftMultileaving",
]
