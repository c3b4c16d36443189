"""Click metrics of two rankers in an A/B test, and the number of impressions that each metric needs."""

from dataclasses import dataclass
from math import ceil, isfinite, sqrt
from statistics import NormalDist

from numpy.typing import ArrayLike

from duelist.duel import TIE
from duelist.errors import ParameterError, require_confidence, require_positive
from duelist.interleaving.analysis.columns import Clicks, as_clicked_places, as_outcomes, measure_clicks
from duelist.interleaving.analysis.intervals import estimate_difference, estimate_mean, estimate_outcomes
from duelist.text import Report, align, as_p_value, counted


@dataclass(frozen=True)
class MetricComparison(Report):
    """One metric of both rankers.

    Parameters
    ----------
    metric : str
        The name of the metric.
    mean_a, lower_a, upper_a : float
        The mean of ranker a and its interval.
    mean_b, lower_b, upper_b : float
        The mean of ranker b and its interval.
    difference, lower, upper : float
        The mean of a minus that of b, and its interval.
    p_value : float
        Welch's test of equal means.
    deviation : float
        The standard deviation over impressions, from the average of the two rankers' variances.
    counted : float
        The share of impressions for which the metric is defined.

    Examples
    --------
    >>> report = compare_absolute([[0], [0, 1], [], [0]], [[3], [], [], [1]])
    >>> report.metrics[0].metric, report.metrics[0].difference
    ('clicks per query', 0.5)
    """

    metric: str
    mean_a: float
    lower_a: float
    upper_a: float
    mean_b: float
    lower_b: float
    upper_b: float
    difference: float
    lower: float
    upper: float
    p_value: float
    deviation: float
    counted: float


@dataclass(frozen=True)
class AbsoluteReport(Report):
    """The comparison of two rankers in an A/B test, metric by metric; prints as a table.

    Parameters
    ----------
    impressions_a, impressions_b : int
        The number of impressions of each ranker.
    confidence : float
        The coverage of each interval.
    metrics : tuple of MetricComparison
        The metrics.

    Examples
    --------
    >>> compare_absolute([[0], [0, 1], [], [0]], [[3], [], [], [1]]).impressions_a
    4
    """

    impressions_a: int
    impressions_b: int
    confidence: float
    metrics: tuple[MetricComparison, ...]

    def __str__(self) -> str:
        header = ["metric", "a", "b", "a - b", f"{self.confidence:.0%} interval", "p"]
        rows = []
        for one in self.metrics:
            means = [f"{one.mean_a:.4f}", f"{one.mean_b:.4f}", f"{one.difference:+.4f}"]
            interval = f"{one.lower:+.4f} to {one.upper:+.4f}"
            rows.append([one.metric, *means, interval, as_p_value(one.p_value)])
        of_a = counted(self.impressions_a, "impression")
        return f"{align(header, rows)}\n{of_a} of a, {self.impressions_b:,} of b."


def compare_absolute(clicks_a: Clicks, clicks_b: Clicks, confidence: float = 0.95) -> AbsoluteReport:
    """Compare the clicks on two rankers, each shown alone, by standard absolute metrics.

    Parameters
    ----------
    clicks_a, clicks_b : boolean array (impressions, places), or sequences of clicked places
        Places are counted from 0, the top. The order of clicks and repeated clicks on a place do not matter;
        the *first* click is the one highest on the page.
    confidence : float, default 0.95
        The coverage of each interval.

    Returns
    -------
    AbsoluteReport
        The comparison of each metric.

    Raises
    ------
    ParameterError
        If the clicks are malformed, or `confidence` is not between 0 and 1.

    Notes
    -----
    Reciprocal ranks are those of impressions with a click. A metric is omitted if it is defined for fewer
    than two impressions of a ranker. Impressions are assumed to be independent.

    References
    ----------
    Radlinski, Kurup, Joachims (2008). How does clickthrough data reflect retrieval quality? CIKM.

    Examples
    --------
    >>> report = compare_absolute([[0], [0, 1], [], [0]], [[3], [], [], [1]])
    >>> [(one.metric, one.mean_a, one.mean_b) for one in report.metrics[:2]]
    [('clicks per query', 1.0, 0.5), ('abandonment rate', 0.25, 0.5)]
    """
    require_confidence(confidence)
    log_a, log_b = as_clicked_places("clicks_a", clicks_a), as_clicked_places("clicks_b", clicks_b)
    measured_b = measure_clicks(log_b)
    metrics = []
    for metric, a in measure_clicks(log_a).items():
        b = measured_b[metric]
        if min(len(a), len(b)) >= 2:
            of_each = (*estimate_mean(a, confidence, 0.0)[:3], *estimate_mean(b, confidence, 0.0)[:3])
            deviation = sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2.0)
            share = (len(a) + len(b)) / (log_a.impressions + log_b.impressions)
            difference = estimate_difference(a, b, confidence)
            metrics.append(MetricComparison(metric, *of_each, *difference, deviation, share))
    return AbsoluteReport(log_a.impressions, log_b.impressions, float(confidence), tuple(metrics))


@dataclass(frozen=True)
class Sensitivity(Report):
    """The number of impressions that one method needs.

    Parameters
    ----------
    method : str
        "interleaving", or the name of an absolute metric.
    difference : float
        The difference of the means; for interleaving, the preference minus one half.
    deviation : float
        The standard deviation of one impression.
    p_value : float
        The p-value of the difference in the given logs; if it is large, `impressions` is a rough estimate.
    impressions : int or None
        The total for both rankers; None if no difference was measured.

    Examples
    --------
    >>> report = compare_sensitivity([1, 1, 0, 1, 0.5, 1] * 20, [[0], [0, 1], []] * 50, [[1], [0], []] * 50)
    >>> report.rows[0].method, report.rows[0].impressions
    ('interleaving', 21)
    """

    method: str
    difference: float
    deviation: float
    p_value: float
    impressions: int | None


