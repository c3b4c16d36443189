from dataclasses import FrozenInstanceError
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import preference_matrices
from numpy.testing import assert_array_equal
from real_data import PREFERENCES, needs_data
from refusals import refused

from duelist import Votes, load_votes
from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, Duel
from duelist.errors import FileError, OutcomeError, ParameterError, PreferenceError, UnknownNameError
from duelist.menus import Arms
from duelist.problems import MatrixProblem, condorcet_cycle, random_bradley_terry
from duelist.protocols import KnownProblem

PLAIN = "0.5,0.7\n0.3,0.5\n"
MATRIX = [[0.5, 0.9, 0.8], [0.1, 0.5, 0.6], [0.2, 0.4, 0.5]]
LABELS = st.text(min_size=1).filter(lambda name: name == name.strip() and len(name.splitlines()) == 1)


@st.composite
def problems(draw: st.DrawFn) -> MatrixProblem:
    matrix = draw(preference_matrices())
    k = len(matrix)
    return MatrixProblem(matrix, draw(st.lists(LABELS, min_size=k, max_size=k, unique=True)))


def test_it_is_a_known_problem_with_a_menu() -> None:
    problem = MatrixProblem(MATRIX)
    assert isinstance(problem, KnownProblem)
    assert problem.menu() == Arms(3)
    assert problem.k == 3
    assert problem.labels == ("0", "1", "2")
    assert problem.counts is None
    assert_array_equal(problem.matrix, MATRIX)


def test_it_cannot_be_changed() -> None:
    problem = MatrixProblem(MATRIX, counts=np.ones((3, 3)))
    assert problem.counts is not None
    for array in (problem.matrix, problem.counts):
        with refused(ValueError, "read-only"):
            array[0, 1] = 0.0
    for name in ("matrix", "labels", "counts"):
        with refused(FrozenInstanceError, repr(name)):
            setattr(problem, name, None)


def test_it_keeps_no_hold_on_the_arrays_it_was_given() -> None:
    matrix, counts = np.array(MATRIX), np.ones((3, 3))
    problem = MatrixProblem(matrix, counts=counts)
    matrix[0, 1] = counts[0, 1] = 0.0
    assert problem.counts is not None
    assert problem.matrix[0, 1] == 0.9
    assert problem.counts[0, 1] == 1.0


@pytest.mark.parametrize(
    ("labels", "facts"),
    [
        (["a", "b"], ("labels", "2 names", 3)),
        (["a", "b", "a"], ("labels[2]", "a", "arm 0")),
        (["a", "", "c"], ("labels[1]", "")),
        (["a", "b", "c "], ("labels[2]", repr("c "))),
        (["a", 1.5, "c"], ("labels[1]", 1.5)),
        (["a", "b", "c\nd"], ("labels[2]", repr("c\nd"))),
    ],
)
def test_wrong_labels_are_refused(labels: Any, facts: tuple[object, ...]) -> None:
    with refused(PreferenceError, *facts):
        MatrixProblem(MATRIX, labels)


@pytest.mark.parametrize(
    ("counts", "facts"),
    [
        ([[0, 1], [1, 0]], ("counts", "2 rows", 3)),
        ([[0, 1, 1], [1, 0, nan], [1, 1, 0]], ("counts[1, 2]", nan, 0)),
    ],
)
def test_wrong_counts_are_refused(counts: Any, facts: tuple[object, ...]) -> None:
    with refused(PreferenceError, *facts):
        MatrixProblem(MATRIX, counts=counts)


