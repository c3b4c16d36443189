"""What an analysis found: winners, a leaderboard, pairs, and one verdict."""

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
"""Fields of a description that speak of single arms; the others are assumptions."""
MOST_PREDICTED = 100
"""Arms for which data holds the predicted chances of all pairs; they follow from the ratings."""
MOST_LINES = 10
"""Arms of a short text."""


class Pair(NamedTuple):
    """Two arms that were compared; the one that won more often comes first."""

    better: str
    worse: str
    wins: float
    """How often the better one won, a tie as half."""
    votes: float
    lower: float
    """Bounds on the chance that the better arm wins: a confidence interval of this pair by itself."""
    upper: float


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """What votes, or a matrix of preferences, say; there is one verdict.

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
    matrix: FloatArray
    """`matrix[i, j]`: the share of their votes that i won against j, or the given preference."""
    counts: FloatArray | None
    """How many votes each pair has; None for a matrix of preferences."""
    winners: dict[str, dict[str, float]]
    """For every definition of a winner the winning arms, each with its score."""
    one_mixture: bool
    """Whether there is only one von Neumann winner."""
    description: Description
    lower_bound: float | None
    """Of regret, for problems with a Condorcet winner."""
    votes: Votes | None = None
    verdict: Verdict | None = None
    """What the votes have proven; None for a matrix of preferences."""
    leaderboard: Leaderboard | None = None
    by: str | None = None
    """The column of categories."""
    categories: Mapping[str, Leaderboard] = field(default_factory=dict)
    """The leaderboard of every category, where they were asked for."""
    pairs: tuple[Pair, ...] = ()
    """Compared pairs: those of arms that beat the most others first, the closest before clearer ones."""
    contrasts: tuple[Contrast, ...] = ()
    confidence: float = CONFIDENCE
    repeats: Repeats = "first"
    notes: Notes = field(default_factory=Notes)

    @property
    def size(self) -> str:
        """How much there is, in words."""
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
        """The verdict; of a matrix of preferences, whether an arm beats all others."""
        if self.verdict is not None:
            # the remarks tell of repeats
            return str(replace(self.verdict, repeats=0))
        winner = next(iter(self.winners["condorcet"]), None)
        return "No arm beats every other arm." if winner is None else f"{winner} beats every other arm."

    @property
    def remarks(self) -> list[str]:
        """What a reader of the results must know about what was read, in sentences."""
        told = self.notes.sentences()
        if self.votes is not None and self.votes.statuses is not None:
            for status, one in ((RETRACTED, "retracted vote"), (SKIPPED, "skipped duel")):
                if many := int(self.votes.counts[self.votes.statuses == status].sum()):
                    told.append(f"Left out: {counted(many, one)}.")
        if self.votes is not None and self.votes.retired:
            retired = enumeration([self.arms[arm] for arm in sorted(self.votes.retired)])
            told.append(f"Retired: {retired}; the verdict is about the other arms.")
        repeats = 0 if self.verdict is None else self.verdict.repeats
        if repeats:
            repeat = "repeats" if repeats == 1 else "repeat"
            again = f"{counted(repeats, 'vote')} that {repeat} a voter's vote on the same pair and item"
            told.append(
                f"Left out: {again}; the first counts, and --repeats all counts all."
                if self.repeats == "first"
                else f"Counted: {again}, as --repeats all asks; the verdict leaves them out."
            )
        return told

    @property
    def unseen(self) -> int:
        """How many pairs were never compared."""
        k = len(self.arms)
        return 0 if self.counts is None else k * (k - 1) // 2 - len(self.pairs)

    def some_unseen(self, limit: int = 5) -> list[tuple[str, str]]:
        """Return the first pairs that were never compared."""
        if self.counts is None:
            return []
        one, other = np.nonzero(np.triu(self.counts == 0.0, 1))
        return [(self.arms[i], self.arms[j]) for i, j in zip(one[:limit], other[:limit], strict=True)]

    def __str__(self) -> str:
        """Return the verdict and the leaderboard as short text."""
        told = [f"{self.size[0].upper()}{self.size[1:]}.", self.headline]
        if self.leaderboard is not None:
            told.append(self.leaderboard.table(MOST_LINES))
        return "\n".join(told)

    def __repr__(self) -> str:
        """Return the same as `str`."""
        return str(self)

    def _repr_html_(self) -> str:
        """Return verdict, remarks and leaderboard as HTML, for notebooks."""
        lines = "".join(f"<li>{escape(one)}</li>" for one in self.remarks)
        told = [f"<p><strong>{escape(self.headline)}</strong></p>", f"<p>{escape(self.size)}</p>"]
        told += [f"<ul>{lines}</ul>"] if lines else []
        if self.leaderboard is not None:
            told += [self.leaderboard._repr_html_(), f"<p>{escape(self.leaderboard.legend)}</p>"]
        return "\n".join(told)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the leaderboard, a point and an interval for each rated arm, and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure, which notebooks show.

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
            raise PreferenceError(f"there are no ratings to draw: {why}")
        return draw_board(board, ax)

    def titled(self, category: str) -> str:
        """Return the title of a category."""
        return f"{self.by}: {category}" if category else f"without {self.by}"

    def to_csv(self) -> str:
        """Return the leaderboard as CSV; with categories, all leaderboards under a column `category`."""
        if self.leaderboard is None:
            raise PreferenceError("a matrix of preferences has no leaderboard.")
        if not self.categories:
            return self.leaderboard.to_csv()
        boards = [("all votes", self.leaderboard)]
        boards += [(self.titled(name), one) for name, one in self.categories.items()]
        texts = [board.to_csv(category=title) for title, board in boards]
        return "".join([texts[0], *(text.partition("\n")[2] for text in texts[1:])])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON holds it; arms are called by their names."""
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
    """Draw the ratings of a leaderboard, with what they are relative to below them."""
    assert board.ratings is not None
    axes = board.ratings.plot(ax)
    unit = "Elo points" if board.ratings.scale == "elo" else "log-odds"
    anchor = board.ratings.anchor
    zero = "the mean of all arms" if anchor is None else anchor
    axes.set_xlabel(f"rating: {unit}, relative to {zero}", parse_math=False)
    return axes


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields as JSON has them: None where a number is not known."""
    return {
        name: None if isinstance(value, float) and isnan(value) else value for name, value in fields.items()
    }
