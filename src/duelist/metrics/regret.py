"""Regret, the cost of duels with arms that are not the winner; and accuracy, whether the winner was found.

Every winner concept assigns each arm a *gap*, which is zero for the winner. The regret of a round (strong,
weak or generalized) is a function of the gaps of its two arms (Yue, Broder, Kleinberg, Joachims 2012,
equations 1 to 3).

If no arm beats all others, regret is that of Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015): the excess
over 1/2 of the probability with which the best single arm in hindsight would have beaten the arms of the
duel, averaged over the two sides. It has no weak form.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist import winners
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, number_or_nan, require_known
from duelist.preferences import ROUNDING, Preferences


class Target(NamedTuple):
    """What regret is measured against: a winner concept, its winners, and each arm's gap."""

    concept: str
    """The winner concept: one of `CONCEPTS`, or "score" for known costs of arms."""
    winners: tuple[int, ...]
    """The numbers of the winners."""
    gaps: FloatArray
    """The gap of each arm; for "hindsight", one row for each arm that may turn out to be the best."""


def condorcet_target(matrix: Preferences) -> Target:
    """Return gaps to the Condorcet winner: its probability of winning, minus 1/2."""
    winner = winners.condorcet(matrix)
    if winner is None:
        raise ParameterError(
            'against="condorcet" requires a Condorcet winner, an arm that beats all others, and this problem '
            'has none; use "hindsight", "von_neumann" or "copeland".'
        )
    return Target("condorcet", (winner,), matrix.gaps[winner])


def von_neumann_target(matrix: Preferences) -> Target:
    """Return gaps to the von Neumann winner: the probability that an arm drawn from it wins, minus 1/2."""
    solution = winners.von_neumann_solution(matrix)
    lead = solution.mixture @ matrix.gaps
    return Target("von_neumann", solution.support, np.where(lead > ROUNDING, lead, 0.0))


def hindsight_target(matrix: Preferences) -> Target:
    """Return the gaps of all arms to each arm; the winners are the arms that lose to no other, if any."""
    margins = matrix.gaps
    undefeated = np.flatnonzero((margins >= 0.0).all(axis=1))
    return Target("hindsight", tuple(undefeated.tolist()), margins)


def copeland_target(matrix: Preferences) -> Target:
    """Return gaps to the Copeland winners: the difference in the share of other arms beaten, a tie as half.

    Papers on Copeland regret assume that there are no ties. One half is what learners observe on average:
    each of two tied arms is ahead half of the time.
    """
    scores = winners.copeland_scores(matrix)
    return Target("copeland", winners.copeland(matrix), (scores.max() - scores) / (len(scores) - 1))


def borda_target(matrix: Preferences) -> Target:
    """Return gaps to the Borda winners: the difference in the probability of beating a random other arm."""
    scores = winners.borda_scores(matrix)
    behind = scores.max() - scores
    return Target("borda", winners.borda(matrix), np.where(behind > ROUNDING, behind, 0.0))


def scored_target(costs: FloatArray) -> Target:
    """Return the target for known costs of arms: the arms with cost 0 are the winners.

    Parameters
    ----------
    costs : array of shape (K,)
        The cost of each arm in a duel, which becomes its gap.

    Returns
    -------
    Target
        The winners and the gaps.

    Raises
    ------
    ParameterError
        If `costs` is not a nonempty list of numbers.

    Examples
    --------
    >>> scored_target([0.0, 0.2])
    Target(concept='score', winners=(0,), gaps=array([0. , 0.2]))
    """
    known = as_numbers("costs", costs)
    if known.ndim != 1 or known.size == 0:
        raise ParameterError(f"costs must be a list with one number per arm; got shape {known.shape}.")
    return Target("score", tuple(int(arm) for arm in np.flatnonzero(known == 0.0)), known)


CONCEPTS: dict[str, Callable[[Preferences], Target]] = {
    "borda": borda_target,
    "condorcet": condorcet_target,
    "copeland": copeland_target,
    "hindsight": hindsight_target,
    "von_neumann": von_neumann_target,
}


CONCEPT_NAMES = {  # the concepts as they are named in text
    "borda": "the Borda winner",
    "condorcet": "the Condorcet winner",
    "copeland": "the Copeland winner",
    "hindsight": "the best arm in hindsight",
    "score": "the highest-scored arm",
    "von_neumann": "the von Neumann winner",
}


