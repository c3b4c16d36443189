"""The result of an analysis: winners, a leaderboard, pairs, and a verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from markupsafe import escape

from duelist.analysis.leaderboard import Leaderboard
from duelist.assumptions import Description
from duelist.defaults import CONFIDENCE
from duelist.duel import FloatArray
from duelist.errors import PreferenceError
from duelist.ratings import Contrast
from duelist.stopping import Verdict
from duelist.tables import Notes
from duelist.text import counted, enumeration
from duelist.votes.counting import Repeats
from duelist.votes.table import RETRACTED, SKIPPED, Votes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ABOUT_ARMS = ("labels", "condorcet_winner", "copeland_winners", "cycles")
"""Fields of a description that refer to arms; the others are assumptions."""
MOST_PREDICTED = 100
"""Maximum number of arms for which JSON includes the predicted chances of all pairs."""
MOST_LINES = 10
"""Maximum number of arms in the short text."""


class Pair(NamedTuple):
    """Two arms that were compared; the one that won more often comes first."""

    better: str
    """The name of the arm that won more often."""
    worse: str
    """The name of the other arm."""
    wins: float
    """The wins of the better arm, with a tie as half a win."""
    votes: float
    """The number of counted votes between the two."""
    lower: float
    """The lower bound on the better arm's chance of winning; this pair's own interval, not simultaneous."""
    upper: float
    """The upper bound on the better arm's chance of winning."""


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """The result of `analyze`: leaderboard, winners, assumptions and verdict.

    Examples
    --------
    >>> from duelist import analyze
    >>> print(analyze([[0, 30, 30], [10, 0, 25], [10, 15, 0]]))
    120 votes on 3 arms.
    Undecided: 0 leads (87.4% sure), but is not yet proven against 1, 2.
    Arm  Rank  Rating        Interval  First  Votes  Won
    0       1    0.74    0.40 to 1.08   100%     80  75%
    1     2-3   -0.19   -0.49 to 0.12     0%     80  44%
    2     2-3   -0.55  -0.88 to -0.22     0%     80  31%
    """

    arms: tuple[str, ...]
    """The names of all arms."""
    matrix: FloatArray
    """`matrix[i, j]`: the share of the votes between i and j that i won, or the given preference."""
    counts: FloatArray | None
    """The number of votes of each pair; None for a matrix of preferences."""
    winners: dict[str, dict[str, float]]
    """For each definition of a winner, the winning arms and their scores."""
    one_mixture: bool
    """Whether the von Neumann winner is unique."""
    description: Description
    """The properties of `matrix`, and the learners whose guarantees hold on it."""
    lower_bound: float | None
    """The asymptotic lower bound on regret; None without a Condorcet winner."""
    votes: Votes | None = None
    """The analyzed votes; None for a matrix of preferences."""
    verdict: Verdict | None = None
    """What the votes prove; None for a matrix of preferences."""
    leaderboard: Leaderboard | None = None
    """All arms with their votes and ratings, best first; None for a matrix of preferences."""
    by: str | None = None
    """The column of categories; None without categories."""
    categories: Mapping[str, Leaderboard] = field(default_factory=dict)
    """The leaderboard of each category, if requested."""
    pairs: tuple[Pair, ...] = ()
    """Compared pairs: first those with an arm that beats the most others; in each group, closest first."""
    contrasts: tuple[Contrast, ...] = ()
    """The requested differences of ratings, with their intervals."""
    confidence: float = CONFIDENCE
    """The confidence level of intervals."""
    repeats: Repeats = "first"
    """Whether only the first or all of a named voter's votes on the same pair and item were counted."""
    notes: Notes = field(default_factory=Notes)
    """What was read from the source, and what was left out."""

    @property
    def size(self) -> str:
        """The numbers of votes, arms, voters, items and rankings, as text."""
        arms = counted(len(self.arms), "arm")
        if self.leaderboard is None:
            return f"a preference matrix of {arms}"
        held = [f"{counted(self.leaderboard.answers, 'vote')} on {arms}"]
        if self.votes is not None:
            rows = self.votes.is_counted
            columns = {"voter": self.votes.voters, "item": self.votes.items, "ranking": self.votes.rankings}
            for name, texts in columns.items():
                many = 0 if texts is None else len(np.unique(texts.codes[rows & ~texts.missing]))
                held += [counted(many, name)] if many else []
        return ", ".join(held)

    @property
    def headline(self) -> str:
        """The verdict as a sentence; for a matrix of preferences, whether an arm beats all others."""
        if self.verdict is not None:
            # repeats are mentioned in the remarks
            return str(replace(self.verdict, repeats=0))
        winner = next(iter(self.winners["condorcet"]), None)
        return "No arm beats every other arm." if winner is None else f"{winner} beats every other arm."

    @property
    def remarks(self) -> list[str]:
        """What was read, left out or counted specially, as sentences."""
        lines = self.notes.sentences()
        if self.votes is not None and self.votes.statuses is not None:
            for status, one in ((RETRACTED, "retracted vote"), (SKIPPED, "skipped duel")):
                if many := int(self.votes.counts[self.votes.statuses == status].sum()):
                    lines.append(f"Left out: {counted(many, one)}.")
        if self.votes is not None and self.votes.retired:
            retired = enumeration([self.arms[arm] for arm in sorted(self.votes.retired)])
            lines.append(f"Retired: {retired}; the verdict is about the other arms.")
        repeats = 0 if self.verdict is None else self.verdict.repeats
        if repeats:
            repeat = "repeats" if repeats == 1 else "repeat"
            again = f"{counted(repeats, 'vote')} that {repeat} a voter's vote on the same pair and item"
            lines.append(
                f"Left out: {again}; only the first counts (--repeats all counts all)."
                if self.repeats == "first"
                else f"Counted because of --repeats all: {again}; the verdict leaves them out."
            )
        return lines

    @property
    def unseen(self) -> int:
        """The number of pairs that were never compared."""
        k = len(self.arms)
        return 0 if self.counts is None else k * (k - 1) // 2 - len(self.pairs)

    def some_unseen(self, limit: int = 5) -> list[tuple[str, str]]:
        """Return some of the pairs that were never compared.

        Parameters
        ----------
        limit : int, default 5
            Maximum number of pairs.

        Returns
        -------
        list of tuple of str
            The names of the two arms of each pair.

        Examples
        --------
        >>> from duelist import analyze
        >>> analyze([[0, 7, 0], [3, 0, 6], [0, 4, 0]]).some_unseen()
        [('0', '2')]
        """
        if self.counts is None:
            return []
        one, other = np.nonzero(np.triu(self.counts == 0.0, 1))
        return [(self.arms[i], self.arms[j]) for i, j in zip(one[:limit], other[:limit], strict=True)]

    def __str__(self) -> str:
        """Return the size, the verdict and the best 10 arms as plain text."""
        lines = [f"{self.size[0].upper()}{self.size[1:]}.", self.headline]
        if self.leaderboard is not None:
            lines.append(self.leaderboard.table(MOST_LINES))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(one)}</li>" for one in self.remarks)
        parts = [f"<p><strong>{escape(self.headline)}</strong></p>", f"<p>{escape(self.size)}</p>"]
        parts += [f"<ul>{items}</ul>"] if items else []
        if self.leaderboard is not None:
            parts += [self.leaderboard._repr_html_(), f"<p>{escape(self.leaderboard.legend)}</p>"]
        return "\n".join(parts)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the leaderboard: a point and an interval for each rated arm.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw on; by default those of a new figure, which notebooks display.

        Returns
        -------
        matplotlib axes
            The axes with the drawing.

        Raises
        ------
        PreferenceError
            If there are no ratings.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from duelist import analyze
        >>> axes = analyze([[0, 7, 9], [3, 0, 6], [1, 4, 0]]).plot(Figure().subplots())
        >>> axes.get_xlabel()
        'rating: log-odds, relative to the mean of all arms'
        """
        board = self.leaderboard
        if board is None or board.ratings is None:
            why = "a matrix of preferences has no leaderboard." if board is None else board.why
            raise PreferenceError(f"a plot needs ratings, and there are none: {why}")
        return draw_board(board, ax)

    def titled(self, category: str) -> str:
        """Return the title of a category's leaderboard.

        Parameters
        ----------
        category : str
            A key of `categories`; empty for votes without a category.

        Returns
        -------
        str
            The name of the column and the category.

        Examples
        --------
        >>> from duelist import analyze
        >>> rows = [{"winner": "a", "loser": "b", "language": "en"}] * 3
        >>> analyze(rows, by="language").titled("en")
        'language: en'
        """
        return f"{self.by}: {category}" if category else f"without {self.by}"

    def to_csv(self) -> str:
        """Return the leaderboard as CSV; with categories, all leaderboards with a column `category`.

        Returns
        -------
        str
            CSV with a header.

        Raises
        ------
        PreferenceError
            If the source was a matrix of preferences, which has no leaderboard.

        Examples
        --------
        >>> from duelist import analyze
        >>> analyze([[0, 30], [10, 0]]).to_csv().splitlines()[0]
        'arm,votes,wins,ties,rating,low,high,rank_low,rank_high,first,unrated,retired,share'
        """
        if self.leaderboard is None:
            raise PreferenceError("a matrix of preferences has no leaderboard; give votes or counts instead.")
        if not self.categories:
            return self.leaderboard.to_csv()
        boards = [("all votes", self.leaderboard)]
        boards += [(self.titled(name), one) for name, one in self.categories.items()]
        texts = [board.to_csv(category=title) for title, board in boards]
        return "".join([texts[0], *(text.partition("\n")[2] for text in texts[1:])])

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as JSON-compatible data, with arms identified by name.

        Returns
        -------
        dict
            The fields of the result.

        Examples
        --------
        >>> from duelist import analyze
        >>> analyze([[0, 30], [10, 0]]).to_dict()["winners"]["copeland"]
        {'0': 1.0}
        """
        board = self.leaderboard
        rated = board.ratings if board is not None else None
        return {
            "arms": list(self.arms),
            "size": self.size,
            "remarks": self.remarks,
            "verdict": None if self.verdict is None else vars(self.verdict) | {"text": self.headline},
            "votes": None if board is None else board.answers,
            "repeats": None if self.verdict is None else self.verdict.repeats,
            "confidence": self.confidence,
            "leaderboard": None if board is None else board.to_dicts(),
            "legend": None if board is None else board.legend or None,
            "unrated": None if board is None else board.why or None,
            "scale": None if rated is None else rated.scale,
            "anchor": None if rated is None else rated.anchor,
            "clusters": None if rated is None or rated.clusters is None else rated.clusters._asdict(),
            "effects": [] if rated is None else [plain(one._asdict()) for one in rated.effects],
            "contrasts": [plain(one._asdict()) for one in self.contrasts],
            "predicted": None
            if rated is None or len(rated.arms) > MOST_PREDICTED
            else {"arms": list(rated.arms), "chances": rated.predicted().tolist()},
            "categories": {
                name: {"unrated": one.why or None, "leaderboard": one.to_dicts()}
                for name, one in self.categories.items()
            },
            "winners": self.winners | {"condorcet": next(iter(self.winners["condorcet"]), None)},
            "von_neumann_is_unique": self.one_mixture,
            "pairs": [pair._asdict() for pair in self.pairs],
            "never_compared": self.unseen,
            "cycles": [
                {part: [self.arms[arm] for arm in arms] for part, arms in cycle._asdict().items()}
                for cycle in self.description.cycles
            ],
            "assumptions": {
                name: held for name, held in vars(self.description).items() if name not in ABOUT_ARMS
            },
            "guarantees": self.description.guarantees,
            "lower_bound": self.lower_bound,
        }


def draw_board(board: Leaderboard, ax: "Axes | None" = None) -> "Axes":
    """Draw the ratings of a leaderboard; the axis label says what they are relative to."""
    assert board.ratings is not None
    axes = board.ratings.plot(ax)
    unit = "Elo points" if board.ratings.scale == "elo" else "log-odds"
    anchor = board.ratings.anchor
    zero = "the mean of all arms" if anchor is None else anchor
    axes.set_xlabel(f"rating: {unit}, relative to {zero}", parse_math=False)
    return axes


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields with NaN replaced by None, for JSON."""
    return {
        name: None if isinstance(value, float) and isnan(value) else value for name, value in fields.items()
    }
