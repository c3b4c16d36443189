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

    In the first `hard` contexts three of `k` actions beat each other in a circle, and all the rest; in the
    other `easy` ones the actions have an order. Both are drawn anew for every context, by `rng`, which may be
    a seed. The better of two actions wins with probability 1/2 + epsilon, and all contexts are as likely. No
    policy beats all others; the von Neumann winner wins in the easy contexts and ties in the hard ones.

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
        places = generator.permutation(k)
        matrices.append(kind[np.ix_(places, places)])
    return FiniteContexts(matrices)
