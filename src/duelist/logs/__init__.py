"""Logs of duels in contexts."""

from duelist.logs.duels import DuelLog
from duelist.logs.reading import load_duels

__all__ = ["DuelLog", "load_duels"]
