"""The first setting of every reproduction still comes out."""

from reproductions.yue2009_gradient_descent.__main__ import EXPECTED
from reproductions.yue2009_gradient_descent.sweep import FACTORS, PROBLEMS, STARTS, table_cell


def test_the_first_cell_of_the_gradient_descent_table() -> None:
    name, norm = next(iter(PROBLEMS)), next(iter(STARTS.values()))
    expected = EXPECTED["table 1"]
    ours = table_cell(name, FACTORS[0], norm, runs=2).mean
    assert abs(ours / expected[name][0] - 1.0) <= expected["tolerance"]


def test_every_cell_has_an_expectation() -> None:
    expected = EXPECTED["table 1"]
    assert tuple(expected["factors"]) == FACTORS
    assert all(len(expected[name]) == len(FACTORS) for name in PROBLEMS)
