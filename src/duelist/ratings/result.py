"""Ratings of arms: a leaderboard with intervals and ranges of ranks."""

from dataclasses import dataclass, replace
from html import escape
from math import isnan, log, nan
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.errors import MissingExtraError
from duelist.ratings.ranks import places
from duelist.text import align, count, enumeration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

MOST_LINES = 20  # of a representation, for those who have hundreds of arms


class RatedArm(NamedTuple):
    """One line of a leaderboard."""

    arm: str
    rating: float
    low: float
    """Bounds of the rating's interval; nan where none was asked for."""
    high: float
    rank_low: int
    """The best rank that the arm may have, and the worst."""
    rank_high: int
    votes: int

    def texts(self) -> list[str]:
        """Return the line as people read it: arm, rating, interval, ranks and votes."""
        same = self.rank_low == self.rank_high
        ranks = str(self.rank_low) if same else f"{self.rank_low}-{self.rank_high}"
        # nothing is written as -0.00
        rating, low, high = (f"{round(value, 2) + 0.0:.2f}" for value in self[1:4])
        return [self.arm, rating, f"{low} to {high}", ranks, count(self.votes)]


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """The rating of every arm, with its interval and the ranks that it may have.

    Examples
    --------
    >>> from duelist import ratings
    >>> found = ratings.bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]])
    >>> found
    arm  rating        interval  ranks  votes
    0      0.94    0.22 to 1.66    1-2     20
    1     -0.16   -0.84 to 0.51    1-3     20
    2     -0.78  -1.46 to -0.11    2-3     20
    >>> found.to_frame().columns.tolist()
    ['arm', 'rating', 'low', 'high', 'rank_low', 'rank_high']
    """

    arms: tuple[str, ...]
    rating: FloatArray
    low: FloatArray
    """Bounds of each rating by itself; nan where none was asked for."""
    high: FloatArray
    rank_low: IntArray
    """The best rank of each arm, and the worst, for all at once; without intervals, both are its rank."""
    rank_high: IntArray
    covariance: FloatArray
    """Of the ratings, relative to their mean; nan where no intervals were asked for."""
    votes: IntArray
    """How many votes each arm was in."""
    confidence: float
    """Of the intervals, each by itself, and of the ranks, all at once; nan where there are none."""
    nu: float | None = None
    """Davidson's parameter: two equal arms tie with the chance nu / (2 + nu)."""

    @classmethod
    def without_intervals(
        cls, arms: tuple[str, ...], rating: FloatArray, votes: IntArray, nu: float | None = None
    ) -> Self:
        """Return ratings of which nothing more is known."""
        k, rank = len(arms), places(rating)
        unknown = np.full(k, nan)
        return cls(arms, rating, unknown, unknown, rank, rank, np.full((k, k), nan), votes, nan, nu)

    def __repr__(self) -> str:
        """Return the leaderboard, of many arms the best."""
        return self.table(MOST_LINES)

    @property
    def verdict(self) -> str:
        """Which arms may be first, in one sentence."""
        first = [line.arm for line in self.rows() if line.rank_low == 1]
        if isnan(self.confidence):
            return f"By rating, {enumeration(first)} {'is' if len(first) == 1 else 'are'} first."
        if len(first) == 1:
            return f"{first[0]} is first, with {100.0 * self.confidence:g}% confidence."
        return f"Any of {enumeration(first)} may be first."

    def rows(self) -> list[RatedArm]:
        """Return a line for each arm, the best first."""
        columns = (self.rating, self.low, self.high, self.rank_low, self.rank_high, self.votes)
        lines = [
            RatedArm(*line) for line in zip(self.arms, *(column.tolist() for column in columns), strict=True)
        ]
        return sorted(lines, key=lambda line: -round(line.rating, 9))  # equals stay in the order of arms

    def table(self, limit: int | None = None) -> str:
        """Return the leaderboard as plain text, the best arm first; `limit` says how many arms at most."""
        header, *lines = self._texts(limit)
        more = len(self.arms) - len(lines)
        return align(header, lines) + (f"\nand {more} more" if more else "")

    def _repr_html_(self) -> str:
        """Return the leaderboard as a table for notebooks, of many arms the best."""
        header, *lines = self._texts(MOST_LINES)
        head = "".join(f'<th scope="col">{name}</th>' for name in header)
        rows = [
            f'<tr><th scope="row"><bdi>{escape(line[0])}</bdi></th>'
            + "".join(f"<td>{cell}</td>" for cell in line[1:])
            + "</tr>"
            for line in lines
        ]
        more = len(self.arms) - len(lines)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>" + (
            f"<p>and {more} more</p>" if more else ""
        )

    def _texts(self, limit: int | None) -> list[list[str]]:
        """Return the header and the lines of the leaderboard, without intervals where there are none."""
        texts = [["arm", "rating", "interval", "ranks", "votes"]]
        texts += [line.texts() for line in self.rows()[:limit]]
        if isnan(self.confidence):
            texts = [["arm", "rating", "rank", "votes"], *(line[:2] + line[3:] for line in texts[1:])]
        return texts

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw each arm's rating with its interval, the best at the top, and return the axes.

        Of more than 60 arms the best are drawn. The dotted line is the mean of all arms. Without `ax`, the
        drawing is a new figure of pyplot, which notebooks show.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from duelist import ratings
        >>> axes = ratings.bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]]).plot(Figure().subplots())
        >>> [label.get_text() for label in axes.get_yticklabels()]
        ['0', '1', '2']
        """
        from duelist.ratings.figure import draw_leaderboard, new_axes

        axes = new_axes(self) if ax is None else ax
        draw_leaderboard(self, axes)
        return axes

    def to_frame(self) -> "DataFrame":
        """Return the leaderboard as a data frame, the best arm first."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("a data frame", "frame") from error
        return pd.DataFrame(self.rows()).drop(columns="votes")

    def on_elo_scale(self, mean: float = 1000.0) -> Self:
        """Return the ratings in points: 400 are odds of 10 to 1, and `mean` is the mean of all arms.

        Examples
        --------
        >>> from duelist import ratings
        >>> found = ratings.bradley_terry([[0, 10], [1, 0]], intervals="none").on_elo_scale()
        >>> found.rating.round(6).tolist()
        [1200.0, 800.0]
        """
        points = 400.0 / log(10.0)
        return replace(
            self,
            rating=mean + points * self.rating,
            low=mean + points * self.low,
            high=mean + points * self.high,
            covariance=points**2 * self.covariance,
        )
