import gzip
import random
import tempfile
from math import nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from real_data import VOTES, needs_votes

from duelist import RUCB, Duel, MatrixProblem, Study, Votes, load_votes
from duelist.errors import FileError, PreferenceError

SPELLINGS = [
    "left,right,outcome\nx,y,left\ny,x,left\ny,x,tie\nx,z,right\n",
    "right;Left;OUTCOME\ny;x;1\nx;y;1.0\nx;y;0.5\nz;x;0\n",
    "left\tright\twinner\nx\ty\tx\ny\tx\ty\ny\tx\ttie\nx\tz\tz\n",
    "model_a,model_b,winner\nx,y,model_a\ny,x,model_a\ny,x,tie (bothbad)\nx,z,model_b\n",
    "player_a,player_b,winner,turn\nx,y,x,1\ny,x,y,2\ny,x,Draw,3\nx,z,z,4\n",
    '{"left": "x", "right": "y", "outcome": 1}\n{"left": "y", "right": "x", "outcome": "left"}\n'
    '{"outcome": 0.5, "left": "y", "right": "x"}\n{"left": "x", "right": "z", "outcome": "right"}\n',
]
WINS = [[0.0, 1.5, 0.0], [1.5, 0.0, 0.0], [1.0, 0.0, 0.0]]


class Polars:
    """A frame whose columns are lists, as those of polars can be turned into."""

    def __init__(self, content: dict[str, list[str]]) -> None:
        self.content = content
        self.columns = list(content)

    def __getitem__(self, name: str) -> Any:
        return SimpleNamespace(to_list=lambda: self.content[name])


def written(folder: Path, text: str, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["votes.csv", "votes.csv.gz"])
@pytest.mark.parametrize("text", SPELLINGS)
def test_votes_are_read_in_every_spelling(tmp_path: Path, text: str, name: str) -> None:
    votes = load_votes(written(tmp_path, text, name))
    assert votes.arms == ("x", "y", "z")
    left, right = ([0, 1, 1, 0], [1, 0, 0, 2])
    assert (votes.left.tolist(), votes.right.tolist()) == (left, right)
    assert votes.outcomes.tolist() == [1.0, 1.0, 0.5, 0.0]
    assert votes.counts.tolist() == [1, 1, 1, 1]
    assert votes.voters is None
    assert votes.items is None
    assert_array_equal(votes.wins(), WINS)


@pytest.mark.parametrize(
    "text",
    [
        "winner,loser,count\nx,y,1\ny,x,1\nx,y,0.5\ny,x,0.5\nz,x,1\ny,z,0\n",
        ",x,y,z\nx,0,1.5,0\ny,1.5,0,0\nz,1,0,0\n",
    ],
)
def test_half_wins_each_way_are_ties(tmp_path: Path, text: str) -> None:
    votes = load_votes(written(tmp_path, text))
    assert votes.arms == ("x", "y", "z")
    wins, ties = votes.tallies()
    assert wins.tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0]]
    assert ties.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_voters_items_and_counts_are_kept(tmp_path: Path) -> None:
    text = "item,judge,left,right,outcome,count\n7,ann,b,a,left,2\n7,,a,b,tie,0\nq 8, bob ,a,b,tie,3\n"
    votes = load_votes(written(tmp_path, text), voter="judge")
    assert repr(votes) == "Votes(5 votes, 3 ties, 2 arms, 2 voters, 2 items)"
    assert votes.voters is not None
    assert votes.items is not None
    assert votes.voters.tolist() == ["ann", "bob"]
    assert votes.items.tolist() == ["7", "q 8"]
    assert votes.counts.tolist() == [2, 3]
    assert load_votes(written(tmp_path, text)).voters is None


def test_what_is_missing_is_an_empty_text() -> None:
    frame = pd.DataFrame(
        {"left": ["a", "b", "a"], "right": ["b", "a", "b"], "outcome": [1, 0, 0.5], "voter": ["v", None, nan]}
    )
    votes = load_votes(frame)
    assert votes.voters is not None
    assert votes.voters.tolist() == ["v", "", ""]


@pytest.mark.parametrize("spelling", ["frame", "columns", "rows", "polars"])
def test_votes_in_memory_are_read_like_a_file(spelling: str) -> None:
    columns = {"one": ["x", "y", "y", "x"], "two": ["y", "x", "x", "z"], "who": ["one", "y", "tie", "two"]}
    frame = pd.DataFrame(columns)
    arrays = {name: np.array(column) for name, column in columns.items()}
    tables: dict[str, Any] = {
        "frame": frame,
        "columns": arrays,
        "rows": frame.to_dict("records"),
        "polars": Polars(columns),
    }
    votes = load_votes(tables[spelling], a="one", b="two", winner="who")
    assert votes.arms == ("x", "y", "z")
    assert_array_equal(votes.wins(), WINS)


def test_rows_of_winners_and_losers_are_votes() -> None:
    votes = load_votes([("b", "a", 3), ("a", "b"), ("c", "a", 2)])
    assert votes.arms == ("a", "b", "c")
    assert_array_equal(votes.wins(), [[0, 1, 0], [3, 0, 0], [2, 0, 0]])


