"""A Gaussian process model of utility, learned from duels (Chu, Ghahramani, ICML 2005) by Laplace's method.

Duels depend only on differences of utility, so the posterior is over these: `gaps[i]` is the utility of the
left point of duel i minus that of the right point. Their prior covariance, the gram matrix, may be singular,
because duels can repeat; it is never inverted. Points are given in coordinates of the unit box.
"""

from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray

HEIGHT, HEIGHT_SPREAD = 3.0, 0.7
"""The log-normal prior of the height: its median, in logits, and the deviation of its logarithm."""

LENGTH, LENGTH_SPREAD = 0.25, 0.5
"""The log-normal prior of each length; the median is in units of the square root of the dimension.

Both priors are narrow. Otherwise the evidence of a few duels can drive a length to infinity: utility then
looks linear, with its maximum in a corner.
"""

NEWTON_STEPS = 100
CONVERGED = 1e-9  # gain in log-posterior below which Newton's method has converged


class Scales(NamedTuple):
    """Hyperparameters: how much utility varies, in logits, and over which distances."""

    height: float
    lengths: FloatArray


class Mode(NamedTuple):
    """The Laplace approximation: the most probable gaps, and the sharpness of the posterior around them."""

    gaps: FloatArray
    slope: FloatArray  # of the log-likelihood at the gaps: gram @ slope == gaps
    sharpness: FloatArray  # sharpness[i, j]: gram - gram @ sharpness @ gram is the posterior covariance
    log_evidence: float


