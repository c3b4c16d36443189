"""The leaderboard: one row per arm, the same in files, reports and live pages.

Columns are entries of `COLUMNS`; terminal, Markdown, LaTeX, HTML and the arena's pages iterate over them.
"""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp, isnan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from markupsafe import escape

from duelist.errors import MissingExtraError, ParameterError, PreferenceError, require_known
from duelist.files import guard
from duelist.ratings import Ratings, fit_bradley_terry
from duelist.ratings.result import Scale
from duelist.text import align, count, counted, enumeration
from duelist.votes.counting import Repeats, Tally
from duelist.votes.counting import count as count_votes
from duelist.votes.table import Votes

if TYPE_CHECKING:
    from pandas import DataFrame


class LeaderboardRow(NamedTuple):
    """One arm: its votes, and its rating if it has one."""

    arm: str
    """The name of the arm."""
    votes: float
    """The number of counted votes with this arm."""
    wins: float
    """The number of these votes that it won."""
    ties: float
    """The number of these votes that are ties."""
    rating: float | None = None
    """The rating; None if it has none."""
    low: float | None = None
    """The lower end of the rating's confidence interval; None if there is none."""
    high: float | None = None
    """The upper end of the rating's confidence interval; None if there is none."""
    rank_low: int | None = None
    """The best possible rank among rated arms; the rank ranges of all arms are simultaneous."""
    rank_high: int | None = None
    """The worst possible rank among rated arms."""
    first: float | None = None
    """How often its rating is the highest when all ratings are drawn from their estimated distribution."""
    unrated: str = ""
    """The reason why it has no rating; empty if it has one."""
    retired: bool = False
    """Whether the arm was retired."""
    number: int = 0
    """The arm's number in the table of votes."""

    @property
    def share(self) -> float | None:
        """The share of its votes that the arm won, with a tie as half a win; None without votes."""
        return (self.wins + 0.5 * self.ties) / self.votes if self.votes else None


class LeaderboardColumn(NamedTuple):
    name: str
    heading: str
    text: Callable[[LeaderboardRow, int], str]
    """Formats a row's cell, given the number of decimals of ratings."""
    needs: Literal["votes", "rating", "interval"] = "votes"
    """What the votes must provide for the column to be displayed."""


def _ranks(row: LeaderboardRow, digits: int) -> str:
    if row.rank_low is None or row.rank_low == row.rank_high:
        return "" if row.rank_low is None else str(row.rank_low)
    return f"{row.rank_low}-{row.rank_high}"


def _points(value: float | None, digits: int) -> str:
    # adding 0.0 avoids -0.00
    return "" if value is None else f"{round(value, digits) + 0.0:,.{digits}f}"


def _interval(row: LeaderboardRow, digits: int) -> str:
    if row.low is None:
        return row.unrated
    if row.low == row.high:
        return "fixed"
    return f"{_points(row.low, digits)} to {_points(row.high, digits)}"


def _first(row: LeaderboardRow, digits: int) -> str:
    return "" if row.first is None else f"{row.first:.0%}"


MOST_LINES = 50
"""Maximum number of arms that are displayed by default."""
COLUMNS = (
    LeaderboardColumn("arm", "Arm", lambda row, digits: f"{row.arm} (retired)" if row.retired else row.arm),
    LeaderboardColumn("rank", "Rank", _ranks, "rating"),
    LeaderboardColumn("rating", "Rating", lambda row, digits: _points(row.rating, digits), "rating"),
    LeaderboardColumn("interval", "Interval", _interval, "interval"),
    LeaderboardColumn("first", "First", _first, "interval"),
    LeaderboardColumn("votes", "Votes", lambda row, digits: count(row.votes)),
    LeaderboardColumn("won", "Won", lambda row, digits: "" if row.share is None else f"{row.share:.0%}"),
)
"""All columns, in order."""


