"""Problems built from a model: utilities behind a link, the worst case, cycles and clones.

Yue, Broder, Kleinberg, Joachims (2012). The K-armed dueling bandits problem. JCSS 78. Sections 3.1 and 7.1,
Appendix A.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import BoolArray, FloatArray
from duelist.errors import ParameterError, require_known, require_whole
from duelist.problems.matrix import Labels, MatrixProblem

MOST_ARMS = 2**15  # a matrix of as many takes 8 GiB
Link = Callable[[FloatArray], ArrayLike]
"""From differences of utility to probabilities of winning; `link(x) + link(-x)` is 1."""


def logistic(difference: FloatArray) -> FloatArray:
    """Return the Bradley-Terry probabilities of differences in log weight."""
    return 0.5 + 0.5 * np.tanh(0.5 * difference)


def gaussian(difference: FloatArray) -> ArrayLike:
    """Return the Thurstone probabilities of differences in mean, each arm of variance 1."""
    from scipy.special import ndtr  # imported here, because it is slow

    return ndtr(difference / sqrt(2.0))


def linear(difference: FloatArray) -> FloatArray:
    """Return 1/2 + x/2, cut to [0, 1]."""
    return np.clip(0.5 + difference / 2.0, 0.0, 1.0)


LINKS: dict[str, Link] = {"gaussian": gaussian, "linear": linear, "logistic": logistic}


def bradley_terry(weights: ArrayLike, labels: Labels = None) -> MatrixProblem:
    """Return the problem in which arm i beats arm j with probability w_i / (w_i + w_j).

    Examples
    --------
    >>> bradley_terry([3.0, 1.0]).matrix.tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    worth = _vector("weights", weights)
    for arm in np.flatnonzero(worth <= 0.0):
        raise ParameterError(f"weights[{arm}] is {worth[arm]}; give every arm a weight above 0.")
    # Ratios, because a sum of weights may overflow where the probability does not.
    with np.errstate(over="ignore"):
        odds_against = worth[np.newaxis, :] / worth[:, np.newaxis]
    return MatrixProblem(1.0 / (1.0 + odds_against), labels)


def thurstone(means: ArrayLike, labels: Labels = None) -> MatrixProblem:
    """Return the problem in which each arm draws a Gaussian of variance 1, and the larger draw wins.

    Examples
    --------
    >>> thurstone([1.0, 0.0]).matrix[0, 1].round(3).item()
    0.76
    """
    return from_utilities(_vector("means", means), "gaussian", labels)


def from_utilities(utilities: ArrayLike, link: str | Link, labels: Labels = None) -> MatrixProblem:
    """Return the problem in which arm i beats arm j with probability link(u_i - u_j).

    The link is "logistic"; "gaussian", as in `thurstone`; "linear", which is 1/2 + x/2 cut to [0, 1]; or a
    function of an array of differences that satisfies link(x) + link(-x) = 1. Labels are the arms' names.

    Examples
    --------
    >>> from_utilities([0.2, 0.0], "linear").matrix.tolist()
    [[0.5, 0.6], [0.4, 0.5]]
    """
    if not callable(link):
        require_known("link", link, LINKS)
        link = LINKS[link]
    utility = _vector("utilities", utilities)
    with np.errstate(over="ignore"):
        difference = utility[:, np.newaxis] - utility[np.newaxis, :]
    return MatrixProblem(link(difference), labels)


def worst_case(k: int, epsilon: float = 0.1) -> MatrixProblem:
    """Return the instance of the lower bound: every arm beats all later ones by 1/2 + epsilon.

    Examples
    --------
    >>> worst_case(3).matrix[0].tolist()
    [0.5, 0.6, 0.6]
    """
    _require(k, 2, epsilon)
    return MatrixProblem(_by_margin(np.triu(np.ones((k, k), np.bool_), 1), epsilon))


