"""How fast von Neumann winners are found."""

from importlib import import_module

import numpy as np
from numpy.random import default_rng

from benchmarks.table import Figure, seconds
from duelist.duel import FloatArray
from duelist.winners import von_neumann_many

LARGE, SMALL, MANY, SOLVED = 1000, 16, 10_000, 500


def random_preferences(k: int, seed: int) -> FloatArray:
    upper = np.triu(default_rng(seed).random((k, k)), 1)
    return np.asarray(upper + np.tril(1.0 - upper.T, -1) + np.eye(k) / 2.0)


def solve(matrix: FloatArray) -> FloatArray:
    """Return a von Neumann winner by a general solver, which gives any of several."""
    k = len(matrix)
    found = import_module("scipy.optimize").linprog(
        np.zeros(k), A_ub=0.5 - matrix.T, b_ub=np.zeros(k), A_eq=np.ones((1, k)), b_eq=[1.0]
    )
    return np.asarray(found.x)


def figures() -> list[Figure]:
    large = random_preferences(LARGE, 0)
    matrices = [random_preferences(SMALL, seed) for seed in range(MANY)]
    solve(matrices[0])
    against = "SciPy's linprog, HiGHS"
    ours = min(seconds(lambda: von_neumann_many([large])) for _ in range(3))
    theirs = seconds(lambda: solve(large))
    figure = Figure(
        f"von Neumann winner of {LARGE:,} arms: seconds",
        f"{ours:.1f} s",
        f"{theirs:.1f} s",
        against,
        theirs / ours,
    )
    ours = min(seconds(lambda: von_neumann_many(matrices)) for _ in range(3))
    theirs = seconds(lambda: [solve(matrix) for matrix in matrices[:SOLVED]]) * MANY / SOLVED
    return [
        figure,
        Figure(
            f"those of {MANY:,} matrices of {SMALL} arms: seconds",
            f"{ours:.1f} s",
            f"{theirs:.1f} s",
            f"{against}, {SOLVED} of them",
            theirs / ours,
        ),
    ]
