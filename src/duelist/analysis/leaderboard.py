"""The leaderboard: one line for each arm, the same for files, reports and live pages.

A column is an entry of `COLUMNS`: terminal, Markdown, LaTeX, HTML and the arena's pages loop over it.
"""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import escape

from duelist.errors import MissingExtraError, PreferenceError
from duelist.files import guard
from duelist.ratings import Ratings, bradley_terry
from duelist.text import align, count, counted
from duelist.votes.counting import Repeats, Tally
from duelist.votes.counting import count as count_votes
from duelist.votes.table import Votes

if TYPE_CHECKING:
    from pandas import DataFrame


class LeaderboardRow(NamedTuple):
    """One arm: its rating where it has one, and how its votes went."""

    arm: str
    votes: float
    """How many votes it was in, repeats left out."""
    wins: float
    ties: float
    rating: float | None = None
    low: float | None = None
    """Bounds of the rating's confidence interval; None where there is none."""
    high: float | None = None
    rank_low: int | None = None
    """The best rank that it may have among rated arms, and the worst: simultaneous for all arms."""
    rank_high: int | None = None
    first: float | None = None
    """The chance that its rating is the highest, given how uncertain all ratings are."""
    unrated: str = ""
    """Why it has no rating."""
    retired: bool = False
    number: int = 0
    """The arm's number in the table of votes."""

    @property
    def share(self) -> float | None:
        """The share of its votes that it won, a tie as half; None without votes."""
        return (self.wins + 0.5 * self.ties) / self.votes if self.votes else None


class LeaderboardColumn(NamedTuple):
    """A column of every leaderboard: its name in data, its heading, its text and its value."""

    name: str
    heading: str
    text: Callable[[LeaderboardRow, int], str]
    """Of a row, with this many digits behind the point of ratings."""
    needs_rating: bool = False


def _ranks(row: LeaderboardRow, digits: int) -> str:
    if row.rank_low is None or row.rank_low == row.rank_high:
        return "" if row.rank_low is None else str(row.rank_low)
    return f"{row.rank_low}-{row.rank_high}"


def _points(value: float | None, digits: int) -> str:
    # nothing is written as -0.00
    return "" if value is None else f"{round(value, digits) + 0.0:,.{digits}f}"


def _interval(row: LeaderboardRow, digits: int) -> str:
    if row.low is None:
        return row.unrated
    return f"{_points(row.low, digits)} to {_points(row.high, digits)}"


COLUMNS = (
    LeaderboardColumn("arm", "Arm", lambda row, digits: row.arm),
    LeaderboardColumn("rank", "Rank", _ranks, needs_rating=True),
    LeaderboardColumn("rating", "Rating", lambda row, digits: _points(row.rating, digits), needs_rating=True),
    LeaderboardColumn("interval", "Interval", _interval, needs_rating=True),
    LeaderboardColumn(
        "first",
        "First",
        lambda row, digits: "" if row.first is None else f"{row.first:.0%}",
        needs_rating=True,
    ),
    LeaderboardColumn("votes", "Votes", lambda row, digits: count(row.votes)),
    LeaderboardColumn("won", "Won", lambda row, digits: "" if row.share is None else f"{row.share:.0%}"),
)
"""All columns, in their order."""


