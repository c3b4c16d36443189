"""Absolute click metrics of two rankers in an A/B test."""

from dataclasses import dataclass
from math import sqrt

from duelist.errors import require_confidence
from duelist.interleaving.analysis.columns import Clicks, as_clicked_places, measure_clicks
from duelist.interleaving.analysis.intervals import estimate_difference, estimate_mean
from duelist.text import Report, align, as_p_value, counted


@dataclass(frozen=True)
class MetricComparison(Report):
    """One metric of both rankers."""

    metric: str
    mean_a: float
    lower_a: float
    upper_a: float
    mean_b: float
    lower_b: float
    upper_b: float
    difference: float
    """The mean of a minus that of b."""
    lower: float
    upper: float
    p_value: float
    """Welch's test of equal means."""
    deviation: float
    """The standard deviation over impressions, from the average of the two rankers' variances."""
    counted: float
    """The share of the impressions that have a value of the metric."""


@dataclass(frozen=True)
class AbsoluteReport(Report):
    """The comparison of two rankers in an A/B test, metric by metric; prints as a table."""

    impressions_a: int
    impressions_b: int
    confidence: float
    metrics: tuple[MetricComparison, ...]

    def __str__(self) -> str:
        """Return a table."""
        header = ["metric", "a", "b", "a - b", f"{self.confidence:.0%} interval", "p"]
        rows = []
        for one in self.metrics:
            means = [f"{one.mean_a:.4f}", f"{one.mean_b:.4f}", f"{one.difference:+.4f}"]
            interval = f"{one.lower:+.4f} to {one.upper:+.4f}"
            rows.append([one.metric, *means, interval, as_p_value(one.p_value)])
        of_a = counted(self.impressions_a, "impression")
        return f"{align(header, rows)}\n{of_a} of a, {self.impressions_b:,} of b."


def compare_absolute(clicks_a: Clicks, clicks_b: Clicks, confidence: float = 0.95) -> AbsoluteReport:
    """Compare the clicks on two rankers, each shown alone, by the usual absolute metrics.

    Parameters
    ----------
    clicks_a, clicks_b : boolean array (impressions, places), or sequences of clicked places
        Places are counted from 0, the top. The order of clicks and repeated clicks on a place do not matter;
        the *first* click is the one highest on the page.
    confidence : float, default 0.95
        The coverage of each interval.

    Notes
    -----
    Reciprocal ranks are those of impressions with a click. A metric is left out if fewer than two impressions
    of a ranker have a value of it. Impressions are assumed to be independent.

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
