"""Checks of problems with known preferences."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import default_rng

from duelist import winners
from duelist.checks.environments import checks_in
from duelist.duel import Duel
from duelist.preferences import as_preferences
from duelist.protocols import KnownProblem

DUELS = 2_000


def check_preferences(problem: KnownProblem) -> None:
    """Check that the preference matrix is valid and fits the menu and the labels."""
    matrix = as_preferences(problem.matrix)
    assert len(matrix) == problem.menu(default_rng(0)).k == len(problem.labels)


def check_play_matches_preferences(problem: KnownProblem) -> None:
    """Check that arms win as often as the matrix says over many duels, within five standard errors."""
    k = problem.menu(default_rng(0)).k
    world_rng = default_rng(1)
    for left, right in [(0, 1), (1, 0), (0, k - 1), (k - 2, k - 1)]:
        chance = problem.matrix[left, right]
        won = np.mean([problem.play(Duel(left, right), world_rng) for _ in range(DUELS)])
        error = np.sqrt(chance * (1.0 - chance) / DUELS)
        assert abs(won - chance) <= 5.0 * error, (
            f"arm {left} beats {right} with chance {won:.3f}, not {chance:.3f}"
        )


def check_equal_seeds_give_equal_outcomes(problem: KnownProblem) -> None:
    """Check that play depends only on its generator."""
    one, two = default_rng(2), default_rng(2)
    assert all(problem.play(Duel(0, 1), one) == problem.play(Duel(0, 1), two) for _ in range(100))


def check_winners_agree(problem: KnownProblem) -> None:
    """Check that a Condorcet winner is also the Copeland and the von Neumann winner."""
    winner = winners.condorcet(problem.matrix)
    mixture = winners.von_neumann(problem.matrix)
    assert (mixture @ problem.matrix >= 0.5 - 1e-9).all(), "an arm beats the von Neumann winner"
    if winner is not None:
        assert winners.copeland(problem.matrix) == (winner,)
        assert mixture[winner] == 1.0


def yield_problem_checks() -> Iterator[tuple[str, Callable[[KnownProblem], None]]]:
    """Yield the name and the function of every check of a problem.

    Yields
    ------
    tuple of str and callable
        A check takes a problem and raises AssertionError if the problem breaks a rule.

    Examples
    --------
    >>> from duelist.problems import worst_case
    >>> for name, check in yield_problem_checks():
    ...     check(worst_case(4))
    """
    return checks_in(globals())