def test_a_wrong_matrix_is_refused_by_its_entry() -> None:
    with refused(PreferenceError, "matrix[0, 1]", "matrix[1, 0]", 0.6, 1.2):
        MatrixProblem([[0.5, 0.6], [0.6, 0.5]])


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (PLAIN, None),
        (PLAIN.replace(",", ";"), None),
        (PLAIN.replace(",", "\t"), None),
        (PLAIN.replace(",", " , ").replace("\n", "\r\n"), None),
        ("\ufeff" + PLAIN, None),
        ("# P(i beats j)\n\n0.5,0.7\n,\n# second row\n0.3,0.5", None),
        ("a,b\n" + PLAIN, ("a", "b")),
        ("1,2\n" + PLAIN, ("1", "2")),
        (",a,b\na,0.5,0.7\nb,0.3,0.5\n", ("a", "b")),
        (",0,1\n0,0.5,0.7\n1,0.3,0.5\n", ("0", "1")),
        ("arm;C#;x y\nC#;0.5;0.7\nx y;0.3;0.5\n", ("C#", "x y")),
        ('"","a;b","#c"\n"a;b",0.5,0.7\n"#c",0.3,0.5\n', ("a;b", "#c")),
        ("\t#a\tb\n" + '"#a"\t0.5\t0.7\nb\t0.3\t0.5\n', ("#a", "b")),
        (",winner,loser\nwinner,0.5,0.7\nloser,0.3,0.5\n", ("winner", "loser")),
        ("0,5;0,7\n0,3;0,5\n", None),
        ("\ta\tb\na\t0,500\t0,7\nb\t,3\t0,5\n", ("a", "b")),
    ],
)
def test_a_matrix_is_read_in_every_shape(tmp_path: Path, text: str, labels: tuple[str, ...] | None) -> None:
    path = tmp_path / "matrix.csv"
    path.write_bytes(text.encode())
    problem = MatrixProblem.from_csv(path)
    assert_array_equal(problem.matrix, [[0.5, 0.7], [0.3, 0.5]])
    assert problem.labels == (labels or ("0", "1"))


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("0.5,0.6\n0.6,0.5\n", ("matrix[0, 1]", "matrix[1, 0]", 0.6)),
        ("a,a\n0.5,0.6\n0.4,0.5\n", ("labels[1]", "a")),
        ("0.5\n", ("matrix", "1 arm")),
        ("0.5,0.6\n", ("matrix", (1, 2))),
        ("0.5,0.501\n0.5,0.5\n", (1.001, "normalize")),
    ],
)
def test_a_wrong_matrix_is_refused_by_file_and_entry(
    tmp_path: Path, text: str, facts: tuple[object, ...]
) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(text)
    with refused(PreferenceError, str(path), *facts):
        MatrixProblem.from_csv(path)


def test_rounded_preferences_are_normalised_on_request(tmp_path: Path) -> None:
    path = tmp_path / "rounded.csv"
    path.write_text("0.5,0.501\n0.5,0.5\n")
    assert MatrixProblem.from_csv(path, normalize=True).matrix[0, 1] == 0.501 / 1.001


@needs_data
def test_every_published_matrix_loads() -> None:
    files = sorted(PREFERENCES.glob("*.csv"))
    assert len(files) >= 14
    for file in files:
        assert_array_equal(MatrixProblem.from_csv(file).matrix, np.loadtxt(file, delimiter=","))


