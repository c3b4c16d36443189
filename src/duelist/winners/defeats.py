"""Winners by the strength of defeats: Schulze's method, and Tideman's ranked pairs.

Schulze's method compares arms by the strongest chains of defeats between them. Ranked pairs keeps the
strongest defeats and drops weaker ones that contradict them.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import BoolArray, FloatArray
from duelist.errors import PreferenceError
from duelist.preferences import ROUNDING, as_counts, as_preferences, gaps
from duelist.text import counted
from duelist.winners.top_cycle import top_cycle

MOST_STEPS = 10_000  # of the search through the orders of equal defeats: half a second at 136 arms


def defeat_strengths(matrix: ArrayLike, counts: ArrayLike | None = None) -> FloatArray:
    """Return the strength of each arm's defeat of each other arm, 0 if there is none.

    The strength is the margin `P[i, j] - P[j, i]` or, with `counts`, the number of winning votes, `P[i, j] *
    counts[i, j]`. Strengths that differ only by rounding are made equal.

    Examples
    --------
    >>> defeat_strengths([[0.5, 0.75], [0.25, 0.5]])
    array([[0. , 0.5],
           [0. , 0. ]])
    >>> defeat_strengths([[0.5, 0.75], [0.25, 0.5]], counts=[[0, 8], [8, 0]])
    array([[0., 6.],
           [0., 0.]])
    """
    edges = gaps(matrix)
    strengths = 2.0 * edges if counts is None else as_preferences(matrix) * _counts(counts, len(edges))
    strengths[edges <= 0.0] = 0.0
    return _without_rounding(strengths)


def strongest_paths(direct: FloatArray) -> FloatArray:
    """Return the strength of the strongest chain of defeats between each two arms: that of its weakest link.

    This is the Floyd-Warshall algorithm with (max, min) in place of (min, +).

    Examples
    --------
    >>> strongest_paths(np.array([[0.0, 0.4, 0.0], [0.0, 0.0, 0.2], [0.0, 0.0, 0.0]]))
    array([[0. , 0.4, 0.2],
           [0. , 0. , 0.2],
           [0. , 0. , 0. ]])
    """
    strengths = direct.copy()
    for via in range(len(direct)):
        np.maximum(strengths, np.minimum(strengths[:, [via]], strengths[via]), out=strengths)
    np.fill_diagonal(strengths, 0.0)
    return strengths


def _counts(counts: ArrayLike, k: int) -> FloatArray:
    known = as_counts("counts", counts)
    if len(known) != k:
        raise PreferenceError(f"counts has {counted(len(known), 'row')} for {k} arms; give one row per arm.")
    for i, j in np.argwhere(known != known.T)[:1]:
        raise PreferenceError(
            f"counts[{i}, {j}] is {known[i, j]:g}, but counts[{j}, {i}] is {known[j, i]:g}; give the pair's "
            "number of comparisons in both, as in MatrixProblem.counts."
        )
    return known


def _without_rounding(strengths: FloatArray) -> FloatArray:
    """Return the strengths with values that differ only by rounding merged into the smallest of them."""
    values, codes = np.unique(strengths, return_inverse=True)
    apart = np.diff(values) > ROUNDING * np.maximum(values[1:], 1.0)
    first = np.append(True, apart)
    merged = values[first][np.cumsum(first) - 1]
    return np.asarray(merged[codes].reshape(strengths.shape))


def schulze(matrix: ArrayLike, counts: ArrayLike | None = None) -> tuple[int, ...]:
    """Return the Schulze winners: arms whose strongest path to every other arm is no weaker than that back.

    There is always at least one. A Condorcet winner is the only Schulze winner, and all Schulze winners lie
    in the top cycle.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.
    counts : array of shape (K, K), optional
        The number of comparisons behind each probability, as in `MatrixProblem.counts`. If given, the
        strength of a defeat is its number of winning votes, `P[i, j] * counts[i, j]`, with a tied vote as
        half a vote; by default it is the margin, `P[i, j] - P[j, i]`.

    Returns
    -------
    tuple of int
        The numbers of the winners.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences, or `counts` does not match it.

    References
    ----------
    Schulze (2011). A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent
    single-winner election method. Social Choice and Welfare.

    Examples
    --------
    In this cycle, arm 0 beats arm 1 clearly, arm 1 beats arm 2, and arm 2 beats arm 0 by little.

    >>> schulze([[0.5, 0.9, 0.4], [0.1, 0.5, 0.7], [0.6, 0.3, 0.5]])
    (0,)
    """
    strengths = schulze_strengths(matrix, counts)
    return tuple(np.flatnonzero((strengths >= strengths.T).all(axis=1)).tolist())


def schulze_strengths(matrix: ArrayLike, counts: ArrayLike | None = None) -> FloatArray:
    """Return the strength of the strongest path from each arm to each other arm.

    A path is a chain of arms, each of which beats the next; its strength is that of its weakest defeat.
    Entries are 0 on the diagonal and where there is no path.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.
    counts : array of shape (K, K), optional
        The number of comparisons behind each probability, as in `MatrixProblem.counts`. If given, the
        strength of a defeat is its number of winning votes, `P[i, j] * counts[i, j]`, with a tied vote as
        half a vote; by default it is the margin, `P[i, j] - P[j, i]`.

    Returns
    -------
    array of shape (K, K)
        The strengths.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences, or `counts` does not match it.

    Examples
    --------
    >>> schulze_strengths([[0.5, 0.75, 0.375], [0.25, 0.5, 1.0], [0.625, 0.0, 0.5]])
    array([[0.  , 0.5 , 0.5 ],
           [0.25, 0.  , 1.  ],
           [0.25, 0.25, 0.  ]])
    """
    return strongest_paths(defeat_strengths(matrix, counts))


def ranked_pairs(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the ranked-pairs winners: the arms against which no defeat is locked in.

    Defeats are considered from the largest margin `P[i, j] - P[j, i]` to the smallest. Each is locked in
    unless it closes a cycle with those locked in before. There is always at least one winner. A Condorcet
    winner is the only one, and all winners lie in the top cycle.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of int
        The numbers of the winners.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Notes
    -----
    Defeats with equal margins may be considered in any order, and the winner may depend on the order. Every
    arm that wins under some order is returned. The result does not depend on how the arms are numbered.

    Deciding whether an arm wins under some order is NP-complete (Brill and Fischer 2012). If equal defeats
    form so many cycles that 10,000 search steps do not suffice, the result is a superset: all arms such that,
    for each of their defeats, a chain of defeats at least as strong leads back. It contains every arm that
    wins under some order. Without equal margins the result is always exact.

    References
    ----------
    Tideman (1987). Independence of clones as a criterion for voting rules. Social Choice and Welfare.
    Brill, Fischer (2012). The price of neutrality for the ranked pairs method. AAAI.

    Examples
    --------
    A cycle in which the win of arm 2 over arm 0 is the weakest.

    >>> ranked_pairs([[0.5, 0.9, 0.4], [0.1, 0.5, 0.7], [0.6, 0.3, 0.5]])
    (0,)
    >>> ranked_pairs([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    (0, 1, 2)
    """
    # no arm outside beats one inside, so defeats among the arms outside do not matter
    top = top_cycle(matrix)
    direct = defeat_strengths(matrix)[np.ix_(top, top)]
    # a defeat is locked in under every order unless a chain at least as strong leads back
    possible = np.asarray((strongest_paths(direct) >= direct.T).all(axis=1))
    winning = possible if np.count_nonzero(possible) == 1 else _winning_some_order(direct, possible)
    return tuple(top[index] for index in np.flatnonzero(winning))


