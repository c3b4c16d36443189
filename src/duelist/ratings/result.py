"""Ratings of arms, with confidence intervals, rank ranges and predictions."""

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
from duelist.ratings.ranks import chances_first, deviations_of, quantiles, rank_ranges, ranks_of
from duelist.text import align, count, enumeration
from duelist.votes.table import Votes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

Scale: TypeAlias = Literal["log-odds", "elo"]
POINTS = 400.0 / log(10.0)
"""Elo points per unit of natural log-odds."""
ELO_MEAN = 1000.0
MOST_LINES = 20  # maximum number of arms in repr
MOST_UNRATED = 5  # maximum number of unrated arms that a table names


class RatedArm(NamedTuple):
    """One row of the ratings."""

    arm: str
    """The name of the arm."""
    rating: float
    """Its rating, on the scale of the ratings."""
    low: float
    """The lower end of the rating's own confidence interval; NaN without intervals."""
    high: float
    """The upper end of that interval; NaN without intervals."""
    rank_low: int
    """The best possible rank of the arm; the rank ranges of all arms are simultaneous."""
    rank_high: int
    """The worst possible rank of the arm."""
    votes: int
    """The number of counted votes of the arm, including those against unrated arms."""
    first: float = nan
    """How often the arm is first in draws from the ratings' estimated distribution; NaN without intervals."""

    def texts(self) -> list[str]:
        """Return the formatted cells of the row: arm, rating, interval, ranks and votes.

        Returns
        -------
        list of str
            The five cells.

        Examples
        --------
        >>> RatedArm("dense", 0.5, 0.1, 0.9, 1, 2, 40).texts()
        ['dense', '0.50', '0.10 to 0.90', '1-2', '40']
        """
        same = self.rank_low == self.rank_high
        ranks = str(self.rank_low) if same else f"{self.rank_low}-{self.rank_high}"
        # adding 0.0 turns -0.00 into 0.00
        rating, low, high = (f"{round(value, 2) + 0.0:.2f}" for value in self[1:4])
        return [self.arm, rating, f"{low} to {high}", ranks, count(self.votes)]


class Effect(NamedTuple):
    """An effect on the log-odds of the left arm, in the unit of the ratings.

    The effect of a covariate is that of one standard deviation of its difference, left minus right.
    """

    name: str
    """The column of the covariate, or the side."""
    value: float
    """The estimated effect."""
    low: float
    """The lower end of its own confidence interval; NaN without intervals."""
    high: float
    """The upper end of that interval; NaN without intervals."""