def test_a_file_of_votes_is_no_matrix_but_gives_the_problem_estimated_from_them(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("winner,loser,count\na,b,3\nb,a,1\nc,a,2\n")
    with refused(FileError, str(path), "load_votes"):
        MatrixProblem.from_csv(path)
    problem = MatrixProblem.from_votes(load_votes(path))
    assert problem.labels == ("a", "b", "c")
    assert_array_equal(problem.matrix, [[0.5, 0.75, 0.0], [0.25, 0.5, 0.5], [1.0, 0.5, 0.5]])
    assert_array_equal(problem.counts, [[0, 4, 2], [4, 0, 0], [2, 0, 0]])


def test_votes_may_come_with_a_prior_and_repeats() -> None:
    votes = Votes(["b", "a"], [1, 0, 1], [0, 1, 0], [1.0, 0.0, 0.5], voters=["ann", "ann", None])
    assert MatrixProblem.from_votes(votes).matrix[1, 0] == 0.75
    assert MatrixProblem.from_votes(votes, repeats="all").matrix[1, 0] == 2.5 / 3
    problem = MatrixProblem.from_votes(votes, prior=1.0)
    assert (problem.labels, problem.matrix[1, 0]) == (("b", "a"), 2.5 / 4)


@pytest.mark.parametrize("labels", [("winner", "loser"), ("#1", "C#"), ("a,b", 'c"d'), ("0.5", "0.6")])
def test_a_file_gives_back_awkward_names(tmp_path: Path, labels: tuple[str, str]) -> None:
    path = MatrixProblem([[0.5, 1 / 3], [2 / 3, 0.5]], labels).to_csv(tmp_path / "p.csv")
    assert MatrixProblem.from_csv(path).labels == labels


@pytest.mark.parametrize("problem", [condorcet_cycle(5), random_bradley_terry(4, rng=1)])
def test_play_follows_the_matrix(problem: MatrixProblem) -> None:
    rng, rounds = np.random.default_rng(11), 4000
    for left, right in np.argwhere(~np.eye(problem.k, dtype=bool)):
        outcomes = [problem.play(Duel(left, right), rng) for _ in range(rounds)]
        assert set(outcomes) <= {LEFT_WINS, RIGHT_WINS}
        p = problem.matrix[left, right]
        assert abs(np.mean(outcomes) - p) <= 5 * np.sqrt(p * (1 - p) / rounds)


def test_certain_duels_have_certain_outcomes() -> None:
    problem, rng = MatrixProblem([[0.5, 1.0], [0.0, 0.5]]), np.random.default_rng(0)
    assert {problem.play(Duel(0, 1), rng) for _ in range(100)} == {LEFT_WINS}
    assert {problem.play(Duel(1, 0), rng) for _ in range(100)} == {RIGHT_WINS}


def test_equal_seeds_give_equal_outcomes() -> None:
    problem = MatrixProblem(MATRIX)

    def outcomes(rng: np.random.Generator) -> list[float]:
        return [problem.play(Duel(0, 2), rng) for _ in range(50)]

    assert outcomes(np.random.default_rng(5)) == outcomes(np.random.default_rng(5))


def test_an_arm_ties_with_itself_without_a_draw() -> None:
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    assert MatrixProblem(MATRIX).play(Duel(1, 1), rng) == TIE
    assert rng.bit_generator.state == before


@pytest.mark.parametrize(
    ("duel", "facts"),
    [
        (Duel(3, 0), ("left", 3, 0, 2)),
        (Duel(0, -1), ("right", -1, 0, 2)),
        (Duel("a", 0), ("left", "a", 0, 2)),
        (Duel(7, 7), ("left", 7, 0, 2)),
        (Duel(0, 1.0), ("right", 1.0, 0, 2)),
    ],
)
def test_a_duel_outside_the_menu_is_refused_without_a_draw(duel: Duel, facts: tuple[object, ...]) -> None:
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    with refused(OutcomeError, *facts):
        MatrixProblem(MATRIX).play(duel, rng)
    assert rng.bit_generator.state == before


def test_a_subset_keeps_preferences_names_and_counts() -> None:
    counts = np.arange(9.0).reshape(3, 3)
    problem = MatrixProblem(MATRIX, "abc", counts).subset(["c", 0])
    assert problem.labels == ("c", "a")
    assert_array_equal(problem.matrix, [[0.5, 0.2], [0.8, 0.5]])
    assert_array_equal(problem.counts, [[8, 6], [2, 0]])


@given(problems(), st.data())
def test_a_subset_by_index_is_the_subset_by_name(problem: MatrixProblem, data: st.DataObject) -> None:
    arms = data.draw(st.lists(st.sampled_from(range(problem.k)), min_size=2, unique=True))
    by_index, by_name = problem.subset(arms), problem.subset([problem.labels[arm] for arm in arms])
    assert by_index.labels == by_name.labels
    assert_array_equal(by_index.matrix, by_name.matrix)
    assert_array_equal(by_index.matrix, problem.matrix[np.ix_(arms, arms)])


def test_a_subset_of_unknown_arms_is_refused() -> None:
    problem = MatrixProblem(MATRIX, ["dense", "bm25", "random"])
    with refused(UnknownNameError, "arm", "bm24", "bm25"):
        problem.subset(["dense", "bm24"])
    with refused(ParameterError, "arm", 0, 2, -1):
        problem.subset([0, -1])
    with refused(PreferenceError, "labels[1]", "dense", "arm 0"):
        problem.subset([0, "dense"])
    with refused(PreferenceError, "matrix", "1 arm", 2):
        problem.subset([0])


def test_counts_of_wins_are_estimated() -> None:
    problem = MatrixProblem.from_wins([[0, 3], [1, 0]], labels="ab", prior=1.0)
    assert problem.matrix[0, 1] == 4 / 6
    assert_array_equal(problem.counts, [[0, 4], [4, 0]])
    with refused(PreferenceError, "matrix", "MatrixProblem.from_wins"):
        MatrixProblem([[0, 3], [1, 0]])
