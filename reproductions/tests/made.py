"""Made-up results of whole items, and the verdicts on them."""

from collections.abc import Callable
from dataclasses import replace

from duelist.laboratory import Arrays, Item, ItemResults, Paper, Piece, PieceResult, Scale, judge


def make_results(
    item: Item, arrays: Callable[[Piece], Arrays], scale: Scale = Scale.PAPER, real: bool = True
) -> ItemResults:
    """Return results of all that an item plans, plan after plan, made of pieces by a function."""
    found: dict[str, PieceResult] = {}
    for plan in (item.plan, *item.then):
        pieces = plan(ItemResults(scale, real, dict(found)))
        found |= {piece.name: PieceResult(piece.setting, arrays(piece)) for piece in pieces}
    return ItemResults(scale, real, found)


def holds(paper: Paper, item: Item, results: ItemResults, **tolerances: float) -> dict[str, bool | None]:
    """Return which claims hold by these results, some of them with other tolerances."""
    expected = paper.expected[item.name]
    other = {name: {**expected["claims"][name], "tolerance": one} for name, one in tolerances.items()}
    asked = replace(paper)
    asked.__dict__["expected"] = {item.name: {**expected, "claims": {**expected["claims"], **other}}}
    return {verdict.name: verdict.holds for verdict in judge(asked, item, results).verdicts}


def claims_with(verdicts: dict[str, bool | None], value: bool | None) -> set[str]:
    """Return the claims that hold, fail or were not judged."""
    return {name for name, one in verdicts.items() if one is value}