class Posterior(NamedTuple):
    """The posterior of utility at every point."""

    pairs: FloatArray
    scales: Scales
    mode: Mode

    def mean(self, points: FloatArray) -> FloatArray:
        """Return the expected utility of points, one per row, up to an arbitrary constant."""
        return np.asarray(cross(points, self.pairs, self.scales) @ self.mode.slope)

    def covariance(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Return the posterior covariance of the utility of `points` with that of `others`."""
        reduced = cross(points, self.pairs, self.scales) @ self.mode.sharpness
        known = reduced @ cross(others, self.pairs, self.scales).T
        return np.asarray(kernel(points, others, self.scales) - known)

    def variance(self, points: FloatArray) -> FloatArray:
        shared = cross(points, self.pairs, self.scales)
        known = np.sum((shared @ self.mode.sharpness) * shared, axis=1)
        return np.asarray(np.maximum(self.scales.height**2 - known, 0.0))


def kernel(points: FloatArray, others: FloatArray, scales: Scales) -> FloatArray:
    """Return the prior covariance of utility between points: the Matern 5/2 kernel."""
    root = np.sqrt(5.0) * distances(points, others, scales)
    return np.asarray(scales.height**2 * (1.0 + root + root**2 / 3.0) * np.exp(-root))


def distances(points: FloatArray, others: FloatArray, scales: Scales) -> FloatArray:
    a, b = points / scales.lengths, others / scales.lengths
    squares = np.sum(a**2, axis=1)[:, None] + np.sum(b**2, axis=1)
    return np.asarray(np.sqrt(np.maximum(squares - 2.0 * a @ b.T, 0.0)))


def cross(points: FloatArray, pairs: FloatArray, scales: Scales) -> FloatArray:
    """Return the prior covariance between the utility of points and the gaps of pairs."""
    return kernel(points, pairs[:, 0], scales) - kernel(points, pairs[:, 1], scales)


def gram_of(pairs: FloatArray, scales: Scales) -> FloatArray:
    return cross(pairs[:, 0], pairs, scales) - cross(pairs[:, 1], pairs, scales)


def log_likelihood(gaps: FloatArray, outcomes: FloatArray) -> float:
    """Return the log-probability of outcomes under the logistic link; a tie is half a win each way."""
    return float(outcomes @ gaps - np.logaddexp(0.0, gaps).sum())


def win_probability(gaps: FloatArray) -> FloatArray:
    """Return the logistic function, computed without overflow."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * gaps))


def slope_and_curvature(gaps: FloatArray, outcomes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first derivatives and the negative second derivatives of the log-likelihood."""
    chance = win_probability(gaps)
    return outcomes - chance, chance * (1.0 - chance)


def find_mode(gram: FloatArray, outcomes: FloatArray) -> Mode:
    """Return the Laplace approximation, found by Newton's method with step halving.

    This is Algorithm 3.1 of Rasmussen and Williams (2006), with weights such that gaps = gram @ weights.
    """
    weights = np.zeros(len(outcomes))
    height = log_likelihood(weights, outcomes)
    for _ in range(NEWTON_STEPS):
        gaps = gram @ weights
        slope, curvature = slope_and_curvature(gaps, outcomes)
        target = curvature * gaps + slope
        step = target - sharpness_of(gram, curvature) @ (gram @ target) - weights
        before = height
        size = 1.0
        while size > CONVERGED:
            trial = weights + size * step
            height = log_likelihood(gram @ trial, outcomes) - 0.5 * float(trial @ gram @ trial)
            if height >= before:
                weights = trial
                break
            size /= 2.0
        if height - before < CONVERGED:
            break
    gaps = gram @ weights
    slope, curvature = slope_and_curvature(gaps, outcomes)
    root = np.sqrt(curvature)
    _, volume = np.linalg.slogdet(np.eye(len(root)) + root[:, None] * gram * root)
    log_evidence = log_likelihood(gaps, outcomes) - 0.5 * float(gaps @ weights + volume)
    return Mode(gaps, slope, sharpness_of(gram, curvature), log_evidence)


def sharpness_of(gram: FloatArray, curvature: FloatArray) -> FloatArray:
    """Return (gram + 1 / curvature)^-1, computed from a matrix that is never singular."""
    root = np.sqrt(curvature)
    inner = np.linalg.inv(np.eye(len(root)) + root[:, None] * gram * root)
    return np.asarray(root[:, None] * inner * root)


def evidence_slope(pairs: FloatArray, gram: FloatArray, mode: Mode, scales: Scales) -> FloatArray:
    """Return the gradient of the log-evidence in the logarithms of the height and of each length.

    This is Algorithm 5.1 of Rasmussen and Williams (2006). The gradient with respect to the gram matrix is
    computed first and then propagated to the kernel of all points, which avoids one matrix per length.
    """
    chance = win_probability(mode.gaps)
    bend = chance * (1.0 - chance) * (1.0 - 2.0 * chance)
    variance = np.diag(gram) - np.sum(gram * (mode.sharpness @ gram), axis=0)
    implicit = -0.5 * variance * bend
    implicit = implicit - mode.sharpness @ (gram @ implicit)
    by_gram = 0.5 * (np.outer(mode.slope, mode.slope) - mode.sharpness) + np.outer(implicit, mode.slope)

    points = np.concatenate([pairs[:, 0], pairs[:, 1]])
    root = np.sqrt(5.0) * distances(points, points, scales)
    by_squares = scales.height**2 * 5.0 / 3.0 * (1.0 + root) * np.exp(-root)
    by_squares *= np.block([[by_gram, -by_gram], [-by_gram, by_gram]])
    reach = points / scales.lengths
    squares = (by_squares.sum(0) + by_squares.sum(1)) @ reach**2
    products = 2.0 * np.sum(reach * (by_squares @ reach), axis=0)
    return np.concatenate([[2.0 * np.sum(by_gram * gram)], squares - products])


def fit(pairs: FloatArray, outcomes: FloatArray) -> Posterior:
    """Return the posterior at the scales that maximise the evidence times the prior."""
    from scipy.optimize import minimize  # imported here because it is slow to import

    d = pairs.shape[-1]
    center = np.log(np.append(HEIGHT, np.full(d, LENGTH * np.sqrt(d))))
    spread = np.append(HEIGHT_SPREAD, np.full(d, LENGTH_SPREAD))

    def scales_at(logs: FloatArray) -> Scales:
        return Scales(float(np.exp(logs[0])), np.exp(logs[1:]))

    def cost(logs: FloatArray) -> tuple[float, FloatArray]:
        scales = scales_at(logs)
        gram = gram_of(pairs, scales)
        mode = find_mode(gram, outcomes)
        strain = (logs - center) / spread
        slope = evidence_slope(pairs, gram, mode, scales)
        return 0.5 * float(strain @ strain) - mode.log_evidence, strain / spread - slope

    bounds = list(zip(center - 3.0 * spread, center + 3.0 * spread, strict=True))
    found = minimize(cost, center, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 30})
    scales = scales_at(found.x)
    return Posterior(pairs, scales, find_mode(gram_of(pairs, scales), outcomes))
