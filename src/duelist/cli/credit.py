"""What clicks on interleaved lists say: of each impression, and of all of them together."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from duelist.cli.analyze import Format
from duelist.cli.click_files import Impression, read_impressions
from duelist.cli.ranking_files import EVERY, ONLY, read_listings
from duelist.cli.specs import resolve
from duelist.cli.terminal import console, table
from duelist.duel import TIE
from duelist.interleaving.analysis import analyze_overlap, analyze_preference
from duelist.registry import INTERLEAVINGS, build
from duelist.text import count

MOST = 20
"""So many impressions are printed; JSON has them all."""


def credit(shown: Path, clicks: Path, format: Format) -> None:
    """Print who wins each impression, and what all of them say together."""
    listings = read_listings(shown)
    impressions = read_impressions(clicks, listings)
    outcomes = [settle(one) for one in impressions]
    report = None
    if len(listings) > 1:
        again = len(impressions) > len(listings)
        shown_lists = [(one.listing.query, one.listing.impression) for one in impressions]
        report = analyze_preference(outcomes, lists=shown_lists if again else None)
    lists = [one.listing.shown for one in impressions]
    overlap = analyze_overlap([one.left for one in lists], [one.right for one in lists], outcomes)
    if format is Format.JSON:
        facts = {
            "outcomes": [facts_of(one, outcome) for one, outcome in zip(impressions, outcomes, strict=True)],
            "preference": None if report is None else report.to_dict(),
            "overlap": overlap.to_dict(),
        }
        typer.echo(json.dumps(facts, indent=2))
        return
    terminal = console()
    terminal.print(draw(impressions, outcomes), "", sep="\n")
    if len(impressions) > MOST:
        text = f"and {count(len(impressions) - MOST)} more impressions; --format json has them all.\n"
        terminal.print(Text(text))
    said = f"{report}\n\n{overlap}" if report is not None else say_without_interval(outcomes)
    terminal.print(Text(said), soft_wrap=True)


def settle(impression: Impression) -> float:
    """Return who wins an impression: 1 left, 0 right, 0.5 a tie."""
    listing = impression.listing
    return float(maker_of(listing.method, listing.counting).credit(listing.shown, impression.clicked))


@cache
def maker_of(method: str, counting: str) -> Any:
    """Return the way of interleaving that made a list."""
    name = resolve("method", method, INTERLEAVINGS)
    return build(name, INTERLEAVINGS[name], {"counting": counting})


def winner(outcome: float) -> str:
    """Return who wins, in a word."""
    return "tie" if outcome == TIE else "left" if outcome > TIE else "right"


def facts_of(one: Impression, outcome: float) -> dict[str, Any]:
    """Return an impression as JSON knows it."""
    return {
        "query": one.listing.query,
        "impression": one.name,
        "clicked": one.clicked,
        "outcome": outcome,
        "winner": winner(outcome),
    }


def draw(impressions: Sequence[Impression], outcomes: Sequence[float]) -> Table:
    """Return the first impressions with their winners, and only with names that there are."""
    names = {
        "query": [one.listing.query for one in impressions],
        "impression": [one.name for one in impressions],
    }
    told = [
        name for name, without in (("query", ONLY), ("impression", EVERY)) if set(names[name]) != {without}
    ]
    drawn = table(*told, "clicks", "outcome", "winner", numbers=("clicks", "outcome"))
    for place, (one, outcome) in enumerate(zip(impressions[:MOST], outcomes[:MOST], strict=True)):
        drawn.add_row(
            *(Text(names[name][place]) for name in told),
            count(len(one.clicked)),
            f"{outcome:.2f}",
            winner(outcome),
        )
    return drawn


def say_without_interval(outcomes: Sequence[float]) -> str:
    """Return what clicks on a single list say, and why it is not more."""
    if len(outcomes) == 1:
        return "An interval needs at least two impressions, and this is one."
    wins = [winner(outcome) for outcome in outcomes]
    return (
        f"Of {count(len(wins))} impressions, left wins {count(wins.count('left'))} and right "
        f"{count(wins.count('right'))}. An interval needs at least two lists, and all of these showed the "
        "same one: whoever the draw put first was first each time. Draw a list for each impression with "
        "--impressions."
    )
