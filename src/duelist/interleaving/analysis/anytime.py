"""An anytime-valid sequential test: a confidence sequence for the mean outcome.

For a bet b from 0 to 1 and any prediction g of the next outcome x, Fan's inequality
``exp(b (x - g) - price(b) (x - g)^2) <= 1 + b (x - g)`` with ``price(b) = -log(1 - b) - b`` makes
``exp(b sum(x - mean) - price(b) sum (x - g)^2)`` a supermartingale if `mean` is the true one, and likewise
with the opposite sign. The evidence against a mean is the average over both signs and eight bets: it exceeds
1/alpha at *any* time with probability at most alpha (Ville's inequality).
"""

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import TIE, FloatArray
from duelist.errors import needing_extra, require_confidence
from duelist.interleaving.analysis.columns import as_outcomes
from duelist.kernels.compile import compiled
from duelist.text import Report, align, as_p_value, begin_sentence, counted, say_p_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 2000  # more than a line of a figure can resolve
LARGEST = 700.0  # the logarithm of the largest reported e-value
# The bets cover from a few to hundreds of millions of impressions: a third of a bet suits nine times as many.
BETS = 0.75 / 3.0 ** np.arange(8)
PRICES = -np.log1p(-BETS) - BETS

HOPELESS = 10**9  # do not forecast beyond this number of impressions


class AnytimeState(NamedTuple):
    """The state of the test: five numbers, whatever the number of outcomes.

    Parameters
    ----------
    impressions : int
        The number of outcomes.
    total : float
        Their sum.
    surprise : float
        The sum of their squared distances from the predictions.
    peak : float
        The highest logarithm of the evidence against a tie so far.
    side : float
        The preference beyond a tie at that time.

    Examples
    --------
    >>> AnytimeTest().init().impressions
    0
    """

    impressions: int
    total: float
    surprise: float
    peak: float
    side: float


@compiled
def log_evidence(distance: float, surprise: float) -> tuple[float, float]:
    """Return the logarithm of the evidence against a mean at this distance, and its slope in the distance."""
    away = abs(distance)
    top = -np.inf
    for i in range(len(BETS)):
        top = max(top, BETS[i] * away - PRICES[i] * surprise)
    weight, tilt = 0.0, 0.0
    # exp(-2 bet away) for the smallest bet; for each larger bet, the cube of the previous one
    fading = exp(-2.0 * BETS[-1] * away)
    for i in range(len(BETS) - 1, -1, -1):
        share = exp(BETS[i] * away - PRICES[i] * surprise - top)
        weight += share * (1.0 + fading)
        tilt += share * (1.0 - fading) * BETS[i]
        fading *= fading * fading
    return top + log(weight / (2.0 * len(BETS))), tilt / weight


@compiled
def reach(surprise: float, limit: float) -> float:
    """Return the distance at which the logarithm of the evidence reaches a limit above 0."""
    distance = np.inf
    for i in range(len(BETS)):
        distance = min(distance, (limit + log(2.0 * len(BETS)) + PRICES[i] * surprise) / BETS[i])
    # the logarithm is convex and each single bet overshoots, so Newton's steps descend to the root
    for _ in range(100):
        evidence, slope = log_evidence(distance, surprise)
        step = (evidence - limit) / slope
        distance -= step
        if step <= 1e-12 * distance:
            break
    return distance


@compiled
def absorb(state: AnytimeState, outcome: float) -> tuple[AnytimeState, float]:
    """Return the state after an outcome, and the logarithm of the evidence against a tie."""
    prediction = (TIE + state.total) / (1.0 + state.impressions)
    impressions = state.impressions + 1
    total = state.total + outcome
    surprise = state.surprise + (outcome - prediction) ** 2
    distance = total - TIE * impressions
    evidence, _ = log_evidence(distance, surprise)
    peak, side = state.peak, state.side
    if evidence > peak:
        peak, side = evidence, distance / impressions
    return AnytimeState(impressions, total, surprise, peak, side), evidence


