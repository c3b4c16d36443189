"""Clicks on interleaved lists, credited: the outcome of each impression, and of all of them together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.duel import TIE
from duelist.interleaving.analysis.anytime import AnytimeReport, AnytimeTest
from duelist.interleaving.analysis.columns import as_groups
from duelist.interleaving.analysis.overlap import OverlapReport, analyze_overlap
from duelist.interleaving.analysis.preference import PreferenceReport, analyze_preference
from duelist.interleaving.listings import SIDES
from duelist.interleaving.served import ClickedList
from duelist.text import count, list_warnings


@dataclass(frozen=True)
class CreditedClicks:
    """Impressions with their outcomes, and which ranking is preferred; prints as a report."""

    impressions: tuple[ClickedList, ...]
    outcomes: tuple[float, ...]
    """1 where left wins, 0 where right wins, 0.5 for a tie."""
    sides: tuple[str, str]
    """The files of the left and the right rankings."""
    preference: AnytimeReport | PreferenceReport | None
    """None where all impressions showed one list, which allows no interval."""
    overlap: OverlapReport

    @property
    def winners(self) -> list[str]:
        """The winner of each impression: left, right or tie."""
        return ["tie" if one == TIE else "left" if one > TIE else "right" for one in self.outcomes]

    @property
    def verdict(self) -> str:
        """Which ranking is preferred, or why a single list does not tell."""
        if self.preference is not None:
            return self.preference.verdict
        if len(self.outcomes) == 1:
            return "An interval needs at least two impressions, and this is one."
        left, right = (count(self.winners.count(side)) for side in SIDES)
        wins = f"{self.sides[0]} wins {left} and {self.sides[1]} {right}"
        return (
            f"Of {count(len(self.outcomes))} impressions, {wins}. An interval needs at least two lists, and "
            "all impressions showed the same one. Draw a list for each impression with --impressions."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return every impression and the reports, ready for JSON."""
        return {
            "verdict": self.verdict,
            **dict(zip(SIDES, self.sides, strict=True)),
            "outcomes": [
                {"query": one.listing.query, "impression": one.impression, "user": one.user}
                | {"clicked": one.clicked, "outcome": outcome, "winner": winner}
                for one, outcome, winner in zip(self.impressions, self.outcomes, self.winners, strict=True)
            ],
            "preference": None if self.preference is None else self.preference.to_dict(),
            "overlap": self.overlap.to_dict(),
        }

    @property
    def details(self) -> str:
        """The numbers behind the verdict, and warnings, as text."""
        if self.preference is None:
            return str(self.overlap)
        warnings = self.preference.warnings if isinstance(self.preference, PreferenceReport) else ()
        return f"{self.preference.table}{list_warnings(warnings)}\n\n{self.overlap}"

    def __str__(self) -> str:
        """Return the verdict and the numbers behind it."""
        return f"{self.verdict}\n\n{self.details}"


def credit_clicks(
    impressions: Sequence[ClickedList], method_of: Callable[[str, str], Any], once: bool = False
) -> CreditedClicks:
    """Return the outcome of every impression, in order, and the preference they show together.

    `method_of` returns the method for the names of a method and of a counting of clicks. The test is an
    `AnytimeTest`, or with `once`, for a number of impressions fixed in advance, `analyze_preference`.
    """
    listings = [one.listing for one in impressions]
    methods = {key: method_of(*key) for key in dict.fromkeys((one.method, one.counting) for one in listings)}
    outcomes = []
    for one, listing in zip(impressions, listings, strict=True):
        outcomes.append(float(methods[listing.method, listing.counting].credit(listing.shown, one.clicked)))
    files = {one.files for one in listings}
    sides = files.pop() if len(files) == 1 else SIDES
    names = [(one.query, one.impression) for one in listings]
    users = [one.user for one in impressions] if any(one.user for one in impressions) else None
    # a user, or a list that was shown repeatedly, counts once, by its mean
    lists = names if len(names) > len(set(names)) else None
    preference: AnytimeReport | PreferenceReport | None = None
    if len(set(names)) > 1 and once:
        preference = analyze_preference(outcomes, users=users, lists=lists, sides=sides)
    elif len(set(names)) > 1:
        unit = "list" if lists else "user" if users else "impression"
        groups = as_groups(unit, lists or users or range(len(outcomes)), len(outcomes))
        means = np.bincount(groups, weights=outcomes) / np.bincount(groups)
        test = AnytimeTest()
        preference = test.report(test.update(test.init(), means), unit, sides)
    left, right = [one.shown.left for one in listings], [one.shown.right for one in listings]
    overlap = analyze_overlap(left, right, outcomes)
    return CreditedClicks(tuple(impressions), tuple(outcomes), sides, preference, overlap)
