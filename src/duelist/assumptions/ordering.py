"""A total order: the arms stand in a line, each beating all behind it."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.preferences import beats


def total_order(matrix: ArrayLike) -> tuple[int, ...] | None:
    """Return the arms from best to worst, each beating all after it, or None if a tie or cycle forbids it.

    Parameters
    ----------
    matrix : array_like, shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of int or None
        The arms, best first, or None if there is no such order.

    References
    ----------
    Yue, Broder, Kleinberg, Joachims (2012). The K-armed dueling bandits problem. JCSS. Section 3.

    Examples
    --------
    >>> total_order([[0.5, 0.4, 0.3], [0.6, 0.5, 0.4], [0.7, 0.6, 0.5]])
    (2, 1, 0)
    >>> total_order([[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]]) is None
    True
    """
    defeated = beats(matrix).sum(axis=1)
    order = np.argsort(-defeated)
    # Only a line has one arm that beats all others, one that beats all but one, and so on to none.
    is_line = np.array_equal(defeated[order], np.arange(len(order))[::-1])
    return tuple(order.tolist()) if is_line else None
