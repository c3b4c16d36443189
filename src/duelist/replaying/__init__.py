"""Recorded votes, played again with any learner: how many it needs to be right, and to be sure."""

from duelist.replaying.engine import replay
from duelist.replaying.result import ReplayResult, ReplayRuns

__all__ = ["ReplayResult", "ReplayRuns", "replay"]