@compiled
def absorb_all(state: AnytimeState, outcomes: FloatArray) -> AnytimeState:
    for i in range(len(outcomes)):
        state, _ = absorb(state, outcomes[i])
    return state


@compiled
def trace(state: AnytimeState, outcomes: FloatArray, limit: float, rows: FloatArray) -> AnytimeState:
    """Write the mean, its interval's half-width, the evidence and its peak after each outcome."""
    for i in range(len(outcomes)):
        state, rows[2, i] = absorb(state, outcomes[i])
        rows[0, i] = state.total / state.impressions
        rows[1, i] = reach(state.surprise, limit) / state.impressions
        rows[3, i] = state.peak
    return state


def expect_more(state: AnytimeState, limit: float) -> int | None:
    """Return roughly how many more outcomes bring the evidence to a limit if the trend continues."""
    if state.impressions == 0:
        return None
    drift = abs(state.total / state.impressions - TIE)
    noise = state.surprise / state.impressions
    few, enough = state.impressions, 2 * state.impressions
    while reach(enough * noise, limit) > enough * drift:
        few, enough = enough, 2 * enough
        if enough > HOPELESS:
            return None
    while enough - few > 1 + few // 100:
        middle = (few + enough) // 2
        few, enough = (few, middle) if reach(middle * noise, limit) <= middle * drift else (middle, enough)
    more = enough - state.impressions
    return max(1, round(more, -max(0, len(str(more)) - 2)))


@dataclass(frozen=True)
class AnytimeReport(Report):
    """The result of an anytime test so far; prints as a table.

    Parameters
    ----------
    impressions : int
        The number of outcomes.
    confidence : float
        The confidence of the test.
    preference : float
        The mean outcome.
    lower, upper : float
        The interval of the mean, valid at all times simultaneously.
    e_value : float
        The current evidence against a tie: the value of one unit of money bet against it.
    p_value : float
        The anytime-valid p-value: one over the highest evidence so far.
    decided : bool
        Whether the p-value has ever reached 1 - confidence.
    more : int or None
        Roughly how many more impressions decide if the trend continues; None if no number would.
    verdict : str
        The conclusion, in a sentence.
    unit : str, default "impression"
        What is counted: impression, user or list.

    Examples
    --------
    >>> test = AnytimeTest()
    >>> report = test.report(test.update(test.init(), [1, 0.5, 1, 1] * 10))
    >>> report.impressions, report.preference, report.decided
    (40, 0.875, True)
    """

    impressions: int
    confidence: float
    preference: float
    lower: float
    upper: float
    e_value: float
    p_value: float
    decided: bool
    more: int | None
    verdict: str
    unit: str = "impression"

    @property
    def table(self) -> str:
        """The numbers as a text table."""
        interval = f"{self.confidence:.0%} interval at any time"
        header = [f"{self.unit}s", "preference", interval, "e-value", "p"]
        means = [f"{self.preference:.4f}", f"{self.lower:.4f} to {self.upper:.4f}"]
        row = [f"{self.impressions:,}", *means, f"{self.e_value:.3g}", as_p_value(self.p_value)]
        return align(header, [row])

    def __str__(self) -> str:
        return f"{self.table}\n{self.verdict}"


@dataclass(frozen=True, eq=False, repr=False)
class AnytimePath:
    """The results of an anytime test after each impression.

    Parameters
    ----------
    confidence : float
        The confidence of the test.
    preference, lower, upper : array of shape (impressions,)
        The mean outcome and its interval.
    log_e_value : array of shape (impressions,)
        The logarithm of the evidence against a tie.
    p_value : array of shape (impressions,)
        The anytime-valid p-value.
    state : AnytimeState
        The final state, from which the test can continue.

    Examples
    --------
    >>> path = AnytimeTest().path([1, 0.5, 1, 1] * 10)
    >>> path.preference[-1].item(), path.decided_at
    (0.875, 24)
    """

    confidence: float
    preference: FloatArray
    lower: FloatArray
    upper: FloatArray
    log_e_value: FloatArray
    p_value: FloatArray
    state: AnytimeState

    def __repr__(self) -> str:
        return f"{type(self).__name__}(impressions={len(self.preference)}, decided_at={self.decided_at})"

    @property
    def decided_at(self) -> int | None:
        """The number of impressions it took to decide, or None."""
        decided = self.p_value <= 1.0 - self.confidence
        return int(np.argmax(decided)) + 1 if decided.any() else None


