"""Regret, what it costs to show an arm that is not the winner; and whether the winner was found.

Every concept of a winner gives each arm a *gap*, zero for the winner. A round's regret, strong, weak or
generalized, is made of the gaps of its two arms (Yue, Broder, Kleinberg, Joachims 2012, equations 1 to 3).

Where no arm beats all others, regret is that of Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015): by how much
beyond 1/2 the one arm that is best in hindsight would have beaten the arms shown, as the mean of both sides.
It has no weak form.
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
    """What regret is measured against, which arms are right, and each arm's gap."""

    concept: str
    winners: tuple[int, ...]
    gaps: FloatArray  # one an arm; in hindsight a row for every arm that may turn out best


def condorcet_target(matrix: Preferences) -> Target:
    """Return gaps to the arm that beats all others: its chance to win beyond 1/2."""
    winner = winners.condorcet(matrix)
    if winner is None:
        raise ParameterError(
            'against="condorcet" needs an arm that beats all others, and this problem has none; '
            'use "hindsight", "von_neumann" or "copeland".'
        )
    return Target("condorcet", (winner,), matrix.gaps[winner])


def von_neumann_target(matrix: Preferences) -> Target:
    """Return gaps to the von Neumann winner: the chance beyond 1/2 that an arm drawn from it wins."""
    solution = winners.von_neumann_solution(matrix)
    lead = solution.mixture @ matrix.gaps
    return Target("von_neumann", solution.support, np.where(lead > ROUNDING, lead, 0.0))


def hindsight_target(matrix: Preferences) -> Target:
    """Return the gaps of all arms to each; right is an arm that loses to no other, and there may be none."""
    margins = matrix.gaps
    undefeated = np.flatnonzero((margins >= 0.0).all(axis=1))
    return Target("hindsight", tuple(undefeated.tolist()), margins)


def copeland_target(matrix: Preferences) -> Target:
    """Return gaps to the Copeland winners: the difference in the share of other arms beaten, ties as half.

    Papers on Copeland regret assume that no two arms tie. With ties, half is what learners see on average: of
    two tied arms, either is ahead half of the time.
    """
    scores = winners.copeland_scores(matrix)
    return Target("copeland", winners.copeland(matrix), (scores.max() - scores) / (len(scores) - 1))


def borda_target(matrix: Preferences) -> Target:
    """Return gaps to the Borda winners: the difference in the chance to beat another arm at random."""
    scores = winners.borda_scores(matrix)
    behind = scores.max() - scores
    return Target("borda", winners.borda(matrix), np.where(behind > ROUNDING, behind, 0.0))


def scored_target(costs: FloatArray) -> Target:
    """Return gaps to the arms that cost nothing, where it is known what showing each arm costs."""
    known = as_numbers("costs", costs)
    if known.ndim != 1 or known.size == 0:
        raise ParameterError(f"costs must be a list, one number an arm; got shape {known.shape}.")
    return Target("score", tuple(int(arm) for arm in np.flatnonzero(known == 0.0)), known)


CONCEPTS: dict[str, Callable[[Preferences], Target]] = {
    "borda": borda_target,
    "condorcet": condorcet_target,
    "copeland": copeland_target,
    "hindsight": hindsight_target,
    "von_neumann": von_neumann_target,
}


CONCEPT_NAMES = {  # how people write the concepts
    "borda": "the Borda winner",
    "condorcet": "the Condorcet winner",
    "copeland": "the Copeland winner",
    "hindsight": "the best arm in hindsight",
    "score": "the highest-scored arm",
    "von_neumann": "the von Neumann winner",
}


def target(matrix: ArrayLike, against: str | None = None) -> Target:
    """Return what to measure regret against.

    Parameters
    ----------
    matrix : array of shape (K, K)
        The true preferences.
    against : str or None
        One of `CONCEPTS`. None means the Condorcet winner or, where there is none, the best arm in hindsight.

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
    """Return the mean of the two arms' gaps (equation 1).

    Examples
    --------
    >>> strong([0.0, 0.1], [0.2, 0.1])
    array([0.1, 0.1])
    """
    return generalized(left, right, 0.5)


def weak(left: ArrayLike, right: ArrayLike) -> FloatArray:
    """Return the smaller of the two arms' gaps (equation 2).

    Examples
    --------
    >>> weak([0.0, 0.1], [0.2, 0.1])
    array([0. , 0.1])
    """
    return np.minimum(*gaps_of_pairs(left, right))


def generalized(left: ArrayLike, right: ArrayLike, weight: float) -> FloatArray:
    """Return a value between the smaller and the larger gap (equation 3).

    Parameters
    ----------
    left, right : array
        The gaps of the two arms.
    weight : float
        0 for the smaller gap, 1/2 for the mean, 1 for the larger gap.

    Examples
    --------
    >>> generalized(0.1, 0.3, weight=1.0).item()
    0.3
    """
    if not 0.0 <= number_or_nan(weight) <= 1.0:
        raise ParameterError(
            f"weight must lie between 0 (weak regret) and 1 (the worse arm's); got {weight!r}."
        )
    larger = np.maximum(*gaps_of_pairs(left, right))
    return (1.0 - weight) * weak(left, right) + weight * larger


def gaps_of_pairs(left: ArrayLike, right: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the gaps of the two arms of each duel, which must be as many."""
    one, other = as_numbers("left", left), as_numbers("right", right)
    if one.shape != other.shape:
        raise ParameterError(
            f"left and right must be as many, a gap of each for every duel; got shapes {one.shape} and "
            f"{other.shape}."
        )
    return one, other


def as_numbers(name: str, given: ArrayLike) -> FloatArray:
    """Return numbers as an array, or refuse what are none."""
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be numbers: {error}.") from error


def accuracy(best: IntArray, winners: Collection[int]) -> FloatArray:
    """Return the share of runs whose best arm is a winner, nan if no arm is; `best` has one row per run.

    Examples
    --------
    >>> accuracy(np.array([0, 2, 0, 0]), (0,)).item()
    0.75
    """
    if not isinstance(winners, Collection) or np.ndim(best) == 0:
        raise ParameterError(
            f"best must be a row of arms for each run, and winners a list of arms; got {best!r:.80} and "
            f"{winners!r:.80}."
        )
    share = np.isin(best, list(winners)).mean(axis=0)
    return np.asarray(share if winners else np.full_like(share, np.nan), np.float64)


def shares(plays: IntArray) -> FloatArray:
    """Return the share of sides on which each arm was shown; `plays` has one row per run.

    Examples
    --------
    >>> shares(np.array([[6, 2], [4, 4]]))
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    counts = as_numbers("plays", plays)
    if counts.ndim == 0 or not (counts.sum(axis=-1) > 0.0).all():
        raise ParameterError(f"plays must be how often each arm was shown, in every run; got {plays!r:.80}.")
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True), np.float64)
