"""Standard errors of ratings, from single votes or from clusters of votes that may resemble each other.

The covariance is the sandwich inv(H) G inv(H). H is the information of the model. G is the sum of squares of
the slopes of the log-likelihood, of single votes or of whole clusters. The model need not hold.

Few clusters make G too small and too uncertain. Each parameter has an effective number of clusters n: their
number if all carry as much information on it, less if some carry more. The covariance is multiplied by
n / (n - 1), and intervals use quantiles of Student's t with n - 1 degrees of freedom.

References
----------
Peter J. Huber (1967). The behavior of maximum likelihood estimates under nonstandard conditions. Proceedings
of the Fifth Berkeley Symposium.
Kung-Yee Liang, Scott L. Zeger (1986). Longitudinal data analysis using generalized linear models. Biometrika
73.
Andrew V. Carter, Kevin T. Schnepel, Douglas G. Steigerwald (2017). Asymptotic behavior of a t-test robust to
cluster heterogeneity. Review of Economics and Statistics 99.
"""

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, UnknownNameError
from duelist.ratings.evidence import Evidence
from duelist.ratings.newton import Moments, bordered
from duelist.ratings.ranks import quantiles
from duelist.text import counted
from duelist.votes.table import Votes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Clusters: TypeAlias = str
"""A column whose equal values make a cluster: "voter", "item", "ranking" or the name of an extra column."""
Sparse: TypeAlias = "csr_array[Any, Any]"
AUTO, NONE = "auto", "none"
FEWEST = 2  # clusters that can differ at all
SAMPLE = 5  # voters that are taken as a sample of voters by default; fewer are taken as they are
DENSE = 0.1  # share of non-zero slopes above which dense blocks are faster
BLOCK = 4_000_000  # numbers in a dense block


class Clustering(NamedTuple):
    """What the votes were clustered by, and how many clusters there were."""

    by: str
    number: int


class Grouping(NamedTuple):
    """The independent units of the votes: clusters, and single votes that belong to none."""

    used: Clustering
    unit: IntArray
    """The unit of each row."""
    times: FloatArray
    """How many equal units each one stands for."""
    share: FloatArray
    """How many votes of each row are in one unit."""


