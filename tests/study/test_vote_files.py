"""Votes written to files and read again: nothing changes, and spreadsheets compute nothing."""

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist import Study, load_votes
from duelist.files import guard, unguard
from duelist.votes.writing import as_csv, as_lines

HOSTILE = [
    '=HYPERLINK("x","a")',
    "+1",
    "-x",
    "@SUM(A1)",
    "'=quoted",
    "''",
    "'n Abend",
    "a-b",
    "#1",
]


@given(st.text("='+-@\t\r a\n"))
def test_every_cell_comes_back_and_none_is_a_formula(cell: str) -> None:
    assert unguard(guard(cell)) == cell
    assert not guard(cell).startswith(("=", "+", "-", "@", "\t", "\r"))


@given(st.text("='+a"), st.text("='+a"))
def test_different_cells_stay_different(one: str, other: str) -> None:
    assert (guard(one) == guard(other)) == (one == other)


@pytest.mark.parametrize(("name", "writer"), [("votes.csv", as_csv), ("votes.jsonl", as_lines)])
def test_hostile_names_survive_the_round_trip(tmp_path: Path, name: str, writer: type) -> None:
    study = Study(arms=HOSTILE, seed=0)
    rows = [
        {
            "left": left,
            "right": right,
            "outcome": outcome,
            "voter": left,
            "item": right,
            "time": f"2026-11-{day}T10:00:00",
        }
        for left, right, outcome, day in zip(
            HOSTILE, [*HOSTILE[1:], HOSTILE[0]], ["left", "right", "tie"] * 3, range(10, 19), strict=True
        )
    ]
    assert study.import_votes(rows) == len(HOSTILE)
    path = tmp_path / name
    path.write_bytes(b"".join(writer(study.votes())))
    votes = load_votes(path)
    assert set(votes.arms) == set(HOSTILE)
    assert study.import_votes(votes) == 0
    copy = Study(arms=HOSTILE, seed=0)
    assert copy.import_votes(votes) == len(HOSTILE)
    assert copy.votes() == study.votes()
    assert [vote.item for vote in copy.votes()] == [row["right"] for row in rows]


def test_no_cell_of_an_export_is_a_formula() -> None:
    study = Study(arms=HOSTILE, seed=0)
    study.import_votes(
        [{"left": arm, "right": "a-b", "outcome": 0.8, "voter": arm} for arm in HOSTILE if arm != "a-b"]
    )
    text = b"".join(as_csv(study.votes())).decode()
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert sum(cell.startswith("'=") for cell in cells) == 2
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)


def test_a_vote_without_a_time_is_written_without_one(tmp_path: Path) -> None:
    study = Study(arms=["a", "b"], seed=0)
    study.import_votes([{"left": "a", "right": "b", "outcome": "left"}])
    [vote] = study.votes()
    assert vote.time is None
    [line] = as_lines(study.votes())
    assert json.loads(line)["time"] is None
    header, row = b"".join(as_csv(study.votes())).decode().splitlines()
    assert row.startswith(",")
    for name, content in (("v.csv", f"{header}\n{row}\n".encode()), ("v.jsonl", line)):
        (tmp_path / name).write_bytes(content)
        assert study.import_votes(load_votes(tmp_path / name)) == 0