def random_bradley_terry(k: int, epsilon: float = 0.1, rng: Generator | int = 0) -> MatrixProblem:
    """Return a random Bradley-Terry problem in which arm 0 beats the best rival by 1/2 + epsilon.

    The rivals' weights are uniform on (0, 1); the paper's section 7.1.

    Examples
    --------
    >>> random_bradley_terry(10, epsilon=0.1, rng=7).matrix[0, 1:].min().round(12).item()
    0.6
    """
    _require(k, 2, epsilon)
    if not isinstance(rng, Generator):
        require_whole("rng", rng, 0)
    # The interval is open: NumPy's includes 0, which is no weight.
    rivals = np.random.default_rng(rng).uniform(np.nextafter(0.0, 1.0), 1.0, size=k - 1)
    best = rivals.max() * (1.0 + 2.0 * epsilon) / (1.0 - 2.0 * epsilon)
    return bradley_terry([best, *rivals])


def cycle(k: int = 3, epsilon: float = 0.1) -> MatrixProblem:
    """Return the problem in which each arm beats the next half of the circle: no Condorcet winner.

    Of an even number of arms, those opposite each other tie.

    Examples
    --------
    >>> cycle().matrix.tolist()
    [[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]]
    """
    _require(k, 3, epsilon)
    return MatrixProblem(_circle(k, epsilon))


def condorcet_cycle(k: int = 4, epsilon: float = 0.1, strength: float = 0.4) -> MatrixProblem:
    """Return a problem whose winner, arm 0, leads by a little over a strong cycle of all the others.

    Learners that look for large gaps are drawn into the cycle.

    Examples
    --------
    >>> condorcet_cycle().matrix[:2].round(12).tolist()
    [[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1]]
    """
    _require(k, 4, epsilon)
    if not 0.0 < strength <= 0.5:
        raise ParameterError(f"strength must lie above 0 and be at most 1/2; got {strength}. Try 0.4.")
    matrix = np.full((k, k), 0.5)
    matrix[0, 1:] += epsilon
    matrix[1:, 0] -= epsilon
    matrix[1:, 1:] = _circle(k - 1, strength)
    return MatrixProblem(matrix)


def with_clones(problem: MatrixProblem, arm: int | str, copies: int = 1) -> MatrixProblem:
    """Return the problem with copies of an arm appended: they tie with it and meet the others as it does.

    A sound notion of a winner does not change when an arm is cloned.

    Examples
    --------
    >>> with_clones(worst_case(2), 0, copies=2)
    MatrixProblem(labels=('0', '1', "0'", "0''"))
    """
    require_whole("copies", copies, 1)
    original = problem.index(arm)
    order = [*range(problem.k), *[original] * copies]
    labels = list(problem.labels)
    for _ in range(copies):
        name = f"{problem.labels[original]}'"
        while name in labels:
            name += "'"
        labels.append(name)
    return MatrixProblem(problem.matrix[np.ix_(order, order)], labels)


def _vector(name: str, values: ArrayLike) -> FloatArray:
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be numbers, one for each arm; got {values!r}.") from error
    if vector.ndim != 1 or len(vector) < 2:
        raise ParameterError(f"{name} has shape {vector.shape}; give one number for each of 2 or more arms.")
    _require_room(name, len(vector))
    for arm in np.flatnonzero(~np.isfinite(vector)):
        raise ParameterError(f"{name}[{arm}] is {vector[arm]}; give every arm a finite number.")
    return vector


def _require_room(name: str, k: int) -> None:
    if k > MOST_ARMS:
        raise ParameterError(
            f"{name}: the preferences of {k:,} arms take {8 * k**2 / 2**30:,.0f} GiB; "
            f"choose at most {MOST_ARMS:,} arms."
        )


def _require(k: int, least: int, epsilon: float) -> None:
    require_whole("k", k, least)
    _require_room("k", k)
    if not 0.0 < epsilon < 0.5:
        raise ParameterError(f"epsilon must lie between 0 and 1/2; got {epsilon}. Try the default, 0.1.")


def _circle(k: int, margin: float) -> FloatArray:
    steps = (np.arange(k) - np.arange(k)[:, np.newaxis]) % k
    return _by_margin((steps >= 1) & (steps <= (k - 1) // 2), margin)


def _by_margin(beats: BoolArray, margin: float) -> FloatArray:
    return 0.5 + margin * (beats.astype(np.float64) - beats.T)
