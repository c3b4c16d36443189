"""Analyze recorded votes: a leaderboard, the winners by every definition, and a verdict."""

from duelist.analysis.analysis import analyze
from duelist.analysis.leaderboard import Leaderboard, LeaderboardRow
from duelist.analysis.result import Analysis

__all__ = ["Analysis", "Leaderboard", "LeaderboardRow", "analyze"]
