"""The Condorcet winner: the arm that beats every other arm."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.preferences import beats


def condorcet(matrix: ArrayLike) -> int | None:
    """Return the arm that beats every other arm with probability above 1/2, or None.

    There is at most one, and often none: a cycle or a tie at the top is enough.

    Parameters
    ----------
    matrix : array_like, shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    int or None
        The winner, or None if no arm beats all others.

    References
    ----------
    Urvoy, Clerot, Feraud, Naamane (2013). Generic exploration and K-armed voting bandits. ICML.

    Examples
    --------
    >>> condorcet([[0.5, 0.6, 0.7], [0.4, 0.5, 0.9], [0.3, 0.1, 0.5]])
    0
    >>> condorcet([[0.5, 0.5], [0.5, 0.5]]) is None
    True
    """
    defeated = beats(matrix).sum(axis=1)
    leader = int(np.argmax(defeated))
    return leader if defeated[leader] == len(defeated) - 1 else None
