"""What recorded votes say: a leaderboard, every kind of winner, and one verdict."""

from duelist.analysis.analysis import analyze
from duelist.analysis.leaderboard import Leaderboard, LeaderboardRow
from duelist.analysis.result import Analysis

__all__ = ["Analysis", "Leaderboard", "LeaderboardRow", "analyze"]