@dataclass(frozen=True)
class AnytimeTest:
    """An anytime-valid test of two rankings: check it and stop at any time.

    The probability of an error at *any* time is at most 1 - confidence, and the interval is valid at all
    times simultaneously. The price is its width: about twice that of Student's interval at a thousand
    impressions, 1.8 times from ten thousand.

    Parameters
    ----------
    confidence : float, default 0.95
        The probability that the test never errs.

    Raises
    ------
    ParameterError
        If `confidence` is not between 0 and 1.

    Notes
    -----
    The evidence is an empirical-Bernstein process (see the module's docstring); the interval consists of the
    means against which it does not exceed 1 / (1 - confidence). The null hypothesis is that the expectation
    of each outcome, given all before it, is one half. If users have many impressions, pass one mean per user.

    References
    ----------
    Howard, Ramdas, McAuliffe, Sekhon (2021). Time-uniform, nonparametric, nonasymptotic confidence sequences.
    Annals of Statistics 49(2). Waudby-Smith, Ramdas (2024). Estimating means of bounded random variables by
    betting. JRSS B 86(1).

    Examples
    --------
    >>> test = AnytimeTest()
    >>> state = test.init()
    >>> for outcome in [1, 0.5, 1, 1] * 10:
    ...     state = test.update(state, outcome)
    >>> report = test.report(state)
    >>> report.verdict
    'Left is preferred, at 87.5% (p < 0.001); you may stop here.'
    >>> test.path([1, 0.5, 1, 1] * 10)
    AnytimePath(impressions=40, decided_at=24)
    """

    confidence: float = 0.95

    def __post_init__(self) -> None:
        require_confidence(self.confidence)

    def init(self) -> AnytimeState:
        """Return the state before the first impression.

        Returns
        -------
        AnytimeState
            The state.

        Examples
        --------
        >>> AnytimeTest().init().total
        0.0
        """
        return AnytimeState(impressions=0, total=0.0, surprise=0.0, peak=0.0, side=0.0)

    def update(self, state: AnytimeState, outcomes: ArrayLike) -> AnytimeState:
        """Return the state after one or more outcomes.

        Parameters
        ----------
        state : AnytimeState
            The state before.
        outcomes : float or array
            An outcome from 0 to 1, or several in chronological order.

        Returns
        -------
        AnytimeState
            The state after.

        Raises
        ------
        OutcomeError
            If an outcome is not from 0 to 1.

        Examples
        --------
        >>> test = AnytimeTest()
        >>> test.update(test.init(), [1, 0.5]).total
        1.5
        """
        return AnytimeState(*absorb_all(state, as_outcomes(np.atleast_1d(np.asarray(outcomes)))))

    def interval(self, state: AnytimeState) -> tuple[float, float]:
        """Return the interval of the mean outcome.

        Parameters
        ----------
        state : AnytimeState
            The state of the test.

        Returns
        -------
        tuple of float
            The lower and the upper bound.

        Examples
        --------
        >>> test = AnytimeTest()
        >>> test.interval(test.init())
        (0.0, 1.0)
        """
        if state.impressions == 0:
            return 0.0, 1.0
        mean = state.total / state.impressions
        width = reach(state.surprise, self._limit) / state.impressions
        return max(0.0, mean - width), min(1.0, mean + width)

    def report(
        self, state: AnytimeState, unit: str = "impression", sides: tuple[str, str] = ("left", "right")
    ) -> AnytimeReport:
        """Return the current result.

        Parameters
        ----------
        state : AnytimeState
            The state of the test.
        unit : str, default "impression"
            The noun for what is counted.
        sides : tuple of str, default ("left", "right")
            The names of the rankings in the verdict.

        Returns
        -------
        AnytimeReport
            The result.

        Examples
        --------
        >>> test = AnytimeTest()
        >>> test.report(test.update(test.init(), [1, 0.5, 1, 1] * 10), sides=("new", "old")).verdict
        'new is preferred, at 87.5% (p < 0.001); you may stop here.'
        """
        lower, upper = self.interval(state)
        mean = state.total / state.impressions if state.impressions else TIE
        evidence, _ = log_evidence(state.total - TIE * state.impressions, state.surprise)
        p_value = exp(-state.peak)
        decided = p_value <= 1.0 - self.confidence
        more = 0 if decided else expect_more(state, self._limit)
        if decided:
            side, share = (sides[0], mean) if state.side > 0.0 else (sides[1], 1.0 - mean)
            outlook = "you may stop here."
            if lower <= TIE <= upper:
                outlook = "but the interval now includes a tie again; check whether the preference drifts."
            preferred = f"{begin_sentence(side)} is preferred, at {share:.1%}"
            verdict = f"{preferred} ({say_p_value(p_value)}); {outlook}"
        else:
            outlook = "it is too close so far to estimate how many more are needed."
            if more is not None:
                outlook = f"if it stays at {mean:.1%}, about {more:,} more {unit}s will decide."
            between = f"the preference for {sides[0]} lies between {lower:.1%} and {upper:.1%}"
            verdict = f"Not decided: {between}; {outlook}"
        numbers = (mean, lower, upper, exp(min(evidence, LARGEST)), p_value, decided, more)
        return AnytimeReport(state.impressions, self.confidence, *numbers, verdict, unit)

    def path(self, outcomes: ArrayLike) -> AnytimePath:
        """Return the results after each outcome of a whole experiment.

        Parameters
        ----------
        outcomes : array
            The outcomes in chronological order.

        Returns
        -------
        AnytimePath
            The results.

        Raises
        ------
        OutcomeError
            If an outcome is not from 0 to 1.

        Examples
        --------
        >>> AnytimeTest().path([1, 0.5, 1, 1] * 10)
        AnytimePath(impressions=40, decided_at=24)
        """
        column = as_outcomes(outcomes)
        preference, width, evidence, peak = rows = np.empty((4, len(column)))
        end = AnytimeState(*trace(self.init(), column, self._limit, rows))
        lower, upper = np.maximum(0.0, preference - width), np.minimum(1.0, preference + width)
        return AnytimePath(self.confidence, preference, lower, upper, evidence, np.exp(-peak), end)

    @property
    def _limit(self) -> float:
        return -log(1.0 - self.confidence)


