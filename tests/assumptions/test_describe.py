from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from matrices import LADDER, PAPER, ROCK_PAPER_SCISSORS, bradley_terry_matrices, preference_matrices
from real_data import needs_data, real_matrix
from refusals import names, refused

from duelist.assumptions import (
    describe,
    relaxed_gamma,
    stochastic_triangle_inequality,
    strong_stochastic_transitivity,
    total_order,
)
from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.winners import condorcet, copeland

STEEP = np.array([[0.5, 0.6, 0.9], [0.4, 0.5, 0.6], [0.1, 0.4, 0.5]])
LEARNERS = [
    "InterleavedFilter1",
    "InterleavedFilter2",
    "BeatTheMean",
    "CondorcetSavage",
    "RMED1",
    "RMED2FH",
    "RUCB",
]


def holding(matrix: FloatArray) -> list[str]:
    return [
        learner for learner, why in describe(matrix).guarantees.items() if why.startswith("holds, because")
    ]


@given(preference_matrices())
def test_it_says_what_the_single_functions_say(matrix: FloatArray) -> None:
    description = describe(matrix)
    assert description.condorcet_winner == condorcet(matrix)
    assert description.copeland_winners == copeland(matrix)
    assert description.total_order == (total_order(matrix) is not None)
    assert description.strong_transitivity == strong_stochastic_transitivity(matrix)
    assert description.triangle_inequality == stochastic_triangle_inequality(matrix)
    assert description.gamma == relaxed_gamma(matrix)


@given(preference_matrices())
def test_it_counts_cycles_and_ties(matrix: FloatArray) -> None:
    wins = matrix > matrix.T
    cycles = sum(
        bool((wins[i, j] and wins[j, k] and wins[k, i]) or (wins[j, i] and wins[k, j] and wins[i, k]))
        for i, j, k in combinations(range(len(matrix)), 3)
    )
    ties = sum(matrix[i, j] == matrix[j, i] for i, j in combinations(range(len(matrix)), 2))
    description = describe(matrix)
    assert (description.cyclic_triples, description.tied_pairs) == (cycles, ties)


@given(preference_matrices())
def test_disorder_always_has_a_named_cause(matrix: FloatArray) -> None:
    description = describe(matrix)
    assert description.total_order == (description.cyclic_triples + description.tied_pairs == 0)


@given(bradley_terry_matrices())
def test_all_guarantees_hold_under_bradley_terry(matrix: FloatArray) -> None:
    assert holding(matrix) == LEARNERS


def test_beat_the_mean_bears_weaker_transitivity() -> None:
    flat = np.array([[0.5, 0.6, 0.6], [0.4, 0.5, 0.7], [0.4, 0.3, 0.5]])
    assert holding(flat) == LEARNERS[2:]
    assert names(describe(flat).guarantees["BeatTheMean"], "gamma=2")


def test_without_the_triangle_inequality_only_the_condorcet_learners_are_left() -> None:
    assert holding(STEEP) == LEARNERS[3:]
    for learner in ("BeatTheMean", "InterleavedFilter1"):
        assert names(describe(STEEP).guarantees[learner], "triangle inequality", "RUCB", "CondorcetSavage")


def test_both_failures_are_named() -> None:
    worse = np.array(
        [[0.5, 0.51, 0.6, 0.9], [0.49, 0.5, 0.7, 0.7], [0.4, 0.3, 0.5, 0.51], [0.1, 0.3, 0.49, 0.5]]
    )
    failed = ("strong stochastic transitivity", "triangle inequality")
    assert names(describe(worse).guarantees["InterleavedFilter2"], *failed)


def test_without_a_condorcet_winner_it_points_to_the_mixture() -> None:
    description = describe(ROCK_PAPER_SCISSORS)
    assert holding(ROCK_PAPER_SCISSORS) == []
    assert description.smallest_gap is None
    assert names(description.guarantees["RUCB"], "does not hold", "duelist.winners.von_neumann")
    assert names(description.guarantees["BeatTheMean"], "total order", "1 cyclic triple")


def test_gamma_is_never_rounded_down() -> None:
    matrix = np.array([[0.5, 0.6, 0.6], [0.4, 0.5, 0.62003], [0.4, 0.37997, 0.5]])
    assert names(describe(matrix).guarantees["BeatTheMean"], "gamma=1.21")


def test_the_report_names_every_property() -> None:
    matrix = [[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]]
    description = describe(matrix, labels=["a", "b", "c", "d"])
    first, *lines = str(description).splitlines()
    assert names(first, "4 arms", "arm a", "Condorcet winner", "0.1")
    guarantees = [f"  {learner}: {sentence}" for learner, sentence in description.guarantees.items()]
    assert lines[-len(guarantees) :] == guarantees
    held = [learner for learner, sentence in description.guarantees.items() if sentence.startswith("holds")]
    assert held == LEARNERS[3:]
    facts = [
        ("Total order", "no", "1 cyclic triple"),
        ("Cycle", "b beats c beats d beats b"),
        ("Strong stochastic transitivity", "no"),
        ("Relaxed stochastic transitivity", f"gamma={description.gamma:g}"),
        ("Stochastic triangle inequality", "no"),
        ("Guarantees",),
    ]
    for line, known in zip(lines[: -len(guarantees)], facts, strict=True):
        assert names(line, *known)


def test_the_report_without_a_winner_names_the_copeland_winners() -> None:
    tied = [[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]]
    first, second, *_ = str(describe(tied)).splitlines()
    assert names(first, "3 arms", "no Condorcet winner", "arms 0, 1")
    assert names(second, "no", "1 tied pair")
    assert names(str(describe(PAPER)), "5 arms", "no Condorcet winner", "arm 3")


def test_labels_must_name_every_arm() -> None:
    with refused(ParameterError, "labels", "2 names", "3 arms"):
        describe(LADDER, labels=["a", "b"])


@needs_data
@pytest.mark.parametrize(
    ("name", "gap", "cycles", "ties"),
    [
        ("arxiv6", 0.04, 0, 1),
        ("cyclic4", 0.1, 1, 0),
        ("mslr136", 0.0038, 448, 0),
        ("mslr_informational5_condorcet", 0.035, 0, 0),
        ("np2004_64", 0.0096, 434, 0),
        ("bvsc20", 0.01, 0, 0),
    ],
)
def test_real_matrices(name: str, gap: float, cycles: int, ties: int) -> None:
    description = describe(real_matrix(name))
    assert description.smallest_gap == pytest.approx(gap, rel=0.02)
    assert (description.cyclic_triples, description.tied_pairs) == (cycles, ties)
