"""The von Neumann winner: a lottery over arms that no arm beats."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import BoolArray, FloatArray
from duelist.errors import PreferenceError
from duelist.preferences import ROUNDING, gaps

NEWTON_STEPS = 200  # more than needed in practice: about 20 at 5 arms, 33 at 136
GUESSES = 16  # number of supports that are tried if weights or losses are too small for the first guess
ENTRIES = 2**18  # number of matrix entries in a batch: small enough for the processor's cache


class VonNeumannSolution(NamedTuple):
    """The von Neumann winner of a matrix, its support, and whether it is unique."""

    mixture: FloatArray
    """The probability of each arm; if there are several von Neumann winners, their analytic centre."""
    support: tuple[int, ...]
    """The arms that have positive probability in some von Neumann winner."""
    unique: bool
    """Whether there is only one von Neumann winner."""


def von_neumann(matrix: ArrayLike) -> FloatArray:
    """Return the von Neumann winner: the distribution over arms that no arm beats.

    It wins at least half of its duels against every arm: its weights w satisfy `w @ (P - 1/2) >= 0`, up to
    rounding. It always exists, as the optimal strategy of the symmetric game in which each player picks an
    arm and the player whose arm wins the duel wins. If there is a Condorcet winner, it has all the weight.
    Clones of an arm have equal weight.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    array of shape (K,)
        The probability of each arm.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Notes
    -----
    If there are several von Neumann winners, the analytic centre of them is returned: it does not depend on
    the order of the arms, treats clones alike, and has positive weight on every arm that has positive weight
    in any of them. The algorithm follows the game's central path, which ends in a strictly complementary
    solution, and then solves exactly on the support of that solution, which certifies the support.

    As measured on random games of up to 7 arms, weights are exact up to rounding if all gaps are at least
    1e-8 of the largest, or only few are smaller. With gaps of all sizes down to 1e-12 of the largest, one
    fifth of the games have inexact weights, with errors of at most 0.003; even then no arm beats the mixture
    by more than 1e-12. Gaps up to 1e-12 are ties and, unless there is a Condorcet winner, so are gaps below
    about 1e-12 of the largest.

    References
    ----------
    Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. Section 3.
    Goldman, Tucker (1956). Theory of linear programming. Strict complementarity.
    Wright (1997). Primal-dual interior-point methods. The central path.

    Examples
    --------
    Rock, paper, and scissors twice.

    >>> von_neumann([[0.5, 0, 1, 1], [1, 0.5, 0, 0], [0, 1, 0.5, 0.5], [0, 1, 0.5, 0.5]]).round(4)
    array([0.3333, 0.3333, 0.1667, 0.1667])
    """
    return von_neumann_solution(matrix).mixture


def von_neumann_many(matrices: Iterable[ArrayLike]) -> list[FloatArray]:
    """Return the von Neumann winner of each of many matrices; small matrices are solved faster in batches.

    Parameters
    ----------
    matrices : iterable of arrays of shape (K, K)
        Matrices of preferences, of any sizes.

    Returns
    -------
    list of arrays of shape (K,)
        The probability of each arm, for each matrix.

    Raises
    ------
    PreferenceError
        If `matrices` is not iterable, or one of them is not a matrix of preferences.

    Examples
    --------
    >>> rock_paper_scissors = [[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]]
    >>> for winner in von_neumann_many([rock_paper_scissors, [[0.5, 0.9], [0.1, 0.5]]]):
    ...     print(winner.round(4))
    [0.3333 0.3333 0.3333]
    [1. 0.]
    """
    if not isinstance(matrices, Iterable):
        raise PreferenceError(f"matrices must be a list of preference matrices; got {matrices!r}.")
    winners: list[FloatArray] = []
    games: dict[int, list[tuple[int, FloatArray]]] = {}
    for index, matrix in enumerate(matrices):
        margins = gaps(matrix)
        beaten = np.count_nonzero(margins > 0.0, axis=1)
        # a Condorcet winner has all the weight; without one, all weights are 0 for now
        winners.append(np.asarray(beaten == len(margins) - 1, dtype=np.float64))
        if not winners[index].any():
            games.setdefault(len(margins), []).append((index, margins / (margins.max() or 1.0)))
    for k, alike in games.items():
        batch = max(1, ENTRIES // k**2)
        for start in range(0, len(alike), batch):
            indices, stack = zip(*alike[start : start + batch], strict=True)
            lotteries = _ends_of_central_paths(np.array(stack))
            for index, game, lottery in zip(indices, stack, lotteries, strict=True):
                winners[index] = _analytic_centre(game, lottery)
    return winners


def von_neumann_solution(matrix: ArrayLike) -> VonNeumannSolution:
    """Return the von Neumann winner, its support and whether it is unique, from one computation.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    VonNeumannSolution
        The mixture, its support, and whether it is unique.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> mixture, support, unique = von_neumann_solution([[0.5, 0.5, 0.9], [0.5, 0.5, 0.6], [0.1, 0.4, 0.5]])
    >>> support, unique
    ((0, 1), False)
    """
    mixture = von_neumann_many([matrix])[0]
    support = np.flatnonzero(mixture)
    # every winner ties with every arm of the support: winners differ by the null space of these equations
    ties = np.vstack([gaps(matrix)[np.ix_(support, support)], np.ones(len(support))])
    rank = int(np.linalg.matrix_rank(ties, rtol=ROUNDING))
    return VonNeumannSolution(mixture, tuple(support.tolist()), rank == len(support))


def von_neumann_support(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the arms that have positive probability in some von Neumann winner.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of int
        The numbers of the arms.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> von_neumann_support([[0.5, 0.5, 0.9], [0.5, 0.5, 0.6], [0.1, 0.4, 0.5]])
    (0, 1)
    """
    return von_neumann_solution(matrix).support


