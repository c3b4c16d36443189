"""Rankings of several arms, read as a vote for every two of them."""

import gzip
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from refusals import names, refused
from votes.tallies import tally_of

from duelist import MatrixProblem, Study, Votes, load_votes, ratings
from duelist.errors import FileError, PreferenceError
from duelist.votes import count

WINS = "a>b 1; a>c 2; b>a 1; b>c 1; b=c 1"
"""Of a > b = c and b > a > c."""
LISTS = [["a", ["b", "c"]], ("b", "a", "c")]
FILES = [
    "voter,ranking\nann,a > b = c\nbob,b>a>c\n",
    'voter,ranking\nann,"a > c = b"\nbob,"b, a, c"\n',
    "ranking;Voter\na>b=c;ann\nb,a,c;bob\n",
    '{"voter": "ann", "ranking": ["a", ["b", "c"]]}\n{"voter": "bob", "ranking": "b > a > c"}\n',
    "voter,rank:a,rank:b,rank:c\nann,1,2,2\nbob,2,1,3\n",
    "voter,Rank: c,rank:a,rank:b,age\nann,5,1,5,33\nbob,3,1.5,1,44\n",
    "voter;rank:a;rank:b;rank:c\nann;1;2,5;2,5\nbob;2;1;3\n",
    '{"voter": "ann", "rank:a": 1, "rank:b": 2, "rank:c": 2}\n'
    '{"voter": "bob", "rank:c": 3, "rank:a": 2, "rank:b": 1}',
]