@dataclass(frozen=True)
class SensitivityReport(Report):
    """The number of impressions that each method needs; prints as a table.

    Parameters
    ----------
    confidence : float
        The confidence of the tests.
    power : float
        Their power.
    rows : tuple of Sensitivity
        The methods, interleaving first.

    Examples
    --------
    >>> report = compare_sensitivity([1, 1, 0, 1, 0.5, 1] * 20, [[0], [0, 1], []] * 50, [[1], [0], []] * 50)
    >>> report.power
    0.8
    """

    confidence: float
    power: float
    rows: tuple[Sensitivity, ...]

    def __str__(self) -> str:
        header = ["method", "difference", "deviation", "p", "impressions needed", "times"]
        base = self.rows[0].impressions
        lines = []
        for row in self.rows:
            found = [f"{row.difference:+.4f}", f"{row.deviation:.4f}", as_p_value(row.p_value)]
            needed = "-" if row.impressions is None else f"{row.impressions:,}"
            times = f"{row.impressions / base:.1f}" if row.impressions and base else "-"
            lines.append([row.method, *found, needed, times])
        goal = f"For significance at {self.confidence:.0%} in {self.power:.0%} of experiments like this one."
        return f"{align(header, lines)}\n{goal}"


def impressions_needed(
    effect: float, deviation: float, confidence: float = 0.95, power: float = 0.8, groups: int = 1
) -> int:
    """Return the number of impressions that a two-sided t-test needs to detect an effect.

    Uses the normal approximation with Guenther's correction for the estimated deviation.

    Parameters
    ----------
    effect : float
        The difference to detect: a preference minus one half (delta), or a difference of means.
    deviation : float
        The standard deviation of one impression.
    confidence : float, default 0.95
        The probability of finding no difference if there is none.
    power : float, default 0.8
        The probability of detecting the effect.
    groups : int, default 1
        1 for interleaving; 2 for an A/B test with equal parts, both of which count.

    Returns
    -------
    int
        The total number of impressions.

    Raises
    ------
    ParameterError
        If a number is out of range.

    References
    ----------
    Guenther (1981). Sample size formulas for normal theory t tests. The American Statistician 35(4).

    Examples
    --------
    >>> impressions_needed(0.02, 0.4), impressions_needed(0.02, 0.4, groups=2)
    (3142, 12562)
    """
    if not isfinite(effect) or effect == 0.0:
        raise ParameterError(f"effect must be a finite number other than 0; got {effect!r}.")
    require_positive("deviation", deviation)
    require_confidence(confidence)
    require_confidence(power, "power", 0.8)
    if groups not in (1, 2):
        raise ParameterError(f"groups must be 1 (interleaving) or 2 (an A/B test); got {groups!r}.")
    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    reach = max(0.0, z + NormalDist().inv_cdf(power))
    each = groups * (reach * deviation / effect) ** 2 + z * z / (2.0 * groups)
    return groups * max(2, ceil(each))


def compare_sensitivity(
    outcomes: ArrayLike, clicks_a: Clicks, clicks_b: Clicks, confidence: float = 0.95, power: float = 0.8
) -> SensitivityReport:
    """Compare how many impressions interleaving and each absolute metric need, for the same two rankers.

    Parameters
    ----------
    outcomes : array of shape (impressions,)
        The outcomes of an interleaving experiment: 1 if left won, 0 if right won, 0.5 for a tie.
    clicks_a, clicks_b : boolean array (impressions, places), or sequences of clicked places
        The clicks on the left and on the right ranker in an A/B test.
    confidence : float, default 0.95
        The probability of finding no difference if there is none.
    power : float, default 0.8
        The probability of detecting the difference.

    Returns
    -------
    SensitivityReport
        The number of impressions that each method needs.

    Raises
    ------
    OutcomeError
        If an outcome is not from 0 to 1.
    ParameterError
        If there are fewer than two outcomes, or another parameter is invalid.

    Notes
    -----
    The numbers follow from the *measured* differences: half the difference needs four times the impressions.
    Impressions are assumed to be independent.

    Examples
    --------
    >>> report = compare_sensitivity([1, 1, 0, 1, 0.5, 1] * 20, [[0], [0, 1], []] * 50, [[1], [0], []] * 50)
    >>> [(row.method, row.impressions) for row in report.rows[:2]]
    [('interleaving', 21), ('clicks per query', 130)]
    """
    column = as_outcomes(outcomes)
    if len(column) < 2:
        raise ParameterError(f"outcomes must have at least 2 rows; got {len(column)}.")
    report = compare_absolute(clicks_a, clicks_b, confidence)
    mean = estimate_outcomes(column, confidence)
    found = [(1, "interleaving", mean.value - TIE, float(column.std(ddof=1)), mean.p_value, 1.0)]
    for one in report.metrics:
        found.append((2, one.metric, one.difference, one.deviation, one.p_value, one.counted))
    rows = []
    for groups, method, difference, deviation, p_value, share in found:
        needed = None
        if difference != 0.0 and deviation > 0.0:
            # impressions for which the metric is undefined come on top
            needed = ceil(impressions_needed(difference, deviation, confidence, power, groups) / share)
        rows.append(Sensitivity(method, difference, deviation, p_value, needed))
    return SensitivityReport(float(confidence), float(power), tuple(rows))
