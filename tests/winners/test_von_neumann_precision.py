"""How exact the von Neumann winner is, measured against games solved in fractions."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from duelist.duel import FloatArray
from duelist.preferences import gaps
from duelist.winners import von_neumann


def kernel(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """Return the vector that a table takes to zero, if there is just one up to its length."""
    size, pivots = len(rows), list[int]()
    for column in range(size):
        index = len(pivots)
        found = next((row for row in range(index, size) if rows[row][column]), None)
        if found is None:
            continue
        rows[index], rows[found] = rows[found], rows[index]
        rows[index] = [value / rows[index][column] for value in rows[index]]
        for row in range(size):
            if row != index:
                factor = rows[row][column]
                rows[row] = [one - factor * other for one, other in zip(rows[row], rows[index], strict=True)]
        pivots.append(column)
    free = [column for column in range(size) if column not in pivots]
    if len(free) != 1:
        return None
    solution = [Fraction(0)] * size
    solution[free[0]] = Fraction(1)
    for row, column in enumerate(pivots):
        solution[column] = -rows[row][free[0]]
    return solution


def exact(margins: FloatArray) -> FloatArray:
    """Return the only von Neumann winner of a game without ties: odd in support, and a kernel in weights."""
    game = [[Fraction(float(value)) for value in row] for row in margins]
    for size in range(1, len(game) + 1, 2):
        for arms in combinations(range(len(game)), size):
            found = kernel([[game[other][arm] for other in arms] for arm in arms])
            total = sum(found or [])
            if not found or not total or min(weight / total for weight in found) <= 0:
                continue
            leads = (
                sum(weight * game[arm][rival] for weight, arm in zip(found, arms, strict=True)) / total
                for rival in range(len(game))
            )
            if min(leads) >= 0:
                weights = np.zeros(len(game))
                weights[list(arms)] = [float(weight / total) for weight in found]
                return weights
    raise AssertionError("every game has a winner")


def random_game(k: int, smallest: float, rng: np.random.Generator) -> FloatArray:
    sizes = 0.4 * smallest ** rng.random((k, k))
    upper = np.triu(rng.choice([-1.0, 1.0], (k, k)) * sizes, 1)
    return 0.5 + upper - upper.T


@pytest.mark.parametrize("gap", [1e-4, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11])
def test_one_small_gap_leaves_the_weights_exact(gap: float) -> None:
    uneven = np.array([[0.0, gap, -0.3], [-gap, 0.0, 0.4], [0.3, -0.4, 0.0]])
    assert von_neumann(0.5 + uneven) == pytest.approx(exact(gaps(0.5 + uneven)), rel=1e-6, abs=1e-15)
    beaten = np.zeros((4, 4))
    beaten[:3, :3] = [[0.0, 0.3, -0.3], [-0.3, 0.0, 0.3], [0.3, -0.3, 0.0]]
    beaten[:3, 3], beaten[3, :3] = gap, -gap
    assert von_neumann(0.5 + beaten) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0], abs=1e-15)


@pytest.mark.parametrize("k", [3, 5])
def test_gaps_of_all_sizes_down_to_1e_8_leave_the_weights_exact(k: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        matrix = random_game(k, 1e-8, rng)
        np.testing.assert_allclose(von_neumann(matrix), exact(gaps(matrix)), rtol=0.0, atol=1e-14)


def test_gaps_of_all_sizes_down_to_1e_12_leave_a_winner_that_nobody_beats() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        matrix = random_game(7, 1e-12, rng)
        assert (von_neumann(matrix) @ gaps(matrix)).min() >= -1e-12