@pytest.mark.parametrize("text", FILES)
def test_rankings_are_read_in_every_spelling(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rankings"
    path.write_text(text)
    votes = load_votes(path)
    assert repr(votes) == "Votes(6 votes, 1 tie, 3 arms, 2 voters, 2 rankings)"
    assert tally_of(votes) == WINS
    assert votes.voters is not None
    assert votes.rankings is not None
    assert votes.voters.tolist() == ["ann"] * 3 + ["bob"] * 3
    assert [len(set(votes.rankings.codes[part])) for part in (slice(3), slice(3, 6))] == [1, 1]
    assert_array_equal(MatrixProblem.from_votes(votes).counts, np.full((3, 3), 2) - 2 * np.eye(3))


@pytest.mark.parametrize("suffix", [".soc", ".soi", ".toc", ".toi", ".toc.gz"])
def test_ballots_of_preflib_are_rankings(tmp_path: Path, suffix: str) -> None:
    names = "".join(f"# ALTERNATIVE NAME {index}: {arm}\n" for index, arm in enumerate("abc", start=1))
    text = f"# FILE NAME: x{suffix}\n{names}1: 1,{{2,3}}\n2: 2, 1, 3\n".encode()
    path = tmp_path / f"x{suffix}"
    path.write_bytes(gzip.compress(text, mtime=0) if suffix.endswith(".gz") else text)
    assert tally_of(load_votes(path)) == "a>b 1; a>c 3; b>a 2; b>c 2; b=c 1"


@pytest.mark.parametrize(
    "rows",
    [
        [{"ranking": ranking} for ranking in LISTS],
        {"ranking": [np.array(["a", ["b", "c"]], dtype=object), np.array(["b", "a", "c"])]},
        pd.DataFrame({"ranking": ["a > b = c", "b > a > c"]}),
        pa.table({"ranking": [[["a"], ["b", "c"]], [["b"], ["a"], ["c"]]]}),
        pd.DataFrame({"rank:a": [1, 2], "rank:b": [2, 1], "rank:c": [2.0, 3.0]}),
        [{"rank:a": 1, "rank:b": 2, "rank:c": 2}, {"rank:b": 1, "rank:c": 3, "rank:a": 2}],
    ],
)
def test_rankings_in_memory_are_read_like_a_file(rows: Any) -> None:
    assert tally_of(load_votes(rows)) == WINS


@pytest.mark.parametrize(
    ("rows", "expected", "remark"),
    [
        (
            {"rank:a": [1, 1], "rank:b": [None, 2], "count": [10**9, 3]},
            "a>b 3",
            "1,000,000,000 rankings",
        ),
        (
            [{"rank:a": 1, "rank:b": 2}, {"rank:c": 1, "rank:a": 2}],
            "a>b 1; c>a 1",
            "2 rankings",
        ),
        (
            {"ranking": ["a > b > c", "c > a", "b = a"], "count": [2, 0, 1]},
            "a>b 2; a>c 2; b>c 2; a=b 1",
            "1 ranking",
        ),
        (
            {"rank:a": [2, None, None], "rank:b": [None, 1, 3], "rank:c": [1, None, 3]},
            "c>a 1; b=c 1",
            "1 ranking",
        ),
    ],
)
def test_what_was_not_ranked_is_not_compared(rows: Any, expected: str, remark: str) -> None:
    votes = load_votes(rows)
    assert tally_of(votes) == expected
    assert votes.notes is not None
    assert names(" ".join(votes.notes.remarks), remark)


def test_what_was_not_ranked_may_be_last() -> None:
    assert tally_of(load_votes({"ranking": ["a > b", "c > d"]}, unranked="last")) == (
        "a>b 1; a>c 1; a>d 1; b>c 1; b>d 1; c>a 1; c>b 1; c>d 1; d>a 1; d>b 1; a=b 1; c=d 1"
    )


def test_the_most_votes_are_of_the_whole_table(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"ranking": ["a > b > c"] * 1_200}
    assert len(load_votes(rows)) == 3_600
    monkeypatch.setattr("duelist.votes.rankings.MOST_VOTES", 3_599)
    with refused(PreferenceError, "3,599"):
        load_votes(rows)


@pytest.mark.parametrize(
    "ranking",
    [None, 3, "a", [["a"]], [], ["a", None], ["a", {"b": 1}], ["1", 1], ["a", "b\nc"], ["a", []], "a >= b"],
)
def test_what_is_no_ranking_is_refused(ranking: Any) -> None:
    with refused(PreferenceError, "record 2", "ranking"):
        load_votes({"ranking": ["a > b", ranking]})


def test_a_matrix_of_an_arm_called_ranking_is_a_matrix(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    for text in ("ranking,b\n0.5,0.7\n0.3,0.5\n", ",ranking,rank:b\nranking,0.5,0.7\nrank:b,0.3,0.5\n"):
        path.write_text(text)
        problem = MatrixProblem.from_csv(path)
        assert (problem.labels[0], problem.matrix[0, 1]) == ("ranking", 0.7)


def test_votes_come_before_rankings() -> None:
    columns = {"left": ["a"], "right": ["b"], "outcome": ["left"], "ranking": ["b > a"], "rank:left": [2]}
    assert tally_of(load_votes(columns)) == "a>b 1"
    assert tally_of(load_votes(columns, columns={"ranking": "ranking"})) == "b>a 1"


@given(st.lists(st.lists(st.integers(1, 4), min_size=4, max_size=4), min_size=1, max_size=8))
def test_both_forms_count_what_an_obvious_version_counts(rows: list[list[int]]) -> None:
    arms, wins, lists = "abcd", np.zeros((4, 4)), []
    for ranks in rows:
        for i, j in combinations(range(4), 2):
            wins[i, j] += (ranks[i] < ranks[j]) + 0.5 * (ranks[i] == ranks[j])
            wins[j, i] += (ranks[j] < ranks[i]) + 0.5 * (ranks[i] == ranks[j])
        levels = [[arm for arm, at in zip(arms, ranks, strict=True) if at == rank] for rank in range(1, 5)]
        lists.append([level for level in levels if level])
    ranked = {f"rank:{arm}": list(column) for arm, column in zip(arms, zip(*rows, strict=True), strict=True)}
    for source in ({"ranking": lists}, ranked):
        assert_array_equal(count(load_votes(source)).scores, wins)


def test_votes_of_one_ranking_are_rated_together() -> None:
    rng = np.random.default_rng(5)
    strength = np.array([0.6, 0.3, 0.0, -0.4])
    orders = np.argsort(-(strength + rng.gumbel(size=(60, 4))), axis=1)
    rows = [{"ranking": ["abcd"[arm] for arm in order]} for order in orders]
    votes = load_votes(rows)
    named = load_votes([{**row, "voter": f"v{index}"} for index, row in enumerate(rows)])
    together, by_voter = ratings.fit_bradley_terry(votes), ratings.fit_bradley_terry(named, clusters="voter")
    apart = ratings.fit_bradley_terry(Votes.from_counts(count(votes).scores, arms=votes.arms))
    assert_allclose(together.rating, apart.rating)
    assert_allclose(together.covariance, by_voter.covariance, rtol=1e-9)
    assert not np.allclose(together.covariance, apart.covariance, rtol=0.01)


def test_a_study_takes_rankings_once() -> None:
    votes = load_votes(
        [{"voter": "ann", "item": "q", "ranking": "a > b = c"}, {"ranking": "a > b"}, {"ranking": "a > b"}]
    )
    study = Study(arms=votes.arms, seed=0)
    assert (study.import_votes(votes), study.import_votes(votes)) == (5, 0)
    assert [(vote.item, vote.outcome) for vote in study.votes()] == [
        *(("q", outcome) for outcome in ("left", "left", "tie")),
        *((None, "left") for _ in range(2)),
    ]


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rankings.csv"
    path.write_text("ranking\na > b\n\nb > b\n")
    with refused(FileError, "rankings.csv", "line 4", "ranking"):
        load_votes(path)
