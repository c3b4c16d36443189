"""Recorded votes between arms: read from files and frames, and counted."""

from duelist.votes.loading import load_votes
from duelist.votes.table import Votes

__all__ = ["Votes", "load_votes"]