def has_one_von_neumann(matrix: ArrayLike) -> bool:
    """Return whether the von Neumann winner is unique; if not, `von_neumann` returns their analytic centre.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    bool
        Whether there is only one von Neumann winner.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> has_one_von_neumann([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]])
    True
    >>> has_one_von_neumann([[0.5, 0.5], [0.5, 0.5]])
    False
    """
    return von_neumann_solution(matrix).unique


def _ends_of_central_paths(games: FloatArray) -> FloatArray:
    """Return each game's strictly complementary strategy: every arm has weight or loses to the strategy."""
    # For every theta > 0, weight times loss is equal for all arms for exactly one strategy, where
    # `losses = weights @ game + theta`. Newton's method follows it down to theta = 0, the game's value.
    many, k, _ = games.shape
    ends = np.empty((many, k))
    active, transposed = np.arange(many), games.transpose(0, 2, 1)
    weights, theta = np.full((many, k), 1.0 / k), np.ones((many, 1))
    newton = np.ones((many, k + 1, k + 1))
    newton[:, k, k] = 0.0
    arms = np.arange(k)
    for _ in range(NEWTON_STEPS):
        losses = _times(transposed, weights) + theta
        np.multiply(weights[:, :, np.newaxis], transposed, out=newton[:, :k, :k])
        newton[:, arms, arms] += losses
        newton[:, :k, k] = weights
        goal = np.zeros((len(active), k + 1, 1))
        goal[:, :k, 0] = 0.1 * theta / k - weights * losses
        solution = np.linalg.solve(newton, goal)[:, :, 0]
        move, fall = solution[:, :k], solution[:, k:]
        shrinking = np.hstack([move / weights, (_times(transposed, move) + fall) / losses])
        length = np.minimum(1.0, -0.9 / shrinking.min(axis=1, keepdims=True))
        weights, theta = weights + length * move, theta + length * fall
        ends[active] = weights
        rest = theta[:, 0] >= 1e-14
        if not rest.any():
            break
        if not rest.all():
            active, transposed, newton = active[rest], transposed[rest], newton[rest]
            weights, theta = weights[rest], theta[rest]
    return np.asarray(ends / ends.sum(axis=1, keepdims=True))


def _times(tables: FloatArray, vectors: FloatArray) -> FloatArray:
    return np.asarray((tables @ vectors[:, :, np.newaxis])[:, :, 0])


def _analytic_centre(game: FloatArray, lottery: FloatArray) -> FloatArray:
    """Return the optimal strategy that maximizes the product of all weights and losses."""
    ratio = lottery / np.maximum(lottery @ game, np.finfo(np.float64).tiny)
    order, size = np.argsort(-ratio, kind="stable"), int(np.count_nonzero(ratio > 1.0))
    # if weights or losses are as small as theta at the end of the path, the support is uncertain
    for guess in sorted(range(1, len(game) + 1), key=lambda one: abs(one - size))[:GUESSES]:
        centre = _centre_on(game, lottery, np.isin(np.arange(len(game)), order[:guess]))
        if centre is not None:
            return centre
    # the gaps are too small to distinguish from ties: the lottery is optimal up to rounding
    clear = np.where(lottery > ROUNDING / len(game), lottery, 0.0)
    return np.asarray(clear / float(clear.sum()))


def _centre_on(game: FloatArray, lottery: FloatArray, used: BoolArray) -> FloatArray | None:
    """Return the analytic centre if its support is the given one, else None.

    The result certifies the support: if a strategy has weight on exactly these arms, ties with each of them
    and beats all others, then no other support is possible.
    """
    size = int(np.count_nonzero(used))
    ties = np.vstack([game[np.ix_(used, used)].T, np.ones(size)])
    weights = lottery[used]
    missing = np.append(np.zeros(size), 1.0) - ties @ weights
    correction, _, rank, _ = np.linalg.lstsq(ties, missing, rcond=ROUNDING)
    weights += correction
    slacks = np.vstack([np.eye(size), game[np.ix_(used, ~used)].T])
    if np.abs(ties[:-1] @ weights).max() > ROUNDING or (slacks @ weights).min() <= ROUNDING:
        return None
    if rank < size:
        weights = _centred(weights, slacks, free=np.linalg.svd(ties)[2][rank:].T)
    centre = np.zeros(len(game))
    centre[used] = weights
    return centre


def _centred(weights: FloatArray, slacks: FloatArray, free: FloatArray) -> FloatArray:
    """Maximize the product of all slacks along the free directions, by Newton's method."""
    for _ in range(NEWTON_STEPS):
        relative = slacks @ free / (slacks @ weights)[:, np.newaxis]
        step = np.linalg.lstsq(relative, np.ones(len(relative)), rcond=None)[0]
        decrement = np.linalg.norm(relative @ step)
        # with this damping, Newton's method on a logarithmic barrier stays feasible
        weights = weights + free @ step / (1.0 + decrement)
        if decrement < 1e-9:
            break
    return weights
