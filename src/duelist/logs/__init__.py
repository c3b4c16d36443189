"""Logs of contextual duels."""

from duelist.logs.duels import DuelLog, load_duels

__all__ = ["DuelLog", "load_duels"]
