"""Problems built from a model: utilities with a link function, the worst case, cycles and clones.

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

MOST_ARMS = 2**15  # their matrix takes 8 GiB
Link = Callable[[FloatArray], ArrayLike]
"""Maps differences in utility to win probabilities; `link(x) + link(-x)` is 1."""


def logistic(difference: FloatArray) -> FloatArray:
    return 0.5 + 0.5 * np.tanh(0.5 * difference)


def gaussian(difference: FloatArray) -> ArrayLike:
    """Return the Thurstone probabilities for arms of variance 1."""
    from scipy.special import ndtr  # slow to import

    return ndtr(difference / sqrt(2.0))


def linear(difference: FloatArray) -> FloatArray:
    return np.clip(0.5 + difference / 2.0, 0.0, 1.0)


LINKS: dict[str, Link] = {"gaussian": gaussian, "linear": linear, "logistic": logistic}


def bradley_terry(weights: ArrayLike, labels: Labels = None) -> MatrixProblem:
    """Return the problem in which arm i beats arm j with probability w_i / (w_i + w_j).

    Parameters
    ----------
    weights : sequence of float
        A positive weight for each arm.
    labels : sequence of str or int, optional
        The arms' names; by default "0", "1" and so on.

    Returns
    -------
    MatrixProblem
        The problem.

    Raises
    ------
    ParameterError
        If a weight is not a positive finite number, or there are fewer than two.

    Examples
    --------
    >>> bradley_terry([3.0, 1.0]).matrix.tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    worth = _vector("weights", weights)
    for arm in np.flatnonzero(worth <= 0.0):
        raise ParameterError(f"weights[{arm}] is {worth[arm]}; give every arm a weight above 0.")
    # a sum of weights can overflow where their ratio does not
    with np.errstate(over="ignore"):
        odds_against = worth[np.newaxis, :] / worth[:, np.newaxis]
    return MatrixProblem(1.0 / (1.0 + odds_against), labels)


def thurstone(means: ArrayLike, labels: Labels = None) -> MatrixProblem:
    """Return the problem in which each arm draws a Gaussian of variance 1, and the larger draw wins.

    Parameters
    ----------
    means : sequence of float
        The mean of each arm.
    labels : sequence of str or int, optional
        The arms' names; by default "0", "1" and so on.

    Returns
    -------
    MatrixProblem
        The problem.

    Raises
    ------
    ParameterError
        If a mean is not a finite number, or there are fewer than two.

    Examples
    --------
    >>> thurstone([1.0, 0.0]).matrix[0, 1].round(3).item()
    0.76
    """
    return from_utilities(_vector("means", means), "gaussian", labels)