def ranked_pairs_order(matrix: ArrayLike) -> tuple[int, ...]:
    """Return all arms from best to worst, in an order that agrees with every defeat that is locked in.

    Ties are broken by the numbers of the arms. Defeats with equal margins are considered in the order of the
    winner's number, then of the loser's. Arms that no locked-in defeat orders are sorted by number. The first
    arm is one of `ranked_pairs`.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of int
        The numbers of all arms, best first.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> ranked_pairs_order([[0.5, 0.3, 0.6], [0.7, 0.5, 0.1], [0.4, 0.9, 0.5]])
    (2, 1, 0)
    """
    direct = defeat_strengths(matrix)
    better, worse = np.nonzero(direct)
    by_strength = np.argsort(-direct[better, worse], kind="stable")
    above = np.eye(len(direct), dtype=np.bool_)
    for i, j in zip(better[by_strength].tolist(), worse[by_strength].tolist(), strict=True):
        if not above[j, i]:
            _lock(above, i, j)
    waiting = above.sum(axis=0)  # the number of remaining arms above each arm, including itself
    order = []
    for _ in range(len(direct)):
        arm = int(np.flatnonzero(waiting == 1)[0])
        waiting -= above[arm]
        order.append(arm)
    return tuple(order)


def _winning_some_order(direct: FloatArray, possible: BoolArray) -> BoolArray:
    """Return which arms win under some order of equal defeats, or those that might if the search is too long.

    The result does not depend on how the arms are numbered: a complete search takes the same number of steps
    for every numbering, and a search that ends early has found all possible winners.
    """
    k = len(direct)
    levels = np.unique(direct[direct > 0.0])[::-1]
    won = np.zeros(k, np.bool_)
    # relations are packed into bits, because there may be thousands
    waiting = [(0, np.packbits(np.eye(k, dtype=np.bool_)).tobytes())]
    seen = set(waiting)
    steps = 0
    while waiting:
        level, bits = waiting.pop()
        above = np.unpackbits(np.frombuffer(bits, np.uint8), count=k * k).reshape(k, k).astype(np.bool_)
        if level == len(levels):
            won |= above.sum(axis=0) == 1
            if (won == possible).all():
                break
            continue
        for next_level, relation in _next_relations(level, above, direct == levels[level]):
            steps += 1
            if steps > MOST_STEPS + 2 * len(levels):
                return possible
            one = (next_level, np.packbits(relation).tobytes())
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    return won


def _next_relations(level: int, above: BoolArray, equals: BoolArray) -> Iterable[tuple[int, BoolArray]]:
    """Yield the relations that may be locked in next, and the level at which to continue with each."""
    undecided = equals & ~above & ~above.T
    pairs = np.argwhere(undecided).tolist()
    everything = above.copy()
    for i, j in pairs:
        _lock(everything, i, j)
    free = undecided & ~everything.T  # in no cycle of equal or stronger defeats: locked in under every order
    if (free == undecided).all():
        yield level + 1, everything
    elif free.any():
        locked = above.copy()
        for i, j in np.argwhere(free).tolist():
            _lock(locked, i, j)
        yield level, locked
    else:
        for i, j in pairs:
            locked = above.copy()
            _lock(locked, i, j)
            yield level, locked


def _lock(above: BoolArray, i: int, j: int) -> None:
    """Put arm i and all arms above it above arm j and all arms below it; every arm counts as above itself."""
    above |= np.outer(above[:, i], above[j])