def draw_anytime(path: AnytimePath) -> "Figure":
    """Draw the preference and its anytime interval against the number of impressions.

    Parameters
    ----------
    path : AnytimePath
        The results of a test.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Raises
    ------
    MissingExtraError
        If Matplotlib is not installed.

    Examples
    --------
    >>> figure = draw_anytime(AnytimeTest().path([1, 0.5, 1, 1] * 10))
    >>> figure.axes[0].get_title()
    'Decided after 24 impressions'
    """
    with needing_extra("plotting", "plot"):
        from matplotlib.figure import Figure
    impressions = len(path.preference)
    seen = np.unique(np.geomspace(1, impressions, min(POINTS, impressions)).round().astype(np.int64))
    mean, lower, upper = (column[seen - 1] for column in (path.preference, path.lower, path.upper))
    figure = Figure(figsize=(7.0, 4.4), layout="constrained")
    axes = figure.subplots()
    axes.plot(seen, mean, color="#0072b2", label="mean outcome")
    label = f"{path.confidence:.0%} interval at any time"
    axes.fill_between(seen, lower, upper, color="#0072b2", alpha=0.2, linewidth=0, label=label)
    axes.axhline(TIE, color="black", linestyle=":", label="no preference")
    title, decided = "Not decided", path.decided_at
    if decided is not None:
        title = f"Decided after {counted(decided, 'impression')}"
        axes.axvline(decided, color="#d55e00", linestyle="--", label="decided")
    axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel="impressions", ylabel="preference for left")
    axes.set_title(title, fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return figure