def from_utilities(utilities: ArrayLike, link: str | Link, labels: Labels = None) -> MatrixProblem:
    """Return the problem in which arm i beats arm j with probability link(u_i - u_j).

    Parameters
    ----------
    utilities : sequence of float
        The utility of each arm.
    link : str or callable
        "logistic"; "gaussian", as in `thurstone`; "linear", which is 1/2 + x/2 clipped to [0, 1]; or a
        function of an array of differences with link(x) + link(-x) = 1.
    labels : sequence of str or int, optional
        The arms' names; by default "0", "1" and so on.

    Returns
    -------
    MatrixProblem
        The problem.

    Raises
    ------
    UnknownNameError
        If there is no link of this name.
    ParameterError
        If a utility is not a finite number, or there are fewer than two.
    PreferenceError
        If the link function does not return probabilities that sum to 1 for each pair.

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
    """Return the instance of the lower bound: every arm beats all later ones with probability 1/2 + epsilon.

    Parameters
    ----------
    k : int
        The number of arms, at least 2.
    epsilon : float, default 0.1
        The margin of a win beyond 1/2, between 0 and 1/2.

    Returns
    -------
    MatrixProblem
        The problem.

    Raises
    ------
    ParameterError
        If `k` or `epsilon` is out of range.

    Examples
    --------
    >>> worst_case(3).matrix[0].tolist()
    [0.5, 0.6, 0.6]
    """
    _require(k, 2, epsilon)
    return MatrixProblem(_by_margin(np.triu(np.ones((k, k), np.bool_), 1), epsilon))


def random_bradley_terry(k: int, epsilon: float = 0.1, rng: Generator | int = 0) -> MatrixProblem:
    """Return a random Bradley-Terry problem in which arm 0 beats the best rival by 1/2 + epsilon.

    The rivals' weights are uniform on (0, 1), as in section 7.1 of the paper.

    Parameters
    ----------
    k : int
        The number of arms, at least 2.
    epsilon : float, default 0.1
        The margin of arm 0 over its best rival, between 0 and 1/2.
    rng : numpy.random.Generator or int, default 0
        A generator or a seed.

    Returns
    -------
    MatrixProblem
        The problem.

    Raises
    ------
    ParameterError
        If `k` or `epsilon` is out of range, or `rng` is neither a generator nor a seed.

    Examples
    --------
    >>> random_bradley_terry(10, epsilon=0.1, rng=7).matrix[0, 1:].min().round(12).item()
    0.6
    """
    _require(k, 2, epsilon)
    if not isinstance(rng, Generator):
        require_whole("rng", rng, 0)
    # NumPy's interval includes 0, which is not a valid weight
    rivals = np.random.default_rng(rng).uniform(np.nextafter(0.0, 1.0), 1.0, size=k - 1)
    best = rivals.max() * (1.0 + 2.0 * epsilon) / (1.0 - 2.0 * epsilon)
    return bradley_terry([best, *rivals])


def cycle(k: int = 3, epsilon: float = 0.1) -> MatrixProblem:
    """Return the problem in which each arm beats the next half of the circle: no Condorcet winner.

    If the number of arms is even, opposite arms tie.

    Parameters
    ----------
    k : int, default 3
        The number of arms, at least 3.
    epsilon : float, default 0.1
        The margin of a win beyond 1/2, between 0 and 1/2.

    Returns
    -------
    MatrixProblem
        The problem.

    Raises
    ------
    ParameterError
        If `k` or `epsilon` is out of range.

    Examples
    --------
    >>> cycle().matrix.tolist()
    [[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]]
    """
    _require(k, 3, epsilon)
    return MatrixProblem(_circle(k, epsilon))


def condorcet_cycle(k: int = 4, epsilon: float = 0.1, strength: float = 0.4) -> MatrixProblem:
    """Return a problem whose winner, arm 0, has small leads over arms that form a strong cycle.

    The cycle attracts learners that look for large gaps.

    Parameters
    ----------
    k : int, default 4
        The number of arms, at least 4.
    epsilon : float, default 0.1
        The winner's margin beyond 1/2, between 0 and 1/2.
    strength : float, default 0.4
        The margin beyond 1/2 within the cycle, above 0 and at most 1/2.

    Returns
    -------
    MatrixProblem
        The problem.

    Raises
    ------
    ParameterError
        If a number is out of range.

    Examples
    --------
    >>> condorcet_cycle().matrix[:2].round(12).tolist()
    [[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1]]
    """
    _require(k, 4, epsilon)
    if not 0.0 < strength <= 0.5:
        raise ParameterError(f"strength must be above 0 and at most 1/2; got {strength}. Try 0.4.")
    matrix = np.full((k, k), 0.5)
    matrix[0, 1:] += epsilon
    matrix[1:, 0] -= epsilon
    matrix[1:, 1:] = _circle(k - 1, strength)
    return MatrixProblem(matrix)


def with_clones(problem: MatrixProblem, arm: int | str, copies: int = 1) -> MatrixProblem:
    """Return the problem with copies of an arm appended.

    The copies tie with the arm and meet the others as it does. A sound notion of a winner is unaffected by
    clones.

    Parameters
    ----------
    problem : MatrixProblem
        The original problem.
    arm : int or str
        The index or label of the arm to copy.
    copies : int, default 1
        The number of copies.

    Returns
    -------
    MatrixProblem
        The larger problem; copies are labelled with the arm's name and primes.

    Raises
    ------
    UnknownNameError, ParameterError
        If the arm does not exist, or `copies` is not a positive whole number.

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
        raise ParameterError(f"{name} must be numbers, one per arm; got {values!r}.") from error
    if vector.ndim != 1 or len(vector) < 2:
        raise ParameterError(
            f"{name} has shape {vector.shape}; give a row of 2 or more numbers, one per arm."
        )
    _require_memory(name, len(vector))
    for arm in np.flatnonzero(~np.isfinite(vector)):
        raise ParameterError(f"{name}[{arm}] is {vector[arm]}; give every arm a finite number.")
    return vector


def _require_memory(name: str, k: int) -> None:
    if k > MOST_ARMS:
        raise ParameterError(
            f"{name}: the preference matrix of {k:,} arms takes {8 * k**2 / 2**30:,.0f} GiB; "
            f"use at most {MOST_ARMS:,} arms."
        )


def _require(k: int, least: int, epsilon: float) -> None:
    require_whole("k", k, least)
    _require_memory("k", k)
    if not 0.0 < epsilon < 0.5:
        raise ParameterError(f"epsilon must lie between 0 and 1/2; got {epsilon}. Try the default, 0.1.")


def _circle(k: int, margin: float) -> FloatArray:
    steps = (np.arange(k) - np.arange(k)[:, np.newaxis]) % k
    return _by_margin((steps >= 1) & (steps <= (k - 1) // 2), margin)


def _by_margin(beats: BoolArray, margin: float) -> FloatArray:
    return 0.5 + margin * (beats.astype(np.float64) - beats.T)
