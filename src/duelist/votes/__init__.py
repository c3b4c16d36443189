"""Recorded votes: one table, one counting rule, one reader for files and data frames."""

from duelist.votes.columns import Texts
from duelist.votes.counting import Tally, count
from duelist.votes.loading import load_votes
from duelist.votes.table import Vote, Votes

__all__ = ["Tally", "Texts", "Vote", "Votes", "count", "load_votes"]
