"""Rankings of several arms, read as a vote for every two of them."""

import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from duelist import MatrixProblem, Study, Votes, load_votes, ratings
from duelist.errors import FileError, PreferenceError
from duelist.votes import rankings

WINS = [[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [0.0, 0.5, 0.0]]
"""Of a > b = c and b > a > c."""
SPELLINGS = [
    "voter,ranking\nann,a > b = c\nbob,b>a>c\n",
    'voter,ranking\nann,"a > c = b"\nbob,"b, a, c"\n',
    "ranking;Voter\na>b=c;ann\nb,a,c;bob\n",
    '{"voter": "ann", "ranking": ["a", ["b", "c"]]}\n{"voter": "bob", "ranking": "b > a > c"}\n',
    "voter,rank:a,rank:b,rank:c\nann,1,2,2\nbob,2,1,3\n",
    "voter,Rank: c,rank:a,rank:b,age\nann,5,1,5,33\nbob,3,1.5,1,44\n",
]


def written(folder: Path, text: str) -> Path:
    path = folder / "rankings.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", SPELLINGS)
def test_rankings_are_read_in_every_spelling(tmp_path: Path, text: str) -> None:
    votes = load_votes(written(tmp_path, text))
    assert repr(votes) == "Votes(6 votes, 1 tie, 3 arms, 2 voters, 2 rankings)"
    assert_array_equal(votes.wins(), WINS)
    assert votes.voters is not None
    assert votes.rankings is not None
    assert votes.voters.tolist() == ["ann"] * 3 + ["bob"] * 3
    assert len(set(votes.rankings[:3])) == len(set(votes.rankings[3:])) == 1
    assert_array_equal(
        MatrixProblem.from_csv(tmp_path / "rankings.csv").counts, np.full((3, 3), 2) - 2 * np.eye(3)
    )


@pytest.mark.parametrize(
    "rows",
    [
        [{"ranking": ["a", ["b", "c"]]}, {"ranking": ("b", "a", "c")}],
        [{"rank:a": 1, "rank:b": 2, "rank:c": 2}, {"rank:b": 1, "rank:c": 3, "rank:a": 2}],
        pd.DataFrame({"ranking": ["a > b = c", "b > a > c"]}),
        pd.DataFrame({"rank:a": [1, 2], "rank:b": [2, 1], "rank:c": [2.0, 3.0]}),
    ],
)
def test_rankings_in_memory_are_read_like_a_file(rows: Any) -> None:
    assert_array_equal(load_votes(rows).wins(), WINS)


def test_a_ranking_of_one_arm_holds_no_votes_however_often_it_was_given() -> None:
    votes = load_votes({"rank:a": [1, 1], "rank:b": [None, 2], "count": [10**12, 3]})
    assert len(votes) == 3


def test_an_arm_that_comes_late_is_not_passed_over() -> None:
    votes = load_votes([{"rank:a": 1, "rank:b": 2}, {"rank:c": 1, "rank:a": 2}])
    assert votes.arms == ("a", "b", "c")
    assert_array_equal(votes.wins(), [[0, 1, 0], [0, 0, 0], [1, 0, 0]])


def test_what_was_not_ranked_is_not_compared(tmp_path: Path) -> None:
    votes = load_votes(written(tmp_path, "voter,rank:a,rank:b,rank:c\nann,2,,1\nbob,,1,\neve,,,\njoe,,3,3\n"))
    assert_array_equal(votes.wins(), [[0, 0, 0], [0, 0, 0.5], [1, 0.5, 0]])
    assert votes.voters is not None
    assert votes.voters.tolist() == ["ann", "joe"]