class Contrast(NamedTuple):
    """The difference of two ratings, with its interval."""

    one: str
    """The name of an arm."""
    other: str
    """The name of the arm that it is compared with."""
    difference: float
    """The rating of `one` minus the rating of `other`."""
    low: float
    """The lower end of the difference's own confidence interval; NaN without intervals."""
    high: float
    """The upper end of that interval; NaN without intervals."""
    chance: float
    """The predicted chance that `one` wins a vote against `other`."""


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """The ratings of arms, with confidence intervals and rank ranges.

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
    """The rating of each arm, on this scale and relative to the anchor."""
    low: FloatArray
    """The lower end of each rating's own confidence interval; NaN without intervals."""
    high: FloatArray
    """The upper end of each rating's own confidence interval; NaN without intervals."""
    rank_low: IntArray
    """The best possible rank of each arm, simultaneously for all arms; without intervals, the rank."""
    rank_high: IntArray
    """The worst possible rank of each arm, simultaneously for all arms; without intervals, the rank."""
    covariance: FloatArray
    """Covariance of the ratings; NaN without intervals."""
    votes: IntArray
    """The number of counted votes of each arm, including those against unrated arms."""
    confidence: float
    """The level of each rating's own interval and of all simultaneous rank ranges; NaN without intervals."""
    nu: float | None = None
    """Davidson's parameter: two equal arms tie with probability nu / (2 + nu)."""
    first: FloatArray = field(default_factory=lambda: np.empty(0))
    """How often each arm is first in draws from the ratings' distribution; NaN without intervals."""
    degrees: FloatArray = field(default_factory=lambda: np.empty(0))
    """Degrees of freedom of each rating's interval; infinite for independent votes."""
    scale: Scale = "log-odds"
    """The scale of the ratings: "log-odds" or "elo"."""
    points: float = 1.0
    """The number of units of this scale per unit of natural log-odds."""
    anchor: str | None = None
    """The arm that ratings are relative to; None for the mean of all arms."""
    unrated: dict[str, str] = field(default_factory=dict)
    """The names of unrated arms, with the reason why they have no rating."""
    unrated_votes: tuple[int, ...] = ()
    """The number of counted votes of each unrated arm."""
    clusters: Clustering | None = None
    """The column of clusters and their number; None for independent votes."""
    effects: tuple[Effect, ...] = ()
    """Effects of covariates and of the left side."""
    weighted: bool = False
    """Whether votes had weights."""

    @classmethod
    def without_intervals(
        cls, arms: tuple[str, ...], rating: FloatArray, votes: IntArray, **others: Any
    ) -> Self:
        """Create ratings without intervals.

        Parameters
        ----------
        arms : tuple of str
            The names of the rated arms.
        rating : array of shape (arms,)
            Their ratings.
        votes : array of shape (arms,)
            The number of votes of each arm.
        **others
            Other fields.

        Returns
        -------
        Ratings
            Ratings whose intervals are NaN and whose rank ranges are single ranks.

        Examples
        --------
        >>> Ratings.without_intervals(("a", "b"), np.array([0.5, -0.5]), np.array([9, 9]))
        arm  rating  rank  votes
        a      0.50     1      9
        b     -0.50     2      9
        """
        k, rank = len(arms), ranks_of(rating)
        unknown = np.full(k, nan)
        others = {"first": unknown, "degrees": unknown, **others}
        return cls(arms, rating, unknown, unknown, rank, rank, np.full((k, k), nan), votes, nan, **others)

    def __repr__(self) -> str:
        """Return the table of the best 20 arms."""
        return self.table(MOST_LINES)

    def rows(self) -> list[RatedArm]:
        """Return a row for each rated arm, the best first.

        Returns
        -------
        list of RatedArm
            The rows.

        Examples
        --------
        >>> from duelist import ratings
        >>> [row.arm for row in ratings.fit_bradley_terry([[0, 7], [9, 0]]).rows()]
        ['1', '0']
        """
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
        """Return the ratings as a plain-text table, the best arm first.

        Parameters
        ----------
        limit : int, optional
            Maximum number of arms; by default all.

        Returns
        -------
        str
            The table, followed by the arms without a rating.

        Examples
        --------
        >>> from duelist import ratings
        >>> print(ratings.fit_bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]]).table(limit=1))
        arm  rating      interval  ranks  votes
        0      0.94  0.22 to 1.66    1-2     20
        and 2 more
        """
        header, *lines = self._texts(limit)
        text = align(header, lines)
        return "\n".join([text, *self._beyond(len(lines))])

    def _repr_html_(self) -> str:
        """Return an HTML table of the best 20 arms, for notebooks."""
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

    def _beyond(self, listed: int) -> list[str]:
        """Return lines about the arms that a table omits: those with lower ratings and those without one."""
        more = len(self.arms) - listed
        lines = [f"and {more} more"] if more else []
        if self.unrated:
            reasons = [f"{arm} ({reason})" for arm, reason in self.unrated.items()]
            lines.append(f"not rated: {enumeration(reasons, MOST_UNRATED)}")
        return lines

    def _texts(self, limit: int | None) -> list[list[str]]:
        """Return header and rows of the table, without the column of intervals if there are none."""
        texts = [["arm", "rating", "interval", "ranks", "votes"]]
        texts += [line.texts() for line in self.rows()[:limit]]
        if isnan(self.confidence):
            texts = [["arm", "rating", "rank", "votes"], *(line[:2] + line[3:] for line in texts[1:])]
        return texts

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw each arm's rating with its interval, the best arm at the top.

        At most 60 arms are drawn, the best ones. The dotted line is the mean of all arms.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw on; by default those of a new pyplot figure, which notebooks display.

        Returns
        -------
        matplotlib axes
            The axes with the drawing.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.

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
        """Return the ratings as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for each arm: the best first, arms without a rating last.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.

        Examples
        --------
        >>> from duelist import ratings
        >>> ratings.fit_bradley_terry([[0, 7], [9, 0]]).to_frame()["arm"].tolist()
        ['1', '0']
        """
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
            The mean of all rated arms, or the rating of the anchor if there is one.

        Returns
        -------
        Ratings
            The same ratings on the Elo scale.

        Examples
        --------
        >>> from duelist import ratings
        >>> found = ratings.fit_bradley_terry([[0, 10], [1, 0]], intervals="none").on_elo_scale()
        >>> found.rating.round(6).tolist(), found.on_elo_scale().rating.round(6).tolist()
        ([1200.0, 800.0], [1200.0, 800.0])
        """
        factor = POINTS / self.points
        zero = float(self.rating.mean()) if self.anchor is None else self.rating[self._index(self.anchor)]
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
        """Return the ratings relative to one arm, with intervals of the differences from it.

        Parameters
        ----------
        arm : str
            The arm whose rating becomes `value`; its own interval has width 0.
        value : float, optional
            The rating of the arm; by default 0, or 1000 on the Elo scale.

        Returns
        -------
        Ratings
            The anchored ratings.

        Raises
        ------
        UnknownNameError
            If no rated arm has this name.
        ParameterError
            If `value` is not a finite number.

        Examples
        --------
        >>> from duelist import ratings
        >>> ratings.fit_bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]]).anchored("2")
        arm  rating       interval  ranks  votes
        0      1.73   0.51 to 2.95    1-2     20
        1      0.62  -0.52 to 1.76    1-3     20
        2      0.00   0.00 to 0.00    2-3     20
        """
        index = self._index(arm)
        level = (0.0 if self.scale == "log-odds" else ELO_MEAN) if value is None else value
        if not np.isfinite(number_or_nan(level)):
            raise ParameterError(f"value must be a finite number; got {value!r}.")
        rating = self.rating - self.rating[index] + level
        rows = self.covariance - self.covariance[index]
        reach = self._reach(index)
        return replace(
            self,
            rating=rating,
            low=rating - reach,
            high=rating + reach,
            covariance=rows - rows[:, index, None],
            anchor=arm,
        )

    def contrast(self, one: str, other: str) -> Contrast:
        """Return the difference of two ratings, its interval, and the chance that `one` wins a vote.

        Parameters
        ----------
        one, other : str
            The names of two rated arms.

        Returns
        -------
        Contrast
            The difference `one` minus `other`, with its own confidence interval.

        Raises
        ------
        UnknownNameError
            If no rated arm has this name.

        Examples
        --------
        >>> from duelist import ratings
        >>> found = ratings.fit_bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]]).contrast("0", "2")
        >>> [round(value, 2) for value in found[2:]]
        [1.73, 0.51, 2.95, 0.85]
        """
        index, against = self._index(one), self._index(other)
        difference = float(self.rating[index] - self.rating[against])
        reach = float(self._reach(against)[index])
        chance = float(self.predicted()[index, against])
        return Contrast(one, other, difference, difference - reach, difference + reach, chance)

    def predicted(self) -> FloatArray:
        """Return the predicted chance that the arm of a row wins a vote against the arm of a column.

        The prediction is for equal covariates and without a side effect. A tie counts as half a win; in
        Davidson's model it is a third outcome, and the chances of an arm and its opponent sum to less than 1.

        Returns
        -------
        array of shape (arms, arms)
            The predicted chances.

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

    def _index(self, arm: str) -> int:
        require_known("rated arm", arm, self.arms)
        return self.arms.index(arm)

    def _reach(self, index: int) -> FloatArray:
        """Return half the widths of the intervals of all differences from one arm."""
        if isnan(self.confidence):
            return np.full(len(self.arms), nan)
        degrees = np.minimum(self.degrees, self.degrees[index])
        reach = quantiles(degrees, (1.0 + self.confidence) / 2.0) * deviations_of(self.covariance)[index]
        reach[index] = 0.0
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
    """Return the ratings of the selected arms, given estimates and their uncertainty."""
    members, k = chosen.members, len(chosen.members)
    numbers = {arm: number for number, arm in enumerate(votes.arms)}
    arms, rating, own = tuple(votes.arms[arm] for arm in members), point[:k], chosen.arm_votes[members]
    unknown = np.full(len(point), nan)
    low, high = (unknown, unknown) if found is None else (found.low, found.high)
    columns = (column[k : k + len(names)].tolist() for column in (point, low, high))
    others: dict[str, Any] = {
        "nu": nu,
        "unrated": chosen.unrated,
        "unrated_votes": tuple(int(chosen.arm_votes[numbers[arm]]) for arm in chosen.unrated),
        "clusters": clusters,
        "effects": tuple(map(Effect, names, *columns)),
        "weighted": votes.weights is not None,
    }
    if found is None:
        return Ratings.without_intervals(arms, rating, own, **others)
    # in an order that depends on the votes, so that the arms' names do not change the random draws
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
        arms, rating, *bounds, *ranks, covariance, own, confidence, first=first, degrees=degrees, **others
    )
