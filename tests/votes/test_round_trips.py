"""What is written is read back as the same table, whatever it holds."""

import random
import tempfile
from math import nan
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from refusals import refused
from votes.tallies import tally_of

from duelist import MatrixProblem, Votes, load_votes
from duelist.errors import PreferenceError
from duelist.votes import count
from duelist.votes.building import AMBIGUOUS
from duelist.votes.table import RESERVED
from duelist.votes.writing import as_csv, as_lines, write_counts, write_matrix

LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"])
HOSTILE = st.sampled_from(
    [
        *(
            "left",
            "Right",
            "tie",
            "winner",
            "loser",
            "model_a",
            "outcome",
            "status",
            "count",
            "ranking",
            "rank:a",
        ),
        *(
            "=1+1",
            "'-x",
            "#f00",
            "#",
            "sep=;",
            "a,b",
            'c"d',
            "a;b|c",
            "[x]",
            "{x}",
            "<x>",
            "\ufeffa",
            "a\u200b",
        ),
        *("0", "1", "0.5", "1-0", "A", "a", "None", "nan"),
    ]
)
NAMES = HOSTILE | st.text(LETTERS, min_size=1, max_size=6).map(lambda name: normalize("NFC", name)).filter(
    lambda name: name == name.strip()
)
ARMS = st.lists(NAMES, min_size=2, max_size=5, unique=True)
MAYBE = st.none() | NAMES
OUTCOMES = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.0, 1.0)
EXTRAS = NAMES.filter(lambda name: name.casefold() not in RESERVED)


@st.composite
def tables(draw: st.DrawFn) -> Votes:
    arms = draw(ARMS)
    k, n = len(arms), draw(st.integers(0, 6))
    pairs = draw(st.lists(st.permutations(range(k)), min_size=n, max_size=n))

    def column(values: st.SearchStrategy[Any]) -> Any:
        return draw(st.none() | st.lists(values, min_size=n, max_size=n))

    names = draw(st.lists(EXTRAS, max_size=2, unique_by=str.casefold))
    return Votes(
        arms,
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        draw(st.lists(OUTCOMES, min_size=n, max_size=n)),
        column(st.integers(1, 10**15)),
        voters=column(MAYBE),
        items=column(MAYBE),
        tickets=draw(st.none() | st.lists(NAMES, min_size=n, max_size=n, unique=True)),
        times=column(st.just(nan) | st.floats(-5e10, 2.4e11)),
        rankings=column(MAYBE),
        statuses=column(st.sampled_from([0, 1, 2])),
        weights=column(st.floats(0.0, 1e300)),
        extras={name: draw(st.lists(MAYBE, min_size=n, max_size=n)) for name in names},
        initial_arms=draw(st.none() | st.integers(0, k)),
        retired=draw(st.sets(st.integers(0, k - 1))),
        changed=draw(st.sampled_from([None, True])),
    )


def read_back(votes: Votes, content: bytes) -> Votes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes"
        path.write_bytes(content)
        return load_votes(path, extras=list(votes.extras), arms=votes.arms)


@given(tables())
@example(Votes(["right", "left"], [0], [1], [1.0]))
@example(Votes(["a", "b", "idle"], [], [], [], initial_arms=2, retired=[0]))
@example(Votes(["a", "b"], [0], [1], [0.8], extras={"winner": ["b"], "label": ["1"]}))
def test_a_table_is_read_back(votes: Votes) -> None:
    assert read_back(votes, b"".join(as_csv(votes))) == votes
    assert read_back(votes, b"".join(as_lines(votes))) == votes
    frame = votes.to_frame()
    assert load_votes(frame, extras=list(votes.extras), arms=votes.arms) == votes
    assert load_votes(frame, extras=list(votes.extras), arms=votes.arms).notes is not None


@given(tables().filter(lambda votes: votes.voters is None), st.randoms())
def test_the_order_of_rows_does_not_matter_where_no_voter_repeats(
    votes: Votes, shuffler: random.Random
) -> None:
    rows = shuffler.sample(range(len(votes.left)), len(votes.left))
    again = read_back(votes, b"".join(as_csv(votes.take(np.array(rows, np.int64)))))
    for one, other in zip(vars(count(votes)).values(), vars(count(again)).values(), strict=True):
        assert_allclose(one, other, rtol=1e-12)


@st.composite
def wins(draw: st.DrawFn) -> tuple[Any, list[str]]:
    arms = draw(
        st.lists(
            NAMES.filter(lambda name: name.casefold() not in AMBIGUOUS), min_size=2, max_size=5, unique=True
        )
    )
    k = len(arms)
    won = np.array(draw(st.lists(st.integers(0, 1000), min_size=k * k, max_size=k * k))).reshape(k, k)
    tied = np.triu(
        np.array(draw(st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k))).reshape(k, k), 1
    )
    return (won * (1 - np.eye(k)) + (tied + tied.T) / 2), arms


@given(wins())
def test_counts_and_matrices_are_read_back(given: tuple[Any, list[str]]) -> None:
    won, arms = given
    problem = MatrixProblem.from_wins(won, arms)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.csv"
        again = MatrixProblem.from_csv(problem.to_csv(path))
        assert again.labels == problem.labels
        assert_array_equal(again.matrix, problem.matrix)
        if not won.any():
            return
        for written in (problem.to_votes(path), write_counts(path, won, tuple(arms))):
            votes = load_votes(written, arms=arms)
            assert_allclose(count(votes).scores, won)
            assert_array_equal(count(votes).ties % 2, (2 * won) % 2)
        if won.max() > 1:
            assert_array_equal(count(load_votes(write_matrix(path, won, tuple(arms)))).scores, won)


def test_shares_of_counts_are_written_as_the_votes_that_they_were(tmp_path: Path) -> None:
    for played in range(1, 200):
        problem = MatrixProblem.from_wins([[0, 1], [played, 0]], "ab")
        if played % 40 == 0:
            assert tally_of(load_votes(problem.to_votes(tmp_path / "v.csv"))) == f"a>b 1; b>a {played}"


@pytest.mark.parametrize(
    ("problem", "fact"),
    [
        (MatrixProblem([[0.5, 0.9], [0.1, 0.5]]), "counts"),
        (MatrixProblem.from_wins([[0, 0.3], [0.7, 0]]), "wins[0, 1] is 0.3"),
        (MatrixProblem.from_wins([[0, 1], [0, 0]], ["a", "Tie"]), "'Tie'"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(
    tmp_path: Path, problem: MatrixProblem, fact: str
) -> None:
    with refused(PreferenceError, fact):
        problem.to_votes(tmp_path / "votes.csv")
    assert list(tmp_path.iterdir()) == []


def test_files_are_written_with_quoted_names(tmp_path: Path) -> None:
    matrix = write_matrix(tmp_path / "p.csv", np.array([[0.5, 0.6], [0.4, 0.5]]), ("a", "b"))
    assert matrix.read_text() == '"","a","b"\n"a",0.5,0.6\n"b",0.4,0.5\n'
    votes = write_counts(tmp_path / "v.csv", np.array([[0.0, 3.0], [1.0, 0.0]]), ("a", "b"))
    assert votes.read_text() == '"winner","loser","count"\n"a","b",3.0\n"b","a",1.0\n'