@dataclass(frozen=True, repr=False)
class Leaderboard:
    """All arms, best first, with ratings where the votes allow them.

    Examples
    --------
    >>> from duelist import load_votes
    >>> votes = load_votes([("dense", "bm25", 14), ("bm25", "dense", 6), ("new", "dense", 2)])
    >>> print(leaderboard_of(votes))
    Arm    Rank  Rating       Interval  First  Votes  Won
    dense   1-2    0.42  -0.05 to 0.90    96%     22  64%
    bm25    1-2   -0.42  -0.90 to 0.05     4%     20  30%
    Not rated: new (won every vote against rated arms).
    """

    rows: tuple[LeaderboardRow, ...]
    """Arms that won every vote against rated arms, then rated arms, then all others."""
    ratings: Ratings | None
    """None if no two arms can be rated."""
    why: str
    """The reason why there are no ratings; empty if there are."""
    answers: int
    """All recorded votes, including repeats."""
    repeats: int
    """Votes that were left out because their voter had already voted on the same pair and item."""
    ridge: float = 0.0
    """The strength of the penalty that pulls ratings together."""

    @property
    def columns(self) -> tuple[LeaderboardColumn, ...]:
        """The columns that have content."""
        held = {"votes"}
        if self.ratings is not None:
            held |= {"rating"} if isnan(self.ratings.confidence) else {"rating", "interval"}
        return tuple(one for one in COLUMNS if one.needs in held)

    @property
    def digits(self) -> int:
        """The number of decimals of ratings."""
        return 0 if self.ratings is not None and self.ratings.scale == "elo" else 2

    @property
    def listed(self) -> tuple[LeaderboardRow, ...]:
        """The arms in the table: those with a rating, or all if no arm has one."""
        return (
            self.rows if self.ratings is None else tuple(one for one in self.rows if one.rating is not None)
        )

    @property
    def unrated(self) -> tuple[LeaderboardRow, ...]:
        """The arms without a rating, if other arms have one."""
        return tuple(one for one in self.rows if self.ratings is not None and one.rating is None)

    @property
    def apart(self) -> str:
        """A sentence that names the arms without a rating and the reasons; empty if all have one."""
        if not self.unrated:
            return self.why and f"No ratings: {self.why}"
        reasons: dict[str, list[str]] = {}
        for row in self.unrated:
            reasons.setdefault(row.unrated, []).append(row.arm)
        parts = [f"{enumeration(arms)} ({reason})" for reason, arms in reasons.items()]
        return f"Not rated: {'; '.join(parts)}."

    @property
    def note(self) -> str:
        """A sentence on the assumption behind the intervals, or the reason why there are no ratings."""
        if self.ratings is None:
            return self.why
        clusters = self.ratings.clusters
        if clusters is None:
            return "Intervals assume that all votes are independent."
        many = counted(clusters.number, "cluster")
        if isnan(self.ratings.confidence):
            return f"There are no intervals: all votes have the same {clusters.by} ({many})."
        return f"Intervals allow for correlated votes of the same {clusters.by} ({many})."

    @property
    def legend(self) -> str:
        """An explanation of ratings, intervals and ranks; empty without ratings."""
        found = self.ratings
        if found is None:
            return ""
        unit, step = ("Elo points", 100.0) if found.scale == "elo" else ("log-odds", 1.0)
        chance = 1.0 / (1.0 + exp(-step / found.points))
        zero = f"the mean of all rated arms is {_points(float(found.rating.mean()), self.digits)}"
        if found.anchor is not None:
            value = found.rating[found.arms.index(found.anchor)]
            zero = f"{found.anchor} is fixed at {_points(float(value), self.digits)}"
        lines = [
            f"Ratings are in {unit}: an arm rated {step:g} above another wins {chance:.0%} of the votes "
            f"between them, with a tie as half a win; {zero}."
        ]
        if not isnan(found.confidence):
            level = f"{100.0 * found.confidence:g}%"
            lines.append(
                f"Each rating has its own {level} confidence interval (not simultaneous); the rank ranges of "
                f"all arms are simultaneous {level} confidence intervals. First is the share of draws from "
                "the estimated distribution of the ratings in which the arm leads."
            )
        lines += ["Rank and First compare rated arms only."] if self.unrated else []
        lines.append(self.note)
        if self.ridge:
            lines.append(
                "A ridge penalty pulls the ratings together; intervals and ranks treat it as a prior."
            )
        if found.weighted:
            lines.append("Ratings use the weights of votes; counts, winners and the verdict do not.")
        return " ".join(lines)

    def texts(self, limit: int | None = None) -> list[list[str]]:
        """Return the formatted cells of the table.

        Parameters
        ----------
        limit : int, optional
            Maximum number of arms; by default all.

        Returns
        -------
        list of list of str
            A row for each arm, a cell for each of `columns`.

        Examples
        --------
        >>> from duelist import analyze
        >>> analyze([[0, 30], [10, 0]]).leaderboard.texts(limit=1)
        [['0', '1', '0.55', '0.19 to 0.91', '100%', '40', '75%']]
        """
        columns, digits = self.columns, self.digits
        return [[column.text(row, digits) for column in columns] for row in self.listed[:limit]]

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        """Return the best arms as plain text, at most 50."""
        return self.table(MOST_LINES)

    def table(self, limit: int | None = None) -> str:
        """Return the leaderboard as plain text, the best arm first.

        Parameters
        ----------
        limit : int, optional
            Maximum number of arms; by default all.

        Returns
        -------
        str
            An aligned table, followed by the arms without a rating.

        Examples
        --------
        >>> from duelist import analyze
        >>> print(analyze([[0, 30, 30], [10, 0, 25], [10, 15, 0]]).leaderboard.table(limit=1))
        Arm  Rank  Rating      Interval  First  Votes  Won
        0       1    0.74  0.40 to 1.08   100%     80  75%
        and 2 more
        """
        table = align([column.heading for column in self.columns], self.texts(limit))
        return "\n".join(line for line in (table, self._more(limit), self.apart) if line)

    def _more(self, limit: int | None) -> str:
        more = len(self.listed) - len(self.listed[:limit])
        return f"and {count(more)} more" if more else ""

    def _repr_html_(self) -> str:
        """Return the best arms as an HTML table, for notebooks."""
        return self.to_html(limit=MOST_LINES)

    def to_html(self, title: str = "", limit: int | None = None) -> str:
        """Return the leaderboard as an HTML table to paste into a page.

        Parameters
        ----------
        title : str, optional
            A heading above the table.
        limit : int, optional
            Maximum number of arms; by default all.

        Returns
        -------
        str
            An HTML fragment.

        Examples
        --------
        >>> from duelist import analyze
        >>> analyze([[0, 30], [10, 0]]).leaderboard.to_html(title="Search").splitlines()[0]
        '<h3>Search</h3>'
        """
        heads = "".join(f'<th scope="col">{escape(column.heading)}</th>' for column in self.columns)
        body = "\n".join(
            f'<tr><th scope="row"><bdi>{escape(line[0])}</bdi></th>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in line[1:])
            + "</tr>"
            for line in self.texts(limit)
        )
        above = f"<h3>{escape(title)}</h3>\n" if title else ""
        lines = [self._more(limit), self.apart]
        below = "".join(f"<p>{escape(line)}</p>\n" for line in lines if line)
        return (
            f"{above}<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n{below}"
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the values of all rows, unformatted.

        Returns
        -------
        list of dict
            The fields of `LeaderboardRow` and `share`, for each arm.

        Examples
        --------
        >>> from duelist import analyze
        >>> [row["share"] for row in analyze([[0, 30], [10, 0]]).leaderboard.to_dicts()]
        [0.75, 0.25]
        """
        return [row._asdict() | {"share": row.share} for row in self.rows]

    def to_frame(self) -> "DataFrame":
        """Return the leaderboard as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for each arm, the best first.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.

        Examples
        --------
        >>> from duelist import analyze
        >>> analyze([[0, 30], [10, 0]]).leaderboard.to_frame()["arm"].tolist()
        ['0', '1']
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("a data frame", "frame") from error
        return pd.DataFrame(self.to_dicts()).drop(columns="number")

    def to_csv(self, **first_columns: str) -> str:
        """Return the leaderboard as CSV in full precision, with arms without a rating last.

        Parameters
        ----------
        **first_columns : str
            Columns to insert before the others, with the same value in every row.

        Returns
        -------
        str
            CSV with a header.

        Examples
        --------
        >>> from duelist import analyze
        >>> analyze([[0, 30], [10, 0]]).leaderboard.to_csv(category="all").splitlines()[1][:15]
        'all,0,40.0,30.0'
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        names = [name for name in (*LeaderboardRow._fields, "share") if name != "number"]
        writer.writerow([*map(guard, first_columns), *names])
        for row in (*self.listed, *self.unrated):
            values = row._asdict() | {"share": row.share}
            cells = [*first_columns.values(), *(values[name] for name in names)]
            writer.writerow([guard(one) if isinstance(one, str) else one for one in cells])
        return text.getvalue()

    def to_markdown(self, title: str = "") -> str:
        """Return the leaderboard as a Markdown table.

        Parameters
        ----------
        title : str, optional
            A heading above the table.

        Returns
        -------
        str
            Markdown.

        Examples
        --------
        >>> from duelist import analyze
        >>> print(analyze([[0, 30], [10, 0]]).leaderboard.to_markdown("Search").splitlines()[2])
        | Arm | Rank | Rating | Interval | First | Votes | Won |
        """

        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(map(_as_markdown, cells)) + " |"

        rule = "| --- |" + " ---: |" * (len(self.columns) - 1)
        lines = [f"### {_as_markdown(title)}", ""] if title else []
        lines += [line([one.heading for one in self.columns]), rule, *map(line, self.texts())]
        lines += ["", _as_markdown(self.apart)] if self.apart else []
        return "\n".join(lines) + "\n"

    def to_latex(self, title: str = "") -> str:
        r"""Return the leaderboard as a LaTeX table, which needs the package booktabs.

        Parameters
        ----------
        title : str, optional
            A heading above the table.

        Returns
        -------
        str
            LaTeX.

        Examples
        --------
        >>> from duelist import analyze
        >>> print(analyze([[0, 30], [10, 0]]).leaderboard.to_latex().splitlines()[2])
        Arm & Rank & Rating & Interval & First & Votes & Won \\
        """

        def line(cells: Sequence[str]) -> str:
            return " & ".join(map(_as_latex, cells)) + r" \\"

        lines = [rf"\subsection*{{{_as_latex(title)}}}"] if title else []
        lines += [
            rf"\begin{{tabular}}{{l{'r' * (len(self.columns) - 1)}}}",
            r"\toprule",
            line([one.heading for one in self.columns]),
            r"\midrule",
            *map(line, self.texts()),
            r"\bottomrule",
            r"\end{tabular}",
        ]
        lines += ["", _as_latex(self.apart)] if self.apart else []
        return "\n".join(lines) + "\n"


LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
MARKDOWN = {sign: f"\\{sign}" for sign in "\\`*_[]<>|#~$"}


def _as_latex(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in text)


def _as_markdown(text: str) -> str:
    return "".join(MARKDOWN.get(sign, sign) for sign in text)


def leaderboard_of(
    votes: Votes,
    *,
    tally: Tally | None = None,
    repeats: Repeats = "first",
    scale: Scale = "log-odds",
    anchor: str | None = None,
    **options: Any,
) -> Leaderboard:
    """Return the leaderboard of votes; it has no ratings if no two arms can be rated.

    Parameters
    ----------
    votes : Votes
        The votes.
    tally : Tally, optional
        The counts of the votes, if already known.
    repeats : {"first", "all"}, default "first"
        Whether to count only the first or all of a voter's votes on the same pair and item.
    scale : {"log-odds", "elo"}, default "log-odds"
        The scale of the ratings.
    anchor : str, optional
        An arm whose rating is fixed at 0, or at 1000 on the Elo scale.
    **options
        Options of `ratings.fit_bradley_terry`.
    """
    if scale not in get_args(Scale):
        raise ParameterError(f"scale must be one of {', '.join(get_args(Scale))}; got {scale!r}.")
    if anchor is not None:
        require_known("arm", anchor, votes.arms)
    tally = count_votes(votes, repeats) if tally is None else tally
    if not tally.votes.any():
        return unrated_board(votes, tally, "There are no votes.")
    try:
        ratings = fit_bradley_terry(votes, repeats=repeats, **options)
    except PreferenceError as error:
        return unrated_board(votes, tally, str(error))
    rated = [votes.arms.index(arm) for arm in ratings.arms]
    if not tally.wins[np.ix_(rated, rated)].any():
        # ties alone have no variance, and would yield intervals of width 0
        return unrated_board(votes, tally, "the arms that could be rated only tied with each other.")
    if anchor in ratings.unrated:
        raise ParameterError(
            f"the anchor {anchor!r} has no rating ({ratings.unrated[anchor]}); choose another anchor."
        )
    if anchor is not None:
        ratings = ratings.anchored(anchor)
    board = _board(votes, tally, ratings.on_elo_scale() if scale == "elo" else ratings, "")
    return replace(board, ridge=float(options.get("ridge", 0.0)))


def unrated_board(votes: Votes, tally: Tally, why: str) -> Leaderboard:
    return _board(votes, tally, None, why)


def _board(votes: Votes, tally: Tally, ratings: Ratings | None, why: str) -> Leaderboard:
    rated = {} if ratings is None else {line.arm: line for line in ratings.rows()}
    reasons = {} if ratings is None else ratings.unrated
    known = ratings is not None and not isnan(ratings.confidence)
    sums = (table.sum(axis=1).tolist() for table in (tally.votes, tally.wins, tally.ties))
    rows = []
    for number, (arm, many, wins, ties) in enumerate(zip(votes.arms, *sums, strict=True)):
        retired, why_not = number in votes.retired, reasons.get(arm, "")
        row = LeaderboardRow(arm, many, wins, ties, unrated=why_not, retired=retired, number=number)
        if arm in rated:
            line = rated[arm]
            row = row._replace(rating=line.rating, rank_low=line.rank_low, rank_high=line.rank_high)
            row = row._replace(low=line.low, high=line.high, first=line.first) if known else row
        rows.append(row)
    return Leaderboard(tuple(sorted(rows, key=_order)), ratings, why, tally.answers, tally.repeats)


def _order(row: LeaderboardRow) -> tuple[float, ...]:
    """Order arms: those that won every vote, rated arms, those that lost every vote, and the rest."""
    won, lost = row.unrated.startswith("won"), row.unrated.startswith("lost")
    group = 0 if won else 1 if row.rating is not None else 2 if lost else 3 if row.votes else 4
    likely = (row.wins + 0.5 * row.ties + 1.0) / (row.votes + 2.0)
    return group, 0.0 if row.rating is None else -round(row.rating, 6), -likely
