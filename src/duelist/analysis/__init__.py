"""What recorded votes say: a leaderboard, every kind of winner, and one verdict."""

from duelist.analysis.analysis import Analysis, analyze
from duelist.analysis.leaderboard import Leaderboard, LeaderboardRow

__all__ = ["Analysis", "Leaderboard", "LeaderboardRow", "analyze"]
