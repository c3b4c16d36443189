"""Standard errors of ratings for independent votes or for clusters of correlated votes.

The covariance is the sandwich inv(H) G inv(H). H is the information matrix of the model. G is the sum of
outer products of the scores (gradients of the log-likelihood) of single votes or of whole clusters. The
model need not hold.

With few clusters, G is biased downwards and imprecise. Each parameter has an effective number of clusters n:
the number of clusters if they are equally informative about it, and less if some are more informative. The
covariance is multiplied by n / (n - 1), and intervals use quantiles of Student's t with n - 1 degrees of
freedom.

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
"""A column whose equal values form a cluster: "voter", "item", "ranking" or the name of an extra column."""
Sparse: TypeAlias = "csr_array[Any, Any]"
AUTO, NONE = "auto", "none"
FEWEST = 2  # minimum number of clusters for intervals
SAMPLE = 5  # minimum number of voters at which they are treated as a sample of voters by default
DENSE = 0.1  # share of non-zero scores above which dense blocks are faster
BLOCK = 4_000_000  # numbers in a dense block


class Clustering(NamedTuple):
    """The column that the votes were clustered by, and the number of clusters."""

    by: str
    number: int


class Grouping(NamedTuple):
    """The independent units of the votes: clusters, and single votes outside of any cluster."""

    used: Clustering
    unit: IntArray
    """The unit of each row."""
    times: FloatArray
    """The number of equal units that each unit stands for."""
    share: FloatArray
    """The number of votes of each row that belong to one unit."""


class Scores(NamedTuple):
    """Scores and information, with a row for each independent unit and a column for each parameter."""

    slopes: Sparse
    """The gradient of each unit's log-likelihood."""
    information: Sparse
    """Each unit's information on each parameter, taken separately."""
    times: FloatArray

    def gram(self) -> FloatArray:
        """Return the sum of outer products of the gradients."""
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
        """Return, for each parameter, the number of equal units that would be as uncertain.

        The gradient of a unit with information t has a variance of about t + v t^2, where v is the variance
        of the units' own values of the parameter, estimated from the gradients.
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
    """Return the clusters of some rows, or None if votes are treated as independent.

    A vote without a value in the column is a cluster by itself.
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
    # sorted by name, so that bootstrap samples do not depend on the order of the rows
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
            f"intervals with clusters need {FEWEST} or more; got {counted(grouping.used.number, by)}; "
            'collect more, or set clusters="none" to treat votes as independent.'
        )
    return grouping


def score_rows(evidence: Evidence, found: Moments, ties: bool, grouping: Grouping) -> Scores:
    """Return gradients and information of the units, given the expectations of each cell."""
    from scipy.sparse import csr_array

    cell, weighted = evidence.cell, grouping.share * evidence.weights
    slopes = weighted * (evidence.margin - found.margin[0][cell])
    known = weighted * found.variance[0][cell]
    effects = evidence.effects[cell].T
    columns = [evidence.first[cell], evidence.second[cell]]
    values, squares = [slopes, -slopes], [known, known]
    for column, effect in enumerate(effects, start=evidence.k):
        columns.append(np.full(len(cell), column))
        values.append(slopes * effect)
        squares.append(known * effect**2)
    width = evidence.k + len(effects) + ties
    if ties:
        tie = found.tie[0][cell]
        columns.append(np.full(len(cell), width - 1))
        values.append(weighted * (evidence.tie - tie))
        squares.append(weighted * tie * (1.0 - tie))
    cells = np.tile(grouping.unit, len(columns)), np.concatenate(columns)
    shape = (len(grouping.times), width)
    tables = [csr_array((np.concatenate(data), cells), shape=shape) for data in (values, squares)]
    return Scores(tables[0], tables[1], grouping.times)


def vote_gram(evidence: Evidence, found: Moments, ties: bool) -> FloatArray:
    """Return the sum of outer products of the gradients of single votes."""
    cells, cell = evidence.cells(), evidence.cell
    weighted = evidence.counts * evidence.weights**2
    margin, tie = evidence.margin - found.margin[0][cell], evidence.tie - found.tie[0][cell]
    squares = cells.gram(evidence.sums(weighted * margin**2))
    if not ties:
        return np.asarray(squares[0])
    across = cells.project(evidence.sums(weighted * margin * tie))
    return np.asarray(bordered(squares, across, evidence.sums(weighted * tie**2).sum(axis=1))[0])


def sandwich(inverse: FloatArray, varied: FloatArray, k: int, effects: int, ridge: float) -> FloatArray:
    """Return inv(H) G inv(H), given G of the votes.

    A ridge is a prior with variance 1 / ridge, which counts as an observation.
    """
    total, of_effects = varied.copy(), np.arange(k, k + effects)
    total[:k, :k] += ridge * (np.eye(k) - 1.0 / k)
    total[of_effects, of_effects] += ridge
    covariance = inverse @ total @ inverse
    return np.asarray((covariance + covariance.T) / 2.0)


def model_covariance(inverse: FloatArray, k: int) -> FloatArray:
    """Return the model-based covariance for independent votes and ratings relative to their mean."""
    centre = np.eye(len(inverse))
    centre[:k, :k] -= 1.0 / k
    return np.asarray(centre @ inverse @ centre)


class Uncertainty(NamedTuple):
    covariance: FloatArray
    degrees: FloatArray
    """Degrees of freedom of each parameter's interval; infinite for independent votes."""
    low: FloatArray
    high: FloatArray
    reference: FloatArray
    """The covariance of ratings from which simultaneous quantiles are computed."""


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
        The estimates, with the ratings of `k` arms first.
    covariance : array of shape (parameters, parameters)
        The robust covariance.
    model : array of shape (parameters, parameters)
        The model-based covariance.
    k : int
        The number of arms.
    numbers : array of shape (parameters,), optional
        Effective numbers of clusters; None for independent votes.
    confidence : float
        The confidence level of each interval.
    drawn : array of shape (samples, parameters), optional
        Estimates of bootstrap samples, whose quantiles become the bounds. With clusters they are widened like
        the other intervals.
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
    """Return a clustered covariance corrected for the effective numbers, and the degrees of freedom.

    If nearly all information on a parameter comes from one cluster, its gradients sum to 0 and reveal nothing
    about the variance between clusters. The variance is then at least that of the model.
    """
    number = np.maximum(numbers, 2.0)
    factor = np.sqrt(number / (number - 1.0))
    wider = covariance * np.outer(factor, factor)
    diagonal = np.arange(len(wider))
    missing = np.maximum(np.diag(model) - np.diag(wider), 0.0)
    wider[diagonal, diagonal] += np.where(numbers < 2.0, missing, 0.0)
    return wider, number - 1.0


def shrunken(covariance: FloatArray, model: FloatArray, degrees: FloatArray) -> FloatArray:
    """Shrink the correlations of a covariance of ratings towards those of the model.

    With few clusters the covariance is rank-deficient, and simultaneous quantiles from it are too small.
    """
    k = len(covariance)
    scale = np.sqrt(np.diag(covariance) / np.diag(model))
    share = k / (k + float(degrees.mean()))
    return np.asarray((1.0 - share) * covariance + share * model * np.outer(scale, scale))


def _any_named(column: Any, rows: IntArray) -> bool:
    return column is not None and bool((column.codes[rows] >= 0).any())
