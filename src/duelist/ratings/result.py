"""Ratings of arms: a leaderboard with intervals, ranges of ranks and predictions."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from math import isnan, log, nan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.errors import MissingExtraError, ParameterError, number_or_nan, require_known
from duelist.ratings.clusters import Clustering, Uncertainty
from duelist.ratings.existence import Selection
from duelist.ratings.ranks import chances_first, deviations_of, places, quantiles, rank_ranges
from duelist.text import align, count, enumeration
from duelist.votes.table import Votes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

Scale: TypeAlias = Literal["log-odds", "elo"]
POINTS = 400.0 / log(10.0)
"""Elo points of a unit of natural log-odds."""
ELO_MEAN = 1000.0
MOST_LINES = 20  # of a representation
MOST_UNRATED = 5  # arms without a rating that a table names


class RatedArm(NamedTuple):
    """One line of a leaderboard."""

    arm: str
    rating: float
    low: float
    """Bounds of the rating's interval; nan without intervals."""
    high: float
    rank_low: int
    """The best rank that the arm may have, and the worst."""
    rank_high: int
    votes: int
    first: float = nan
    """How often the arm is first when ratings are drawn from their uncertainty; nan without intervals."""

    def texts(self) -> list[str]:
        """Return the line as text: arm, rating, interval, ranks and votes."""
        same = self.rank_low == self.rank_high
        ranks = str(self.rank_low) if same else f"{self.rank_low}-{self.rank_high}"
        # adding 0.0 turns -0.00 into 0.00
        rating, low, high = (f"{round(value, 2) + 0.0:.2f}" for value in self[1:4])
        return [self.arm, rating, f"{low} to {high}", ranks, count(self.votes)]


class Effect(NamedTuple):
    """An effect on the log-odds of the left arm, in the unit of the ratings.

    Of a covariate it is the effect of one standard deviation of its difference, left less right.
    """

    name: str
    value: float
    low: float
    high: float


