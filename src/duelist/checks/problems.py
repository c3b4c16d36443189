"""What every problem with known preferences must keep to."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import default_rng

from duelist import winners
from duelist.checks.stages import checks_in
from duelist.duel import Duel
from duelist.preferences import as_preferences
from duelist.protocols import KnownProblem

DUELS = 2_000


def check_preferences(problem: KnownProblem) -> None:
    """Demand that the matrix is one of preferences, of the menu's size, with a name for every arm."""
    matrix = as_preferences(problem.matrix)
    assert len(matrix) == problem.menu(default_rng(0)).k == len(problem.labels)


def check_play_matches_preferences(problem: KnownProblem) -> None:
    """Demand that over many duels an arm wins as often as the matrix says, within five standard errors."""
    k = problem.menu(default_rng(0)).k
    world_rng = default_rng(1)
    for left, right in [(0, 1), (1, 0), (0, k - 1), (k - 2, k - 1)]:
        chance = problem.matrix[left, right]
        won = np.mean([problem.play(Duel(left, right), world_rng) for _ in range(DUELS)])
        error = np.sqrt(chance * (1.0 - chance) / DUELS)
        assert abs(won - chance) <= 5.0 * error, f"{left} beat {right} in {won:.3f}, not {chance:.3f}"


def check_equal_seeds_give_equal_outcomes(problem: KnownProblem) -> None:
    """Demand that randomness is an argument."""
    one, two = default_rng(2), default_rng(2)
    assert all(problem.play(Duel(0, 1), one) == problem.play(Duel(0, 1), two) for _ in range(100))


def check_winners_agree(problem: KnownProblem) -> None:
    """Demand that a Condorcet winner is the Copeland and the von Neumann winner too."""
    winner = winners.condorcet(problem.matrix)
    mixture = winners.von_neumann(problem.matrix)
    assert (mixture @ problem.matrix >= 0.5 - 1e-9).all(), "an arm beats the von Neumann winner"
    if winner is not None:
        assert winners.copeland(problem.matrix) == (winner,)
        assert mixture[winner] == 1.0


def yield_problem_checks() -> Iterator[tuple[str, Callable[[KnownProblem], None]]]:
    """Yield the name and the function of every check of a problem."""
    return checks_in(globals())
