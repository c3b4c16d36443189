"""Enough votes? Verdicts that hold however pairs were chosen, and however often one looks."""

from duelist.stopping.forecast import votes_left
from duelist.stopping.verdict import Finding, Verdict, verdict_on

__all__ = ["Finding", "Verdict", "verdict_on", "votes_left"]
