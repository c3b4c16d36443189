"""Clicks on interleaved lists, credited: the outcome of each impression, and of all of them together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from duelist.duel import TIE
from duelist.interleaving.analysis.overlap_report import OverlapReport, analyze_overlap
from duelist.interleaving.analysis.preference import PreferenceReport, analyze_preference
from duelist.interleaving.listings import ClickedList
from duelist.text import count


@dataclass(frozen=True)
class CreditedClicks:
    """Impressions with their outcomes, and which ranking is preferred; print it."""

    impressions: tuple[ClickedList, ...]
    outcomes: tuple[float, ...]
    """1 where left wins, 0 where right wins, 0.5 for a tie."""
    preference: PreferenceReport | None
    """None where all impressions showed one list, which allows no interval."""
    overlap: OverlapReport

    @property
    def winners(self) -> list[str]:
        """The winner of each impression: left, right or tie."""
        return ["tie" if one == TIE else "left" if one > TIE else "right" for one in self.outcomes]

    def to_dict(self) -> dict[str, Any]:
        """Return every impression and the reports, as JSON holds them."""
        return {
            "outcomes": [
                {
                    "query": one.listing.query,
                    "impression": one.impression,
                    "clicked": one.clicked,
                    "outcome": outcome,
                    "winner": winner,
                }
                for one, outcome, winner in zip(self.impressions, self.outcomes, self.winners, strict=True)
            ],
            "preference": None if self.preference is None else self.preference.to_dict(),
            "overlap": self.overlap.to_dict(),
        }

    def __str__(self) -> str:
        """Return which ranking is preferred, or why a single list does not tell."""
        if self.preference is not None:
            return f"{self.preference}\n\n{self.overlap}"
        if len(self.outcomes) == 1:
            return "An interval needs at least two impressions, and this is one."
        left, right = (count(self.winners.count(side)) for side in ("left", "right"))
        return (
            f"Of {count(len(self.outcomes))} impressions, left wins {left} and right {right}. An interval "
            "needs at least two lists, and all of these showed the same one: whoever the draw put first was "
            "first each time. Draw a list for each impression with --impressions."
        )


def credit_clicks(impressions: Sequence[ClickedList], method_of: Callable[[str, str], Any]) -> CreditedClicks:
    """Return the outcome of every impression, and what they say together.

    `method_of` returns the way of interleaving for the names of a method and of a counting of clicks.
    """
    listings = [one.listing for one in impressions]
    methods = {key: method_of(*key) for key in dict.fromkeys((one.method, one.counting) for one in listings)}
    outcomes = [
        float(methods[one.listing.method, one.listing.counting].credit(one.listing.shown, one.clicked))
        for one in impressions
    ]
    names = [(one.query, one.impression) for one in listings]
    distinct = len(set(names))
    preference = None
    if distinct > 1:
        preference = analyze_preference(outcomes, lists=names if len(names) > distinct else None)
    overlap = analyze_overlap(
        [one.shown.left for one in listings], [one.shown.right for one in listings], outcomes
    )
    return CreditedClicks(tuple(impressions), tuple(outcomes), preference, overlap)
