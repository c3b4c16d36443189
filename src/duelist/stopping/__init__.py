"""Enough votes? Verdicts that hold however pairs were chosen, and however often one looks."""

from duelist.stopping.forecast import votes_left
from duelist.stopping.verdict import Verdict, verdict_on

__all__ = ["Verdict", "verdict_on", "votes_left"]
