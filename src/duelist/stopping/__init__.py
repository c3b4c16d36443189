"""Decide whether there are enough votes: anytime-valid verdicts, however the pairs were chosen."""

from duelist.stopping.forecast import votes_left
from duelist.stopping.verdict import Verdict, verdict_on

__all__ = ["Verdict", "verdict_on", "votes_left"]