def target(matrix: ArrayLike, against: str | None = None) -> Target:
    """Return the target against which regret is measured.

    Parameters
    ----------
    matrix : array of shape (K, K)
        The true preferences.
    against : str, optional
        One of `CONCEPTS`; by default the Condorcet winner or, if there is none, the best arm in hindsight.

    Returns
    -------
    Target
        The concept, its winners and the gaps.

    Raises
    ------
    UnknownNameError
        If there is no such concept.
    ParameterError
        If the concept is "condorcet" and there is no Condorcet winner.

    Examples
    --------
    >>> target([[0.5, 0.6], [0.4, 0.5]])
    Target(concept='condorcet', winners=(0,), gaps=array([0. , 0.1]))
    """
    preferences = Preferences.of(matrix)
    if against is None:
        against = "hindsight" if winners.condorcet(preferences) is None else "condorcet"
    require_known("winner concept", against, CONCEPTS)
    return CONCEPTS[against](preferences)


def strong(left: ArrayLike, right: ArrayLike) -> FloatArray:
    """Return strong regret: the mean of the two arms' gaps (equation 1).

    Parameters
    ----------
    left, right : array
        The gaps of the two arms of each duel.

    Returns
    -------
    array
        The regret of each duel.

    Raises
    ------
    ParameterError
        If the arrays differ in shape.

    Examples
    --------
    >>> strong([0.0, 0.1], [0.2, 0.1])
    array([0.1, 0.1])
    """
    return generalized(left, right, 0.5)


def weak(left: ArrayLike, right: ArrayLike) -> FloatArray:
    """Return weak regret: the smaller of the two arms' gaps (equation 2).

    Parameters
    ----------
    left, right : array
        The gaps of the two arms of each duel.

    Returns
    -------
    array
        The regret of each duel.

    Raises
    ------
    ParameterError
        If the arrays differ in shape.

    Examples
    --------
    >>> weak([0.0, 0.1], [0.2, 0.1])
    array([0. , 0.1])
    """
    return np.minimum(*gaps_of_pairs(left, right))


def generalized(left: ArrayLike, right: ArrayLike, weight: float) -> FloatArray:
    """Return generalized regret: a weighted mean of the smaller and the larger gap (equation 3).

    Parameters
    ----------
    left, right : array
        The gaps of the two arms of each duel.
    weight : float
        The weight of the larger gap: 0 for weak regret, 1/2 for strong regret, 1 for the larger gap.

    Returns
    -------
    array
        The regret of each duel.

    Raises
    ------
    ParameterError
        If the arrays differ in shape, or `weight` lies outside [0, 1].

    Examples
    --------
    >>> generalized(0.1, 0.3, weight=1.0).item()
    0.3
    """
    if not 0.0 <= number_or_nan(weight) <= 1.0:
        raise ParameterError(
            f"weight must lie between 0 (weak regret) and 1 (the larger gap); got {weight!r}."
        )
    larger = np.maximum(*gaps_of_pairs(left, right))
    return (1.0 - weight) * weak(left, right) + weight * larger


def gaps_of_pairs(left: ArrayLike, right: ArrayLike) -> tuple[FloatArray, FloatArray]:
    one, other = as_numbers("left", left), as_numbers("right", right)
    if one.shape != other.shape:
        raise ParameterError(
            f"left and right must have the same shape, one gap per duel; got shapes {one.shape} and "
            f"{other.shape}."
        )
    return one, other


def as_numbers(name: str, given: ArrayLike) -> FloatArray:
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be numbers: {error}.") from error


def accuracy(best: IntArray, winners: Collection[int]) -> FloatArray:
    """Return the share of runs whose best arm is a winner.

    Parameters
    ----------
    best : array of shape (runs, ...)
        The arm that each run considers best.
    winners : collection of int
        The winners.

    Returns
    -------
    array
        The share of runs, over the first axis; NaN if there are no winners.

    Raises
    ------
    ParameterError
        If `best` is a single number, or `winners` is not a collection.

    Examples
    --------
    >>> accuracy(np.array([0, 2, 0, 0]), (0,)).item()
    0.75
    """
    if not isinstance(winners, Collection) or np.ndim(best) == 0:
        raise ParameterError(
            f"best must have one row of arms per run, and winners must be a list of arms; got {best!r:.80} "
            "and "
            f"{winners!r:.80}."
        )
    share = np.isin(best, list(winners)).mean(axis=0)
    return np.asarray(share if winners else np.full_like(share, np.nan), np.float64)


def shares(plays: IntArray) -> FloatArray:
    """Return each arm's share of all duel sides.

    Parameters
    ----------
    plays : array of shape (runs, K)
        How often each arm was played, on either side, in each run.

    Returns
    -------
    array of shape (runs, K)
        The shares, which sum to 1 in each run.

    Raises
    ------
    ParameterError
        If a run has no plays, or `plays` is not an array of numbers.

    Examples
    --------
    >>> shares(np.array([[6, 2], [4, 4]]))
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    counts = as_numbers("plays", plays)
    if counts.ndim == 0 or not (counts.sum(axis=-1) > 0.0).all():
        raise ParameterError(f"plays must count the plays of each arm in every run; got {plays!r:.80}.")
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True), np.float64)