def test_the_record_of_a_study_is_read_without_what_was_taken_back() -> None:
    study = Study(RUCB(), arms=["b", "a", "c"])
    study.tell(Duel("a", "b"), "right", voter="ann")
    study.tell(Duel("c", "a"), "tie")
    study.tell(Duel("c", "b"), "left")
    study.retract(next(vote.ticket for vote in study.votes() if vote.left == "c" and vote.right == "b"))
    study.skip(study.ask())
    rows = study.votes(all=True)
    assert sorted(vote.status for vote in rows) == ["counted", "counted", "retracted", "skipped"]
    votes = load_votes(rows)
    assert votes.arms == ("a", "b", "c")
    assert_array_equal(votes.wins(), [[0, 0, 0.5], [1, 0, 0], [0.5, 0, 0]])
    assert votes.voters is not None
    assert votes.voters.tolist() == ["ann", ""]
    frame = load_votes(pd.DataFrame(rows))
    assert_array_equal(frame.wins(), votes.wins())


def test_numbers_in_an_outcome_are_no_arms(tmp_path: Path) -> None:
    votes = load_votes(written(tmp_path, "left,right,outcome\n0,1,1\n1,0,1\n10,9,0\n"))
    assert votes.arms == ("0", "1", "9", "10")
    assert_array_equal(votes.wins()[:2, :2], [[0, 1], [1, 0]])
    assert votes.wins()[2, 3] == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "left,right,outcome\na,b,won\n",
            "line 2, column \"outcome\": 'won' is no outcome; give left, right",
        ),
        ("left,right,outcome\na,b,\n", "line 2, column \"outcome\": '' is no outcome"),
        ("left,right,outcome\na,a,tie\n", 'line 2, column "right": \'a\' is in column "left" too'),
        (
            "left,right,outcome,status\na,b,left,skipped\na,b,x,counted\n",
            "line 3, column .outcome.: 'x' is no",
        ),
        ("left,right,outcome,status\na,b,,skipped\n", "the table holds no comparison"),
        ("0.5,0.7\n0.3,0.5\n", r"votes\.csv: these are chances, not votes; give votes under a header"),
        ("winner,loser,count\na,b,2.5\n", r"votes\.csv: wins\[0, 1\] is 2.5; give whole numbers of votes"),
        ("winner,loser,count\na,b,.3\n", r"votes\.csv: wins\[0, 1\] is 0.3; give whole numbers of votes"),
        (
            "winner,loser,count,voter\na,b,.5,x\n",
            "counts of voters or items must be whole numbers; write each",
        ),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        load_votes(written(tmp_path, text))


def test_a_damaged_gzipped_file_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, SPELLINGS[0], "votes.csv.gz")
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(FileError, match=r"votes.csv.gz: the gzipped file is damaged \(.*\); make it anew"):
        load_votes(path)


def test_a_frame_without_the_columns_is_refused() -> None:
    with pytest.raises(PreferenceError, match=r"columns are \['a', 'b'\]; name two .* or pass a=, b= and"):
        load_votes(pd.DataFrame({"a": ["x"], "b": ["y"]}))
    with pytest.raises(PreferenceError, match='no column is called "judge"'):
        load_votes(pd.DataFrame({"winner": ["x"], "loser": ["y"]}), voter="judge")


ROWS = st.lists(
    st.tuples(st.permutations("abcd"), st.sampled_from(["left", "right", "tie"]), st.integers(1, 9)),
    min_size=1,
)


@settings(deadline=None, max_examples=40)
@given(ROWS, st.randoms())
def test_the_order_of_lines_and_sides_changes_no_count(rows: list[Any], shuffler: random.Random) -> None:
    def read(lines: list[str]) -> Votes:
        with tempfile.TemporaryDirectory() as folder:
            return load_votes(written(Path(folder), "\n".join(["left,right,outcome,count", *lines])))

    turned = {"left": "right", "right": "left", "tie": "tie"}
    lines = [f"{pair[0]},{pair[1]},{outcome},{count}" for pair, outcome, count in rows]
    others = [f"{pair[1]},{pair[0]},{turned[outcome]},{count}" for pair, outcome, count in rows]
    votes, other = read(lines), read(shuffler.sample(others, len(others)))
    assert votes.arms == other.arms == tuple(sorted({arm for pair, *_ in rows for arm in pair[:2]}))
    assert len(votes) == len(other) == sum(count for *_, count in rows)
    for one, two in zip(votes.tallies(), other.tallies(), strict=True):
        assert_array_equal(one, two)


@needs_votes
def test_published_votes_load() -> None:
    sizes = {"deu": (20_937, 10), "rus": (27_353, 10), "tur": (10_188, 9)}
    for name, (votes, arms) in sizes.items():
        loaded = load_votes(VOTES / f"wmt16-{name}-eng.csv.gz")
        assert (len(loaded), len(loaded.arms)) == (votes, arms)
        problem = MatrixProblem.from_csv(VOTES / f"wmt16-{name}-eng.csv.gz")
        order = [problem.index(arm) for arm in loaded.arms]
        assert problem.counts is not None
        wins = loaded.wins()
        assert_array_equal(problem.counts[np.ix_(order, order)], wins + wins.T)


def test_a_table_of_counts_is_not_taken_for_rows() -> None:
    table = [[0, 9, 8], [5, 0, 7], [4, 3, 0]]
    for source in (table, np.array(table)):
        with pytest.raises(PreferenceError, match=r"Votes\.from_counts"):
            load_votes(source)