class Scores(NamedTuple):
    """A row for each independent unit, a column for each parameter."""

    slopes: Sparse
    """Slopes of the unit's log-likelihood."""
    information: Sparse
    """The unit's information on each parameter by itself."""
    times: FloatArray

    def gram(self) -> FloatArray:
        """Return the sum of squares and products of the slopes."""
        slopes = self.slopes.multiply(np.sqrt(self.times)[:, None]).tocsr()
        units, width = slopes.shape
        if slopes.nnz < DENSE * units * width:
            return np.asarray((slopes.T @ slopes).toarray())
        total, step = np.zeros((width, width)), max(BLOCK // width, 1)
        for start in range(0, units, step):
            block = slopes[start : start + step].toarray()
            total += block.T @ block
        return total

    def effective_numbers(self) -> FloatArray:
        """Return for each parameter how many equal units would be as uncertain.

        The slope of a unit with the information t has a variance of about t + v t^2, where v is the variance
        of the units' own values of the parameter, estimated from the slopes.
        """
        first, second, third, fourth = (
            np.asarray(self.times @ self.information.power(power), np.float64) for power in (1, 2, 3, 4)
        )
        squares = np.asarray(self.times @ self.slopes.power(2), np.float64)
        seen = second > 0.0
        own = np.divide(squares - first, second, out=np.zeros_like(first), where=seen).clip(0.0)
        spread = second + 2.0 * own * third + own**2 * fourth
        number = (first + own * second) ** 2
        return np.asarray(np.divide(number, spread, out=np.ones_like(first), where=seen))


def group_rows(votes: Votes, rows: IntArray, counts: FloatArray, clusters: Clusters) -> Grouping | None:
    """Return the clusters of some rows, None if single votes are independent.

    A vote without a voter, item or other value is a cluster by itself.
    """
    known = {"voter": votes.voters, "item": votes.items, "ranking": votes.rankings, **votes.extras}
    by = clusters
    if clusters == AUTO:
        named = [name for name in ("ranking", "voter") if _any_named(known[name], rows)]
        by = named[0] if named else NONE
    if by == NONE:
        return None
    texts = known.get(by)
    if texts is None:
        columns = [name for name, column in known.items() if column is not None]
        raise UnknownNameError("column for clusters", by, [AUTO, NONE, *columns])
    # Sorted by name: samples of the bootstrap do not depend on the order of the rows.
    present, unit = np.unique(texts.codes[rows], return_inverse=True)
    present = present[present >= 0]
    rank = np.argsort(np.argsort(np.array([texts.names[code] for code in present], object)))
    alone = np.flatnonzero(texts.codes[rows] < 0)
    unit = unit.astype(np.int64) - (len(alone) > 0)
    unit = np.append(rank, 0)[unit]
    unit[alone] = len(present) + np.arange(len(alone))
    times, share = np.ones(len(present) + len(alone)), counts.copy()
    times[len(present) :], share[alone] = counts[alone], 1.0
    grouping = Grouping(Clustering(by, int(times.sum())), unit, times, share)
    if clusters == AUTO and by == "voter" and grouping.used.number < SAMPLE:
        return None
    if clusters != AUTO and grouping.used.number < FEWEST:
        raise ParameterError(
            f"{counted(grouping.used.number, by)} cannot differ from others: intervals with clusters need "
            f'{FEWEST} or more; collect more, or set clusters="none", which takes votes as independent.'
        )
    return grouping


def score_rows(evidence: Evidence, found: Moments, ties: bool, grouping: Grouping) -> Scores:
    """Return slopes and information of the units, given the expectations of each cell."""
    from scipy.sparse import csr_array

    cell, heavy = evidence.cell, grouping.share * evidence.weights
    slopes = heavy * (evidence.margin - found.margin[0][cell])
    known = heavy * found.variance[0][cell]
    effects = evidence.effects[cell].T
    columns = [evidence.first[cell], evidence.second[cell]]
    values, squares = [slopes, -slopes], [known, known]
    for place, effect in enumerate(effects, start=evidence.k):
        columns.append(np.full(len(cell), place))
        values.append(slopes * effect)
        squares.append(known * effect**2)
    width = evidence.k + len(effects) + ties
    if ties:
        tie = found.tie[0][cell]
        columns.append(np.full(len(cell), width - 1))
        values.append(heavy * (evidence.tie - tie))
        squares.append(heavy * tie * (1.0 - tie))
    places = np.tile(grouping.unit, len(columns)), np.concatenate(columns)
    shape = (len(grouping.times), width)
    tables = [csr_array((np.concatenate(data), places), shape=shape) for data in (values, squares)]
    return Scores(tables[0], tables[1], grouping.times)


def vote_gram(evidence: Evidence, found: Moments, ties: bool) -> FloatArray:
    """Return the sum of squares and products of the slopes of single votes."""
    cells, cell = evidence.cells(), evidence.cell
    heavy = evidence.counts * evidence.weights**2
    margin, tie = evidence.margin - found.margin[0][cell], evidence.tie - found.tie[0][cell]
    squares = cells.gram(evidence.sums(heavy * margin**2))
    if not ties:
        return np.asarray(squares[0])
    across = cells.project(evidence.sums(heavy * margin * tie))
    return np.asarray(bordered(squares, across, evidence.sums(heavy * tie**2).sum(axis=1))[0])


def sandwich(inverse: FloatArray, varied: FloatArray, k: int, effects: int, ridge: float) -> FloatArray:
    """Return inv(H) G inv(H), given G of the votes.

    A ridge is a prior with the variance 1 / ridge, which counts as an observation.
    """
    total, places = varied.copy(), np.arange(k, k + effects)
    total[:k, :k] += ridge * (np.eye(k) - 1.0 / k)
    total[places, places] += ridge
    covariance = inverse @ total @ inverse
    return np.asarray((covariance + covariance.T) / 2.0)


def model_covariance(inverse: FloatArray, k: int) -> FloatArray:
    """Return the covariance if the model holds and votes are independent, ratings relative to their mean."""
    centre = np.eye(len(inverse))
    centre[:k, :k] -= 1.0 / k
    return np.asarray(centre @ inverse @ centre)


class Uncertainty(NamedTuple):
    """How uncertain all parameters are."""

    covariance: FloatArray
    degrees: FloatArray
    """Degrees of freedom of each parameter's interval; infinite where votes are independent."""
    low: FloatArray
    high: FloatArray
    reference: FloatArray
    """The covariance of ratings by which simultaneous quantiles are found."""


def uncertainty(
    point: FloatArray,
    covariance: FloatArray,
    model: FloatArray,
    k: int,
    numbers: FloatArray | None,
    confidence: float,
    drawn: FloatArray | None = None,
) -> Uncertainty:
    """Return intervals of all parameters, given their covariance.

    Parameters
    ----------
    point : array of shape (parameters,)
        The estimates, ratings of `k` arms first.
    covariance, model : array of shape (parameters, parameters)
        As estimated, and as the model has it.
    numbers : array of shape (parameters,), optional
        Effective numbers of clusters; None where votes are independent.
    drawn : array of shape (samples, parameters), optional
        Estimates of bootstrap samples, whose quantiles become the bounds. With clusters they are stretched
        as the other intervals are.
    """
    wider, degrees = covariance, np.full(len(point), np.inf)
    reference = covariance[:k, :k]
    if numbers is not None:
        wider, degrees = small_sample(covariance, model, numbers)
        reference = shrunken(wider[:k, :k], model[:k, :k], degrees[:k])
    high = (1.0 + confidence) / 2.0
    reach = quantiles(degrees, high)
    errors = np.sqrt(np.diag(wider))
    if drawn is None:
        return Uncertainty(wider, degrees, point - reach * errors, point + reach * errors, reference)
    before = np.sqrt(np.diag(covariance))
    stretch = np.divide(errors, before, out=np.ones_like(errors), where=before > 0.0)
    stretch *= reach / quantiles(np.full(len(point), np.inf), high)
    lower, upper = point + stretch * (np.quantile(drawn, [1.0 - high, high], axis=0) - point)
    return Uncertainty(wider, degrees, lower, upper, reference)


def small_sample(
    covariance: FloatArray, model: FloatArray, numbers: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return a covariance by clusters, corrected for their effective numbers, and degrees of freedom.

    Where nearly all information on a parameter comes from one cluster, its slopes sum to 0 and tell nothing
    about how clusters differ. The variance is then at least that of the model.
    """
    number = np.maximum(numbers, 2.0)
    factor = np.sqrt(number / (number - 1.0))
    wider = covariance * np.outer(factor, factor)
    places = np.arange(len(wider))
    missing = np.maximum(np.diag(model) - np.diag(wider), 0.0)
    wider[places, places] += np.where(numbers < 2.0, missing, 0.0)
    return wider, number - 1.0


def shrunken(covariance: FloatArray, model: FloatArray, degrees: FloatArray) -> FloatArray:
    """Return a covariance of ratings with its correlations shrunk towards those of the model.

    With few clusters the covariance has fewer dimensions than there are arms, and a simultaneous quantile
    from it would be too small.
    """
    k = len(covariance)
    scale = np.sqrt(np.diag(covariance) / np.diag(model))
    share = k / (k + float(degrees.mean()))
    return np.asarray((1.0 - share) * covariance + share * model * np.outer(scale, scale))


def _any_named(column: Any, rows: IntArray) -> bool:
    return column is not None and bool((column.codes[rows] >= 0).any())
