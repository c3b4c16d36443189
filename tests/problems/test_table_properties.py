"""What is written is read back, whatever the file looks like."""

import json
import random
import tempfile
from pathlib import Path

import numpy as np
from duelist.problems.tables import write_comparisons, write_table
from duelist.votes.columns import is_tie
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from duelist.problems import ComparisonTable, MatrixProblem, MatrixTable, read_table, tally

LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"])
NAMES = st.text(LETTERS, min_size=1, max_size=6).filter(
    lambda name: name == name.strip() and len(name.splitlines()) == 1 and not is_tie(name)
)
LABELS = st.lists(NAMES, min_size=2, max_size=5, unique=True)
COUNTS = st.integers(1, 1000).map(lambda count: count / 2)
QUIET = settings(deadline=None, max_examples=40)


@st.composite
def votes(draw: st.DrawFn) -> list[tuple[str, str, float]]:
    names = draw(LABELS)
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names), COUNTS)
    return draw(st.lists(pairs.filter(lambda vote: vote[0] != vote[1]), min_size=1, max_size=12))


def read_text(text: str) -> ComparisonTable:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.csv"
        path.write_bytes(text.encode())
        table = read_table(path)
    assert isinstance(table, ComparisonTable)
    return table


def same(table: ComparisonTable, records: list[tuple[str, str, float]]) -> bool:
    """Whether a table has the wins of the records, in whatever order the arms came."""
    labels, wins = tally(records)
    order = [table.labels.index(name) for name in labels]
    return len(labels) == len(table.labels) and np.array_equal(table.wins[np.ix_(order, order)], wins)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@QUIET
@given(
    votes(),
    st.sampled_from(",;\t"),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["\n", "\r\n"]),
    st.randoms(),
)
def test_no_spelling_of_a_table_changes_it(
    records: list[tuple[str, str, float]], separator: str, mark: str, ending: str, shuffler: random.Random
) -> None:
    lines = [separator.join([quoted(won), quoted(lost), str(count)]) for won, lost, count in records]
    lines = shuffler.sample(lines, len(lines))
    for _ in range(shuffler.randrange(3)):
        lines.insert(shuffler.randrange(len(lines) + 1), shuffler.choice(["", "  ", separator * 2, "# why"]))
    text = mark + ending.join([separator.join(["winner", "loser", "count"]), *lines])
    assert same(read_text(text), records)


@QUIET
@given(votes(), st.randoms())
def test_two_arms_and_the_winner_say_the_same(
    records: list[tuple[str, str, float]], shuffler: random.Random
) -> None:
    rows = []
    for won, lost, count in records:
        pair = shuffler.sample([won, lost], 2)
        column = "model_a" if pair[0] == won else "model_b"
        named = won if won.casefold() not in ("model_a", "model_b") else column
        rows.append([*pair, shuffler.choice([column, named]), count])
    header = ["model_a", "model_b", "winner", "count"]
    text = "\n".join(",".join(quoted(str(field)) for field in row) for row in rows)
    assert same(read_text(f"{','.join(header)}\n{text}"), records)
    assert same(
        read_text("\n".join(json.dumps(dict(zip(header, row, strict=True))) for row in rows)), records
    )


@QUIET
@given(LABELS, st.data())
def test_written_tables_are_read_back(labels: list[str], data: st.DataObject) -> None:
    k = len(labels)
    shares = data.draw(st.lists(st.floats(0.0, 1.0), min_size=k * k, max_size=k * k))
    matrix = np.triu(np.array(shares).reshape(k, k), 1)
    matrix += np.tril(1.0 - matrix.T, -1) + 0.5 * np.eye(k)
    wins = np.ceil(100.0 * matrix) * (1.0 - np.eye(k))
    with tempfile.TemporaryDirectory() as folder:
        table = read_table(write_table(Path(folder) / "p.csv", matrix, tuple(labels)))
        assert isinstance(table, MatrixTable)
        counted = read_table(write_comparisons(Path(folder) / "v.csv", wins, tuple(labels)))
        assert isinstance(counted, ComparisonTable)
        again = MatrixProblem.from_csv(write_table(Path(folder) / "w.csv", wins, tuple(labels)))
    assert_array_equal(table.matrix, matrix)
    assert table.labels == counted.labels == again.labels == tuple(labels)
    assert_array_equal(counted.wins, wins)
    assert_array_equal(again.counts, wins + wins.T)
