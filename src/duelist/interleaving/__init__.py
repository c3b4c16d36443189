"""Interleaving: two or more rankings shown as one list, and clicks on it turned into a preference."""

from duelist.interleaving.balanced import Balanced
from duelist.interleaving.base import Interleaving, Shown
from duelist.interleaving.optimized import Optimized
from duelist.interleaving.probabilistic import Probabilistic
from duelist.interleaving.team_draft import TeamDraft

__all__ = ["Balanced", "Interleaving", "Optimized", "Probabilistic", "Shown", "TeamDraft"]