def test_a_ranking_given_twice_is_two_rankings(tmp_path: Path) -> None:
    votes = load_votes(written(tmp_path, "ranking,count,item\na > b > c,2,q1\nc > a,0,q2\nb = a,1,q3\n"))
    assert repr(votes) == "Votes(7 votes, 1 tie, 3 arms, 2 items, 3 rankings)"
    assert_array_equal(votes.wins(), [[0, 2.5, 2], [0.5, 0, 2], [0, 0, 0]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "ranking\na > b\na b c\n",
            "line 3, column \"ranking\": 'a b c' is no ranking of two arms or more",
        ),
        ("voter,ranking\nann,\n", "line 2, column \"ranking\": '' is no ranking of two arms"),
        ("voter,ranking\nann,3\n", "line 2, column \"ranking\": '3' is no ranking of two arms"),
        ("ranking\na > > b\n", "'a > > b' is no ranking"),
        ("ranking\na >= b\n", "'a >= b' is no ranking"),
        ("ranking\na > b >\n", "'a > b >' is no ranking"),
        ("ranking\na < b\n", "'a < b' can be read in more than one way"),
        ('ranking\n"a > b, c"\n', "'a > b, c' can be read in more than one way"),
        ("ranking\n\"['a', 'b']\"\n", "can be read in more than one way"),
        ("ranking\na > b = a\n", "'a' stands 2 times in one ranking; name every arm once"),
        ("ranking\na > tie\n", "line 2, column \"ranking\": 'tie' is a tie, not an arm"),
        ("ranking,count\na > b,1.5\n", "line 2, column \"count\": '1.5' is not a number of rankings"),
        ("ranking,count\na > b,-1\n", "'-1' is not a number of rankings"),
        ("ranking,count\na > b,0\n", "the table holds no comparison"),
        ("ranking,count\na > b,10000001\n", "more than 10,000,000 votes between two arms"),
        ("ranking\n", "no comparison follows the header"),
        ("ranking,rank:a\na > b,1\n", 'line 1: a column is called "ranking" and another "rank:a"; give one'),
        ("rank:a,voter\n1,ann\n", r"line 1: the columns of ranks are \['rank:a'\]; give at least two"),
        ("rank:a,rank:a\n1,2\n", "called rank: and the name of another arm"),
        ("rank:a,rank:\n1,2\n", "called rank: and the name of another arm"),
        ("rank:a,rank:b\n1,2\n0,1\n", "line 3, column \"rank:a\": '0' is no rank; give 1 for the best"),
        ("rank:a,rank:b\n1,best\n", "'best' is no rank"),
        ("rank:a,rank:b\n1,\n", "the table holds no comparison"),
        ('{"rank:a": 1, "rank:b": 2}\n', "line 1: in JSON lines, give each ranking as a list"),
        ('{"ranking": [["a"]]}\n', "is no ranking of two arms"),
        ('{"ranking": ["a", {"b": 1}]}\n', "line 1, column \"ranking\": {'b': 1} is not a name"),
        ('{"ranking": ["1", 1]}\n', 'line 1, column "ranking": 1 is in column "ranking" too'),
    ],
)
def test_what_could_be_misread_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        load_votes(written(tmp_path, text))


def test_the_most_votes_are_of_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "ranking\n" + "a > b > c\n" * 1_200)
    assert len(load_votes(path)) == 3_600
    monkeypatch.setattr("duelist.votes.tables.MOST_VOTES", 3_599)
    with pytest.raises(FileError, match="the rankings hold more than"):
        load_votes(path)


def test_a_matrix_of_an_arm_called_ranking_is_a_matrix(tmp_path: Path) -> None:
    for text in ("ranking,b\n0.5,0.7\n0.3,0.5\n", ",ranking,b\nranking,0.5,0.7\nb,0.3,0.5\n"):
        problem = MatrixProblem.from_csv(written(tmp_path, text))
        assert problem.labels == ("ranking", "b")
        assert problem.matrix[0, 1] == 0.7


