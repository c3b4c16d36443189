"""Replay recorded votes with any learner, to find how many votes it needs to be right and to be sure."""

from duelist.replaying.engine import replay
from duelist.replaying.result import ReplayResult, ReplayRuns

__all__ = ["ReplayResult", "ReplayRuns", "replay"]
