"""Reproduction of published experiments: planned, run on any executor, stored, judged and shown."""

from duelist.laboratory.comparisons import Interval, agrees, ratio_of_means
from duelist.laboratory.items import Drawing, Expected, Finding, Item, Paper, ResultTable, not_played, panels
from duelist.laboratory.running import carry_out, choose, find_papers
from duelist.laboratory.sources import Sources, made_up_preferences
from duelist.laboratory.verdicts import ClaimVerdict, Judged, all_hold, judge, summary
from duelist.laboratory.work import Arrays, ItemResults, Piece, PieceResult, Scale, chunks, grid, settings

__all__ = [
    "Arrays",
    "ClaimVerdict",
    "Drawing",
    "Expected",
    "Finding",
    "Interval",
    "Item",
    "ItemResults",
    "Judged",
    "Paper",
    "Piece",
    "PieceResult",
    "ResultTable",
    "Scale",
    "Sources",
    "agrees",
    "all_hold",
    "carry_out",
    "choose",
    "chunks",
    "find_papers",
    "grid",
    "judge",
    "made_up_preferences",
    "not_played",
    "panels",
    "ratio_of_means",
    "settings",
    "summary",
]
