"""How published experiments are played again: planned, done on any executor, kept, judged and shown."""

from duelist.laboratory.items import Drawing, Expected, Finding, Grid, Item, Paper
from duelist.laboratory.made_up import made_up_preferences
from duelist.laboratory.running import carry_out
from duelist.laboratory.sources import Sources
from duelist.laboratory.verdicts import Judged, Verdict, all_hold, judge, summary
from duelist.laboratory.work import Arrays, Piece, Result, Results, Scale

__all__ = [
    "Arrays",
    "Drawing",
    "Expected",
    "Finding",
    "Grid",
    "Item",
    "Judged",
    "Paper",
    "Piece",
    "Result",
    "Results",
    "Scale",
    "Sources",
    "Verdict",
    "all_hold",
    "carry_out",
    "judge",
    "made_up_preferences",
    "summary",
]
