"""Contextual problems in which no policy beats all others."""

import numpy as np
from numpy.random import Generator

from duelist.errors import require_whole
from duelist.problems.contextual import FiniteContexts
from duelist.problems.models import worst_case


def cyclic_contexts(
    hard: int = 2, easy: int = 2, k: int = 3, epsilon: float = 0.3, rng: Generator | int = 0
) -> FiniteContexts:
    """Return contexts in which three actions form a cycle, and contexts with a best action.

    In the first `hard` contexts, three of the `k` actions form a cycle and beat all others; in the other
    `easy` contexts, the actions are totally ordered. The better of two actions wins with probability
    1/2 + epsilon. All contexts are equally likely. No policy beats all others; the von Neumann winner wins in
    the easy contexts and ties in the hard ones.

    Parameters
    ----------
    hard, easy : int, default 2
        The number of contexts of each kind.
    k : int, default 3
        The number of actions.
    epsilon : float, default 0.3
        The margin of a win beyond 1/2.
    rng : numpy.random.Generator or int, default 0
        A generator or a seed; shuffles the actions in each context.

    Returns
    -------
    FiniteContexts
        The problem.

    Raises
    ------
    ParameterError
        If a number is out of range.

    Examples
    --------
    >>> from duelist.winners import condorcet
    >>> problem = cyclic_contexts(hard=1, easy=1)
    >>> condorcet(problem.matrices[0]) is None, condorcet(problem.matrices[1]) is None
    (True, False)
    """
    require_whole("hard", hard, 1)
    require_whole("easy", easy, 0)
    require_whole("k", k, 3)
    generator = np.random.default_rng(rng)
    ordered = np.array(worst_case(k, epsilon).matrix)
    circle = ordered.copy()
    circle[0, 2], circle[2, 0] = ordered[2, 0], ordered[0, 2]
    matrices = []
    for kind in [circle] * hard + [ordered] * easy:
        shuffled = generator.permutation(k)
        matrices.append(kind[np.ix_(shuffled, shuffled)])
    return FiniteContexts(matrices)
