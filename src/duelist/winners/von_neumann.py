"""The von Neumann winner: a lottery over arms that beats or ties with every arm."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.preferences import ROUNDING, gaps
from duelist.types import FloatArray
from duelist.winners.condorcet import condorcet

NEWTON_STEPS = 200
"""More than are ever needed: about 20 at 5 arms, 33 at 136."""


def von_neumann(matrix: ArrayLike) -> FloatArray:
    """Return the distribution over arms that wins at least half of its duels against every arm.

    It always exists: it is the optimal strategy of the symmetric game in which each player picks an arm
    and the one whose arm wins the duel wins. It puts all weight on a Condorcet winner, where there is
    one, and clones of an arm share equally.

    Parameters
    ----------
    matrix : array_like, shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    ndarray, shape (K,)
        Weights w with `w @ (P - 1/2) >= 0`, up to rounding.

    Notes
    -----
    Where ties leave more than one von Neumann winner, this is the analytic centre of all of them: it
    does not depend on the order of the arms, treats clones alike, and gives a positive weight to every
    arm that has one in any of them. Gaps below about 1e-12 of the largest are taken for ties, unless
    there is a Condorcet winner.

    It is found by following the game's central path, which ends in a strictly complementary solution,
    and then solved for exactly on the arms that have weight there.

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
    margins = gaps(matrix)
    winner = condorcet(matrix)
    if winner is not None:
        return np.asarray(np.arange(len(margins)) == winner, dtype=np.float64)
    game = margins / (margins.max() or 1.0)
    return _analytic_centre(game, _end_of_central_path(game))


def von_neumann_support(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the arms to which some von Neumann winner gives weight.

    Examples
    --------
    >>> von_neumann_support([[0.5, 0.5, 0.9], [0.5, 0.5, 0.6], [0.1, 0.4, 0.5]])
    (0, 1)
    """
    return tuple(np.flatnonzero(von_neumann(matrix)).tolist())


def _end_of_central_path(game: FloatArray) -> FloatArray:
    """Return an optimal strategy in which every arm either has weight or loses to the strategy.

    For every theta > 0 there is one strategy whose weights times losses are equal for all arms, where
    `losses = weights @ game + theta`. Newton's method follows it down to theta = 0, the game's value.
    """
    k = len(game)
    weights, theta = np.full(k, 1.0 / k), 1.0
    for _ in range(NEWTON_STEPS):
        losses = weights @ game + theta
        column = weights[:, np.newaxis]
        newton = np.block([[np.diag(losses) + column * game.T, column], [np.ones(k), 0.0]])
        solution = np.linalg.solve(newton, np.append(0.1 * theta / k - weights * losses, 0.0))
        move, fall = solution[:k], solution[k]
        shrinking = np.concatenate([move / weights, (move @ game + fall) / losses]).min()
        length = min(1.0, -0.9 / shrinking)
        weights, theta = weights + length * move, theta + length * fall
        if theta < 1e-14:
            break
    return weights / float(weights.sum())


def _analytic_centre(game: FloatArray, lottery: FloatArray) -> FloatArray:
    """Move among the optimal strategies to where the product of all weights and losses is largest."""
    used = lottery > lottery @ game
    size = int(np.count_nonzero(used))
    ties = np.vstack([game[np.ix_(used, used)].T, np.ones(size)])
    weights = lottery[used]
    weights += np.linalg.lstsq(ties, np.append(np.zeros(size), 1.0) - ties @ weights, rcond=ROUNDING)[0]
    slacks = np.vstack([np.eye(size), game[np.ix_(used, ~used)].T])
    if np.abs(ties[:-1] @ weights).max() > ROUNDING or (slacks @ weights).min() <= ROUNDING:
        # Gaps too small to tell from ties: the lottery is optimal up to rounding, and no more is known.
        clear = np.where(lottery > ROUNDING / len(game), lottery, 0.0)
        return clear / float(clear.sum())

    _, singular, directions = np.linalg.svd(ties)
    free = directions[np.count_nonzero(singular > ROUNDING * singular[0]) :].T
    for _ in range(NEWTON_STEPS if free.size else 0):
        relative = slacks @ free / (slacks @ weights)[:, np.newaxis]
        step = np.linalg.lstsq(relative, np.ones(len(relative)), rcond=None)[0]
        decrement = np.linalg.norm(relative @ step)
        # Damped like this, Newton's method on a logarithmic barrier never steps outside.
        weights += free @ step / (1.0 + decrement)
        if decrement < 1e-9:
            break

    centre = np.zeros(len(game))
    centre[used] = weights
    return centre