class Contrast(NamedTuple):
    """The difference of two ratings, with its interval."""

    one: str
    other: str
    difference: float
    low: float
    high: float
    chance: float
    """The predicted chance that `one` wins a vote against `other`."""


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """The ratings of arms, with intervals and the ranks that each arm may have.

    Examples
    --------
    >>> from duelist import ratings
    >>> found = ratings.fit_bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]])
    >>> found
    arm  rating        interval  ranks  votes
    0      0.94    0.22 to 1.66    1-2     20
    1     -0.16   -0.84 to 0.51    1-3     20
    2     -0.78  -1.46 to -0.11    2-3     20
    >>> found.to_frame().columns.tolist()
    ['arm', 'rating', 'low', 'high', 'rank_low', 'rank_high', 'votes', 'first']
    """

    arms: tuple[str, ...]
    """The rated arms, in the order of the votes' arms."""
    rating: FloatArray
    low: FloatArray
    """Bounds of each rating's own interval; nan without intervals."""
    high: FloatArray
    rank_low: IntArray
    """The best rank of each arm, and the worst, for all arms at once; without intervals, the rank itself."""
    rank_high: IntArray
    covariance: FloatArray
    """Covariance of the ratings; nan without intervals."""
    votes: IntArray
    """How many counted votes each arm has, against unrated arms too."""
    confidence: float
    """Of each interval by itself, and of all ranges of ranks together; nan without intervals."""
    nu: float | None = None
    """Davidson's parameter: two equal arms tie with the chance nu / (2 + nu)."""
    first: FloatArray = field(default_factory=lambda: np.empty(0))
    """How often each arm is first when ratings are drawn from their uncertainty; nan without intervals."""
    degrees: FloatArray = field(default_factory=lambda: np.empty(0))
    """Degrees of freedom of each rating's interval: infinite where votes are independent."""
    scale: Scale = "log-odds"
    points: float = 1.0
    """How much a unit of natural log-odds is on this scale."""
    anchor: str | None = None
    """The arm that ratings are relative to; None for the mean of all arms."""
    unrated: dict[str, str] = field(default_factory=dict)
    """Why an arm has no rating, by its name."""
    unrated_votes: tuple[int, ...] = ()
    """How many counted votes each unrated arm has."""
    clusters: Clustering | None = None
    """What intervals take as clusters, and how many there are; None where votes are independent."""
    effects: tuple[Effect, ...] = ()
    """Effects of covariates and of the left side."""
    weighted: bool = False
    """Whether votes had weights."""

    @classmethod
    def without_intervals(
        cls, arms: tuple[str, ...], rating: FloatArray, votes: IntArray, **others: Any
    ) -> Self:
        """Return ratings without intervals."""
        k, rank = len(arms), places(rating)
        unknown = np.full(k, nan)
        others = {"first": unknown, "degrees": unknown, **others}
        return cls(arms, rating, unknown, unknown, rank, rank, np.full((k, k), nan), votes, nan, **others)

    def __repr__(self) -> str:
        """Return the leaderboard as text, limited to the best arms."""
        return self.table(MOST_LINES)

    def rows(self) -> list[RatedArm]:
        """Return a line for each rated arm, the best first."""
        columns = (
            self.rating,
            self.low,
            self.high,
            self.rank_low,
            self.rank_high,
            self.votes,
            self.first,
        )
        lines = [
            RatedArm(*line) for line in zip(self.arms, *(column.tolist() for column in columns), strict=True)
        ]
        return sorted(lines, key=lambda line: -round(line.rating, 9))  # equals stay in the order of arms

    def table(self, limit: int | None = None) -> str:
        """Return the leaderboard as plain text, the best arm first; `limit` is the most arms to show."""
        header, *lines = self._texts(limit)
        text = align(header, lines)
        return "\n".join([text, *self._beyond(len(lines))])

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
        below = "".join(f"<p>{escape(line)}</p>" for line in self._beyond(len(lines)))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{below}"

    def _beyond(self, shown: int) -> list[str]:
        """Return lines about arms that are not in a table: those of lower ratings, and those without one."""
        more = len(self.arms) - shown
        lines = [f"and {more} more"] if more else []
        if self.unrated:
            reasons = [f"{arm} ({reason})" for arm, reason in self.unrated.items()]
            lines.append(f"not rated: {enumeration(reasons, MOST_UNRATED)}")
        return lines

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
        >>> axes = ratings.fit_bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]]).plot(Figure().subplots())
        >>> [label.get_text() for label in axes.get_yticklabels()]
        ['0', '1', '2']
        """
        from duelist.ratings.figure import draw_leaderboard, new_axes

        axes = new_axes(self) if ax is None else ax
        draw_leaderboard(self, axes)
        return axes

    def to_frame(self) -> "DataFrame":
        """Return the leaderboard as a data frame, the best arm first, arms without a rating last."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("a data frame", "frame") from error
        others = [
            (arm, nan, nan, nan, None, None, votes, nan)
            for arm, votes in zip(self.unrated, self.unrated_votes, strict=True)
        ]
        frame = pd.DataFrame([*self.rows(), *others], columns=list(RatedArm._fields))
        return frame.astype({"rank_low": "Int64", "rank_high": "Int64"})

    def on_elo_scale(self, mean: float = ELO_MEAN) -> Self:
        """Return the ratings in Elo points: a difference of 400 points is odds of 10 to 1.

        Parameters
        ----------
        mean : float, default 1000
            The mean of all rated arms; of anchored ratings, the rating of the anchor.

        Examples
        --------
        >>> from duelist import ratings
        >>> found = ratings.fit_bradley_terry([[0, 10], [1, 0]], intervals="none").on_elo_scale()
        >>> found.rating.round(6).tolist(), found.on_elo_scale().rating.round(6).tolist()
        ([1200.0, 800.0], [1200.0, 800.0])
        """
        factor = POINTS / self.points
        zero = float(self.rating.mean()) if self.anchor is None else self.rating[self._place(self.anchor)]
        scaled = (mean + factor * (column - zero) for column in (self.rating, self.low, self.high))
        rating, low, high = scaled
        return replace(
            self,
            rating=rating,
            low=low,
            high=high,
            covariance=factor**2 * self.covariance,
            effects=tuple(
                Effect(name, *(factor * value for value in values)) for name, *values in self.effects
            ),
            scale="elo",
            points=POINTS,
        )

    def anchored(self, arm: str, value: float | None = None) -> Self:
        """Return the ratings relative to one arm, with intervals of the differences to it.

        Parameters
        ----------
        arm : str
            The arm that gets the rating `value`; its own interval is a point.
        value : float, optional
            0 by default, 1000 on the Elo scale.

        Examples
        --------
        >>> from duelist import ratings
        >>> ratings.fit_bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]]).anchored("2")
        arm  rating       interval  ranks  votes
        0      1.73   0.51 to 2.95    1-2     20
        1      0.62  -0.52 to 1.76    1-3     20
        2      0.00   0.00 to 0.00    2-3     20
        """
        place = self._place(arm)
        level = (0.0 if self.scale == "log-odds" else ELO_MEAN) if value is None else value
        if not np.isfinite(number_or_nan(level)):
            raise ParameterError(f"value must be a finite number; got {value!r}.")
        rating = self.rating - self.rating[place] + level
        rows = self.covariance - self.covariance[place]
        reach = self._reach(place)
        return replace(
            self,
            rating=rating,
            low=rating - reach,
            high=rating + reach,
            covariance=rows - rows[:, place, None],
            anchor=arm,
        )

    def contrast(self, one: str, other: str) -> Contrast:
        """Return the difference of two ratings, its interval, and the chance that `one` wins a vote.

        Examples
        --------
        >>> from duelist import ratings
        >>> found = ratings.fit_bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]]).contrast("0", "2")
        >>> [round(value, 2) for value in found[2:]]
        [1.73, 0.51, 2.95, 0.85]
        """
        place, against = self._place(one), self._place(other)
        difference = float(self.rating[place] - self.rating[against])
        reach = float(self._reach(against)[place])
        chance = float(self.predicted()[place, against])
        return Contrast(one, other, difference, difference - reach, difference + reach, chance)

    def predicted(self) -> FloatArray:
        """Return the predicted chance that the arm of a row wins a vote against the arm of a column.

        Covariates are equal and sides do not matter. A tie counts as half a win; in Davidson's model it is
        an outcome by itself, and chances of an arm and its opponent sum to less than 1.

        Examples
        --------
        >>> from duelist import ratings
        >>> ratings.fit_bradley_terry([[0, 3], [1, 0]]).predicted().round(6).tolist()
        [[0.5, 0.75], [0.25, 0.5]]
        """
        half = (self.rating[:, None] - self.rating[None, :]) / (2.0 * self.points)
        largest = np.abs(half)
        ours, theirs = np.exp(half - largest), np.exp(-half - largest)
        return np.asarray(ours / (ours + theirs + (self.nu or 0.0) * np.exp(-largest)))

    def _place(self, arm: str) -> int:
        require_known("rated arm", arm, self.arms)
        return self.arms.index(arm)

    def _reach(self, place: int) -> FloatArray:
        """Return half the widths of the intervals of all differences to one arm."""
        if isnan(self.confidence):
            return np.full(len(self.arms), nan)
        degrees = np.minimum(self.degrees, self.degrees[place])
        reach = quantiles(degrees, (1.0 + self.confidence) / 2.0) * deviations_of(self.covariance)[place]
        reach[place] = 0.0
        return np.asarray(reach)