def test_a_table_that_is_read_today_is_read_as_before(tmp_path: Path) -> None:
    votes = load_votes(written(tmp_path, "left,right,outcome,ranking,rank:left\na,b,left,b > a,2\n"))
    assert_array_equal(votes.wins(), [[0, 1], [0, 0]])
    assert votes.rankings is None


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.integers(1, 4), min_size=4, max_size=4), min_size=1, max_size=8))
def test_both_forms_count_what_an_obvious_version_counts(rows: list[list[int]]) -> None:
    arms, wins = "abcd", np.zeros((4, 4))
    lines = ["ranking"]
    for ranks in rows:
        for i, j in combinations(range(4), 2):
            wins[i, j] += (ranks[i] < ranks[j]) + 0.5 * (ranks[i] == ranks[j])
            wins[j, i] += (ranks[j] < ranks[i]) + 0.5 * (ranks[i] == ranks[j])
        levels = [[arm for arm, at in zip(arms, ranks, strict=True) if at == rank] for rank in range(1, 5)]
        lines.append(" > ".join(" = ".join(level) for level in levels if level))
    table = [",".join(f"rank:{arm}" for arm in arms), *(",".join(map(str, ranks)) for ranks in rows)]
    for text in (lines, table):
        with tempfile.TemporaryDirectory() as folder:
            assert_array_equal(load_votes(written(Path(folder), "\n".join(text))).wins(), wins)


def test_votes_of_one_ranking_are_rated_together() -> None:
    rng = np.random.default_rng(5)
    strength = np.array([0.6, 0.3, 0.0, -0.4])
    orders = np.argsort(-(strength + rng.gumbel(size=(60, 4))), axis=1)
    rows = [{"ranking": ["abcd"[arm] for arm in order]} for order in orders]
    votes = load_votes(rows)
    named = load_votes([{**row, "voter": f"v{place}"} for place, row in enumerate(rows)])
    together, by_voter = ratings.bradley_terry(votes), ratings.bradley_terry(named, clusters="voter")
    apart = ratings.bradley_terry(Votes.from_counts(votes.wins(), arms=votes.arms))
    assert_allclose(together.rating, apart.rating)
    assert_allclose(together.covariance, by_voter.covariance, rtol=1e-9)
    assert not np.allclose(together.covariance, apart.covariance, rtol=0.01)


def test_few_rankings_give_ratings_without_intervals() -> None:
    votes = load_votes([{"ranking": "a > b > c"}, {"ranking": "c > b > a"}, {"ranking": "b > c > a"}])
    with pytest.raises(PreferenceError, match=r"3 rankings cannot tell .* need more than 3; collect more"):
        ratings.bradley_terry(votes)
    assert ratings.bradley_terry(votes, intervals="none").arms == ("a", "b", "c")


def test_a_study_takes_rankings_once() -> None:
    votes = load_votes(
        [{"voter": "ann", "item": "q", "ranking": "a > b = c"}, {"ranking": "a > b"}, {"ranking": "a > b"}]
    )
    study = Study(arms=votes.arms, seed=0)
    assert study.import_votes(votes) == 5
    assert study.import_votes(votes) == 0
    assert [vote.item for vote in study.votes()] == ["q", "q", "q", None, None]
    assert [vote.outcome for vote in study.votes()] == ["left", "left", "tie", "left", "left"]
    assert_array_equal(load_votes(study.votes()).wins(), votes.wins())


def test_a_ranking_is_cited_where_a_list_is_no_ranking() -> None:
    with pytest.raises(PreferenceError, match='record 2, column "ranking": None is no ranking'):
        load_votes({"ranking": ["a > b", None]})
    assert rankings.as_levels(("a", ("b", "c"))) == [["a"], ["b", "c"]]


@pytest.mark.parametrize(
    "columns",
    [
        {"ranking": ["a > b"], "voter": []},
        {"ranking": ["a > b", "b > a"], "count": [1]},
        {"rank:a": [1, 2], "rank:b": [2]},
    ],
)
def test_columns_of_different_lengths_are_refused(columns: dict[str, Any]) -> None:
    with pytest.raises(PreferenceError, match=r"the columns have \d to \d rows; give each as many"):
        load_votes(columns)


@pytest.mark.parametrize("columns", [{"ranking": 3}, {"winner": 3, "loser": 4}])
def test_a_column_that_is_none_is_refused(columns: dict[str, Any]) -> None:
    with pytest.raises(PreferenceError, match="a column is 3; give a list of its fields"):
        load_votes(columns)