@dataclass(frozen=True)
class Leaderboard:
    """All arms, the best first, with ratings where votes allow them.

    Examples
    --------
    >>> from duelist import load_votes
    >>> votes = load_votes([("dense", "bm25", 14), ("bm25", "dense", 6), ("new", "dense", 2)])
    >>> print(leaderboard_of(votes))
    Arm    Rank  Rating                           Interval  First  Votes  Won
    new                  won every vote against rated arms             2  100%
    dense     1    0.42                       -0.05 to 0.90    96%     22  64%
    bm25      1   -0.42                       -0.90 to 0.05     4%     20  30%
    """

    rows: tuple[LeaderboardRow, ...]
    ratings: Ratings | None
    """None where no two arms can be rated."""
    why: str
    """Why there are no ratings; empty where there are."""
    answers: int
    """All votes on record."""
    repeats: int
    """Votes that are left out, because their voter had voted on the same pair and item before."""

    @property
    def columns(self) -> tuple[LeaderboardColumn, ...]:
        """The columns that have something to show."""
        return tuple(one for one in COLUMNS if self.ratings is not None or not one.needs_rating)

    @property
    def digits(self) -> int:
        """How many digits behind the point ratings are written with."""
        return 0 if self.ratings is not None and self.ratings.scale == "elo" else 2

    @property
    def note(self) -> str:
        """What the intervals allow for, in a sentence."""
        if self.ratings is None:
            return self.why
        clusters = self.ratings.clusters
        if clusters is None:
            return "Intervals take every vote to be independent."
        many = counted(clusters.number, clusters.by)
        return f"Intervals allow for votes of the same {clusters.by} to resemble each other ({many})."

    def texts(self) -> list[list[str]]:
        """Return all cells as people read them, a row for each arm."""
        return [[column.text(row, self.digits) for column in self.columns] for row in self.rows]

    def __str__(self) -> str:
        """Return the leaderboard as plain text."""
        return align([column.heading for column in self.columns], self.texts())

    def _repr_html_(self) -> str:
        """Return the leaderboard as an HTML table, for notebooks."""
        heads = "".join(f'<th scope="col">{escape(column.heading)}</th>' for column in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in self.texts()
        )
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return all values, a dictionary for each arm."""
        return [row._asdict() | {"share": row.share} for row in self.rows]

    def to_frame(self) -> "DataFrame":
        """Return a pandas data frame, a row for each arm, the best first."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("a data frame", "frame") from error
        return pd.DataFrame(self.to_dicts()).drop(columns="number")

    def to_csv(self) -> str:
        """Return the leaderboard as CSV, with all digits."""
        text = io.StringIO()
        rows = self.to_dicts()
        writer = csv.writer(text, lineterminator="\n")
        names = [name for name in rows[0] if name != "number"]
        writer.writerow(names)
        for row in rows:
            values = (row[name] for name in names)
            writer.writerow([guard(one) if isinstance(one, str) else one for one in values])
        return text.getvalue()

    def to_markdown(self) -> str:
        """Return the leaderboard as a table of Markdown."""

        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells) + " |"

        rule = "| --- |" + " ---: |" * (len(self.columns) - 1)
        return "\n".join([line([one.heading for one in self.columns]), rule, *map(line, self.texts())]) + "\n"

    def to_latex(self) -> str:
        """Return the leaderboard as a table of LaTeX, with the rules of booktabs."""

        def line(cells: Sequence[str]) -> str:
            return " & ".join(map(_as_latex, cells)) + r" \\"

        head = line([one.heading for one in self.columns])
        return "\n".join(
            [
                rf"\begin{{tabular}}{{l{'r' * (len(self.columns) - 1)}}}",
                r"\toprule",
                head,
                r"\midrule",
                *map(line, self.texts()),
                r"\bottomrule",
                r"\end{tabular}",
                "",
            ]
        )


LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _as_latex(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in text)


def leaderboard_of(
    votes: Votes, *, tally: Tally | None = None, repeats: Repeats = "first", **options: Any
) -> Leaderboard:
    """Return the leaderboard of votes.

    Parameters
    ----------
    votes : Votes
        The votes.
    tally : Tally, optional
        Their counts, where they are known already.
    repeats : {"first", "all"}, default "first"
        Which of a voter's votes on one pair and item count.
    **options
        As `ratings.bradley_terry` takes them; also `scale`, "log-odds" or "elo", and `anchor`, an arm.
    """
    tally = count_votes(votes, repeats) if tally is None else tally
    scale, anchor = options.pop("scale", "log-odds"), options.pop("anchor", None)
    ratings, why = None, ""
    if not tally.wins.any():
        why = "All votes are ties." if tally.ties.any() else "There are no votes."
    else:
        try:
            ratings = bradley_terry(votes, repeats=repeats, **options)
        except PreferenceError as error:
            why = str(error)
    if ratings is not None and scale == "elo":
        ratings = ratings.on_elo_scale()
    if ratings is not None and anchor is not None:
        ratings = ratings.anchored(anchor)
    rated = {} if ratings is None else {line.arm: line for line in ratings.rows()}
    reasons = {} if ratings is None else ratings.unrated
    rows = []
    for arm, name in enumerate(votes.arms):
        fields: dict[str, Any] = {"unrated": reasons.get(name, "")}
        if name in rated:
            line = rated[name]
            known = ratings is not None and ratings.confidence == ratings.confidence
            low, high = (line.low, line.high) if known else (None, None)
            fields = {"rating": line.rating, "low": low, "high": high}
            fields |= {
                "rank_low": line.rank_low,
                "rank_high": line.rank_high,
                "first": line.first if known else None,
            }
        wins, ties = float(tally.wins[arm].sum()), float(tally.ties[arm].sum())
        total = float(tally.votes[arm].sum())
        retired = arm in votes.retired
        rows.append(LeaderboardRow(name, total, wins, ties, **fields, retired=retired, number=arm))
    return Leaderboard(tuple(sorted(rows, key=_place)), ratings, why, tally.answers, tally.repeats)


def _place(row: LeaderboardRow) -> tuple[float, ...]:
    """Put arms that won every vote first, then rated ones, then those that lost every vote, then the rest."""
    won, lost = row.unrated.startswith("won"), row.unrated.startswith("lost")
    group = 0 if won else 1 if row.rating is not None else 2 if lost else 3 if row.votes else 4
    likely = (row.wins + 0.5 * row.ties + 1.0) / (row.votes + 2.0)
    return group, 0.0 if row.rating is None else -round(row.rating, 6), -likely
