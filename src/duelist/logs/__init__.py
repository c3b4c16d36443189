"""Duels in contexts, written down."""

from duelist.logs.duels import DuelLog

__all__ = ["DuelLog"]