def summarize(
    votes: Votes,
    chosen: Selection,
    point: FloatArray,
    found: Uncertainty | None = None,
    confidence: float = nan,
    *,
    names: Sequence[str] = (),
    nu: float | None = None,
    clusters: Clustering | None = None,
) -> Ratings:
    """Return the ratings of selected arms, given estimates of ratings and effects and their uncertainty."""
    members, k = chosen.members, len(chosen.members)
    numbers = {arm: number for number, arm in enumerate(votes.arms)}
    arms, rating, shown = tuple(votes.arms[arm] for arm in members), point[:k], chosen.shown[members]
    unknown = np.full(len(point), nan)
    low, high = (unknown, unknown) if found is None else (found.low, found.high)
    columns = (column[k : k + len(names)].tolist() for column in (point, low, high))
    others: dict[str, Any] = {
        "nu": nu,
        "unrated": chosen.unrated,
        "unrated_votes": tuple(int(chosen.shown[numbers[arm]]) for arm in chosen.unrated),
        "clusters": clusters,
        "effects": tuple(map(Effect, names, *columns)),
        "weighted": votes.weights is not None,
    }
    if found is None:
        return Ratings.without_intervals(arms, rating, shown, **others)
    # In an order that the votes decide: the same random draws meet the same arms whatever their names.
    order = chosen.order(rating)
    within, back = np.ix_(order, order), np.argsort(order)
    covariance, degrees = found.covariance[:k, :k], found.degrees[:k]
    best, worst = rank_ranges(
        rating[order], covariance[within], degrees[order], confidence, found.reference[within]
    )
    first = chances_first(rating[order], covariance[within], degrees)[back]
    ranks = best[back], worst[back]
    bounds = low[:k], high[:k]
    return Ratings(
        arms, rating, *bounds, *ranks, covariance, shown, confidence, first=first, degrees=degrees, **others
    )
