"""How uncertain ratings are: the robust covariance, and samples drawn anew from the votes.

Peter J. Huber (1967). The behavior of maximum likelihood estimates under nonstandard conditions. Proceedings
of the Fifth Berkeley Symposium. Halbert White (1982). Maximum likelihood estimation of misspecified models.
Econometrica 50.
"""

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray
from duelist.ratings.clusters import Counts
from duelist.ratings.newton import Fit, Moments, information, maximize, moments
from duelist.ratings.pairs import Pairs

SLIGHT_RIDGE = 1e-3  # keeps ratings finite in samples that lost all votes of one side
SETTLED = 1e-6
CELLS_AT_ONCE = 4_000_000  # of all tables that are made at a time, so that they stay small in memory


def sandwich(pairs: Pairs, fit: Fit, ridge: float, ties: bool, clusters: "Counts | None") -> FloatArray:
    """Return the covariance of the ratings, relative to their mean, whether or not the model holds.

    It is inv(H) G inv(H): H is what the model expects the slope to vary by, G how much the slopes of single
    votes, or of clusters of votes, vary in truth. A ridge is a prior with the variance 1 / ridge, which
    counts as an observation.
    """
    from scipy.sparse import diags_array

    found = moments(pairs, fit)
    slopes = _slopes(pairs, found, ties)
    if clusters is None:
        varied = (slopes.T @ diags_array(_counts(pairs)) @ slopes).toarray()
    else:
        together = clusters @ slopes
        many = clusters.shape[0]
        varied = (together.T @ together).toarray() * many / (many - 1)
    varied[: pairs.k, : pairs.k] += ridge * (np.eye(pairs.k) - 1.0 / pairs.k)
    inverse = np.linalg.inv(information(pairs, found, ridge, ties)[0])
    covariance = (inverse @ varied @ inverse)[: pairs.k, : pairs.k]
    return np.asarray((covariance + covariance.T) / 2.0)


def bootstrap(
    pairs: Pairs, fit: Fit, ridge: float, ties: bool, clusters: "Counts | None", samples: int, seed: int
) -> FloatArray:
    """Return the ratings of samples: as many votes, or clusters, as there are, drawn with replacement."""
    rng = default_rng(seed)
    counts = _counts(pairs)
    drawn_from = counts if clusters is None else np.ones(clusters.shape[0])
    total = drawn_from.sum()
    at_once = max(CELLS_AT_ONCE // max(pairs.k**2, len(drawn_from)), 1)
    found = []
    for start in range(0, samples, at_once):
        many = min(at_once, samples - start)
        drawn = rng.multinomial(int(total), drawn_from / total, size=many).astype(np.float64)
        won, lost, tied = np.split(drawn if clusters is None else drawn @ clusters, 3, axis=1)
        sample = pairs._replace(won=won, lost=lost, tied=tied)
        begin = Fit(np.repeat(fit.ratings, many, axis=0), np.repeat(fit.log_nu, many))
        found.append(maximize(sample, begin, max(ridge, SLIGHT_RIDGE), ties, SETTLED).ratings)
    return np.concatenate(found)


def _counts(pairs: Pairs) -> FloatArray:
    """Return how often each pair was won, then lost, then tied, in the first sample."""
    return np.concatenate([pairs.won[0], pairs.lost[0], pairs.tied[0]])


def _slopes(pairs: Pairs, found: Moments, ties: bool) -> Counts:
    """Return the slope of the log-likelihood of a vote: a row for each pair won, then lost, then tied."""
    from scipy.sparse import csr_array

    margins = np.concatenate([margin - found.margin[0] for margin in (0.5, -0.5, 0.0)])
    tied = np.concatenate([tie - found.tie[0] for tie in (0.0, 0.0, 1.0)])
    cells, last = np.arange(len(margins)), np.full(len(margins), pairs.k)
    columns = [np.tile(pairs.first, 3), np.tile(pairs.second, 3), last][: 3 if ties else 2]
    values = [margins, -margins, tied][: len(columns)]
    places = (np.tile(cells, len(columns)), np.concatenate(columns))
    return csr_array((np.concatenate(values), places), shape=(len(cells), pairs.k + ties))
