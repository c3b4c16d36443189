"""The same votes in every format are the same table."""

import gzip
import io
import json
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from real_data import VOTES as PUBLISHED
from real_data import needs_votes
from refusals import names, refused
from votes.tallies import tally_of

from duelist import RUCB, Duel, MatrixProblem, Study, Votes, load_votes
from duelist.errors import DuelistError, FileError, ParameterError, PreferenceError
from duelist.votes import count

SIDES = [("p", "q"), ("q", "p"), ("q", "p"), ("p", "z")]
VOTES = Votes([*"pqz"], [0, 1, 1, 0], [1, 0, 0, 2], [1, 1, 0.5, 0])
STYLES = {
    "left,right,outcome": "left|LEFT| tie |right",
    "Left,RIGHT,Outcome": "1|1.0|0.5|0",
    "left,right,winner": "p|q|tie|z",
    "a,b,winner": "a|A|both|b",
    "model_a,model_b,winner": "model_a|Model A|tie (bothbad)|model_b",
    "model_1,model_2,winner": "model_1|1|tie|2",
    "player_a,player_b,winner": "p|q|Draw|z",
    "model_a,model_b,judgment": "A>B|A>>B|A=B|B>A",
    "model_a,model_b,judgement": "[[A]]|[[A>>B]]|[[C]]|[[B]]",
    "model_a,model_b,winner_model_a,winner_model_b,winner_tie": "1,0,0|1,0,0|0,0,1|0,1,0",
    "arm_a,arm_b,winner_a,winner_b,winner_tie": "True,False,False|1.0,0,0|0,0,true|0,1,0",
    "home_team,away_team,result": "H|h|D|A",
    "HomeTeam,AwayTeam,FTR": "H|H|D|A",
    "home,away,result": "1|1|X|2",
    "home_team,away_team,home_score,away_score": "2,1|3,0|0,0|1,4",
    "white,black,result": "1-0|1\u20130|1/2-1/2|0-1",
    "team_1,team_2,score_1,score_2": "2.5,1|1e1,9|-1,-1|0,1",
    "option_a,option_b,choice": "first|A|c|second",
    "left,right,preference": "L|left|T|R",
}
TABLE = {
    "left": [left for left, _ in SIDES],
    "right": [right for _, right in SIDES],
    "outcome": ["left", "left", "tie", "right"],
}
ROWS = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]


def text_of(style: str, separator: str = ",") -> str:
    rows = [
        separator.join([*sides, *outcome.split(",")])
        for sides, outcome in zip(SIDES, STYLES[style].split("|"), strict=True)
    ]
    return "\n".join([style.replace(",", separator), *rows, ""])


@pytest.mark.parametrize("style", STYLES)
def test_every_style_of_columns_says_the_same(tmp_path: Path, style: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text_of(style))
    assert load_votes(path) == VOTES
    frame = pd.read_csv(path, encoding="utf-8")
    assert load_votes(frame) == load_votes(pl.read_csv(path)) == VOTES
    path.write_text(frame.to_json())
    assert load_votes(path) == VOTES


def stored(write: Callable[[Any, io.BytesIO], object]) -> bytes:
    stream = io.BytesIO()
    write(pa.table(TABLE), stream)
    return stream.getvalue()


def stream_of(table: Any, stream: io.BytesIO) -> None:
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)


def workbook() -> bytes:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    book.create_sheet("votes").append(list(TABLE))
    for row in ROWS:
        book["votes"].append([*row.values(), None])
    book.save(stream)
    return stream.getvalue()


TEXT = text_of("left,right,outcome")
FILES: dict[str, tuple[bytes, dict[str, Any]]] = {
    **{
        f"CSV with {separator!r}": (text_of("left,right,outcome", separator).encode(), {})
        for separator in ",;\t|"
    },
    "UTF-8 with a mark": (TEXT.encode("utf-8-sig"), {}),
    "UTF-16": (TEXT.encode("utf-16"), {}),
    "Latin-1": (f"ä,{TEXT}".replace("\n", "\nä,", 4).encode("latin-1"), {"encoding": "latin-1"}),
    "Windows": (TEXT.replace("\n", "\r\n").encode(), {}),
    "gzip": (gzip.compress(TEXT.encode(), mtime=0), {}),
    "quotes": ("\n".join(f'"{line}"' for line in TEXT.replace(",", '","').split("\n")[:-1]).encode(), {}),
    "JSON lines": ("\n".join(map(json.dumps, ROWS)).encode(), {}),
    "JSON array": (json.dumps(ROWS, indent=1).encode(), {}),
    "JSON columns": (json.dumps(TABLE).encode(), {}),
    "JSON columns of pandas": (pd.DataFrame(TABLE).to_json().encode(), {}),
    "Parquet": (stored(pa.parquet.write_table), {}),
    "Feather": (stored(pa.feather.write_feather), {}),
    "Arrow": (stored(stream_of), {}),
    "Excel": (workbook(), {"sheet": "votes"}),
}
SOURCES: dict[str, Any] = {
    "pandas": pd.DataFrame(TABLE, index=[3, 1, 1, 2]),
    "pandas with categories": pd.DataFrame(TABLE).astype("category"),
    "polars": pl.DataFrame(TABLE),
    "pyarrow": pa.table(TABLE),
    "pyarrow batch": pa.RecordBatch.from_pydict(TABLE),
    "arrays": {name: np.array(column) for name, column in TABLE.items()},
    "rows": ROWS,
    "a generator of rows": (row for row in ROWS),
    "named tuples": list(pd.DataFrame(TABLE).itertuples()),
    "votes": list(VOTES),
}


@pytest.mark.parametrize("kind", FILES)
def test_every_file_says_the_same(tmp_path: Path, kind: str) -> None:
    content, options = FILES[kind]
    path = tmp_path / "votes"
    path.write_bytes(content)
    assert load_votes(path, **options) == VOTES


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_in_memory_says_the_same(kind: str) -> None:
    assert load_votes(SOURCES[kind]) == VOTES


@pytest.mark.parametrize(
    "text",
    [
        "winner,loser,count\np,q,1\nq,p,1\np,q,.5\nq,p,.5\nz,p,1\nq,z,0\n",
        "winner;loser;count\np;q;1,5\nq;p;1,5\nz;p;1\n",
        "chosen,rejected,count\np,q,1.5\nq,p,1.5\nz,p,\n",
        "chosen_model,rejected_model,chosen,rejected,count\np,q,s,t,1.5\nq,p,t,s,1.5\nz,p,s,t,1\n",
        ",p,q,z\np,0,1.5,0\nq,1.5,0,0\nz,2,0,0\n".replace("z,2", "z,1"),
        "p,q,z\n0,1.5,0\n1.5,0,0\n1,0,0\n",
    ],
)
def test_halves_of_a_win_each_way_are_ties(tmp_path: Path, text: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text)
    assert tally_of(load_votes(path)) == tally_of(VOTES) == "p>q 1; q>p 1; z>p 1; p=q 1"


def test_rows_may_be_tuples_of_winner_loser_and_count() -> None:
    rows = [("a", "b", 0.5), ("b", "a", 0.5), ("a", "b", 0.5), ("b", "a", 0.5), ("a", "b", 3)]
    assert tally_of(load_votes(rows)) == "a>b 3; a=b 2"
    assert tally_of(load_votes([("b", "a", 3), ("a", "b"), ["c", "a", 2]])) == "a>b 1; b>a 3; c>a 2"


ROLES = ["left", "right", "outcome", "voter", "item", "count", "time", "category", "weight"]


@pytest.mark.parametrize("winners", [False, True])
def test_columns_can_be_named_for_every_role(winners: bool) -> None:
    row = ["x", "y", "left", "ann", "q1", 3, "1970-01-01T00:01:00", "poems", 0.5]
    roles = ["winner", "loser", *ROLES[3:]] if winners else ROLES
    content = [*row[:2], *row[3:]] if winners else row
    frame = pd.DataFrame([content], columns=[f"column {role}" for role in roles])
    votes = load_votes(frame, columns={role: f"column {role}" for role in roles}, extras=["Column Item"])
    assert votes == Votes(
        *(["x", "y"], [0], [1], [1], [3], ["ann"], ["q1"], None, [60.0]),
        weights=[0.5],
        extras={"category": ["poems"], "Column Item": ["q1"]},
    )
    winner = load_votes(
        {"p": ["x"], "q": ["y"], "w": ["q"]}, columns={"left": "p", "right": "q", "winner": "w"}
    )
    assert tally_of(winner) == "y>x 1"


@pytest.mark.parametrize(
    "voters",
    [
        [1, 2, None],
        [1.0, 2.0, nan],
        pd.array([1, 2, None], "Int64"),
        np.array([1, 2, nan]),
        [np.int64(1), np.float32(2), pd.NA],
        ["1", 2.0, " "],
    ],
)
def test_one_voter_missing_loses_no_other(voters: Any) -> None:
    frame = pd.DataFrame({"winner": ["a", "b", "a"], "loser": ["b", "a", "b"], "voter": voters})
    votes = load_votes(frame)
    assert votes.voters is not None
    assert votes.voters.tolist() == ["1", "2", None]


def test_voters_of_mixed_types_stay_apart() -> None:
    given = [1, "1", 1.0, np.int64(1), True, "ann", 1.5, "x" * 70, "x" * 70 + "y"]
    votes = load_votes({"winner": ["a"] * 9, "loser": ["b"] * 9, "voter": given})
    assert votes.voters is not None
    assert votes.voters.tolist() == ["1"] * 4 + ["true", "ann", "1.5", "x" * 70, "x" * 70 + "y"]


@pytest.mark.parametrize("rows", [1, 700])
def test_fields_of_later_objects_are_read(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "votes.jsonl"
    plain, full = {"winner": "a", "loser": "b"}, {"winner": "b", "loser": "a", "count": 40, "voter": "ann"}
    path.write_text("\n".join(map(json.dumps, [*[plain] * rows, full])))
    votes = load_votes(path)
    assert len(votes) == rows + 40
    assert votes.voters is not None
    assert votes.voters.tolist() == [None] * rows + ["ann"]


def test_the_record_of_a_study_is_read_without_what_was_taken_back() -> None:
    study = Study(RUCB(), arms=["b", "a", "c"])
    study.tell(Duel("a", "b"), "right", voter="ann")
    study.tell(Duel("c", "a"), "tie")
    study.tell(Duel("c", "b"), "left")
    study.retract(next(vote.ticket for vote in study.votes() if vote.left == "c" and vote.right == "b"))
    study.skip(study.ask())
    rows = study.votes(all=True)
    for source in (rows, list(rows), rows.to_frame()):
        votes = load_votes(source)
        assert tally_of(votes) == "b>a 1; a=c 1"
        assert len(votes.left) == 4


def test_other_columns_change_nothing_and_are_said() -> None:
    frame = pd.DataFrame({**TABLE, "remark": ["=1"] * 4, "n": [9] * 4, "Model": list("pqrs")})
    votes = load_votes(frame[["remark", "right", "n", "outcome", "Model", "left"]])
    assert votes == VOTES
    assert votes.notes is not None
    assert votes.notes.ignored == ("remark", "n", "Model")
    assert names(" ".join(votes.notes.sentences()), "3 columns", "remark", "n", "Model")


@pytest.mark.parametrize("row", ["a,b,middle", "a,,left", "a,a,tie", "a,b", 'a,"b"x,left'])
def test_one_bad_row_of_100_000_is_named_or_left_out(tmp_path: Path, row: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("left,right,outcome\n" + "a,b,left\n" * 70_000 + row + "\n" + "b,a,tie\n" * 29_999)
    with refused(FileError, str(path), "line 70002"):
        load_votes(path)
    votes = load_votes(path, skip_bad=True)
    assert tally_of(votes) == "a>b 70000; a=b 29999"
    assert votes.notes is not None
    assert votes.notes.skipped == 1
    assert votes.notes.reasons[0].startswith("line 70002")


def test_arms_may_be_given_in_their_order() -> None:
    votes = load_votes(TABLE, arms=["z", "idle", "q", "p"])
    assert votes.arms == ("z", "idle", "q", "p")
    assert tally_of(votes) == "z>p 1; q>p 1; p>q 1; q=p 1"
    assert load_votes([("e\u0301", "b")], arms=["e\u0301", "b"]).arms == ("\u00e9", "b")


@pytest.mark.parametrize(
    ("source", "options", "fact"),
    [
        (TABLE, {"arms": ["p", "q"]}, "'z'"),
        (TABLE, {"columns": {"left": 3}}, "3"),
        (TABLE, {"extras": ["voter"]}, "'voter'"),
        ([[0, 9, 8], [5, 0, 7], [4, 3, 0]], {}, "Votes.from_counts"),
        (np.array([[0, 9], [5, 0]]), {}, "Votes.from_counts"),
        ([("a", "b", 1), ("a", "b", 0)], {}, "(left, right, outcome)"),
        ([("a", "b", "left")], {}, "record 1"),
        ([("a", "b"), ("a",)], {}, "record 2"),
        ([{"winner": "a", "loser": "b"}, ("a", "b")], {}, "record 2"),
        ([("a", "b"), ("b", None)], {}, 'record 2, column "loser"'),
        ([("a", "b"), ("b", nan)], {}, 'record 2, column "loser"'),
        ([("a", "b"), ("b", ["c"])], {}, 'record 2, column "loser"'),
        ([*[("a", "b")] * 1501, ("a", " ")], {}, 'record 1502, column "loser"'),
        ([("a", "b", 10**400)], {}, 'record 1, column "count"'),
        ([{"left": "a", "right": "b", "outcome": True}], {}, 'record 1, column "outcome": True'),
        ({"left": ["a"], "right": ["b"], "outcome": [np.bool_(True)]}, {}, 'column "outcome"'),
        ({"left": ["a"], "right": ["b"], "voter": [np.array(["x"])], "outcome": [1]}, {}, 'column "voter"'),
        ({"left": "ab", "right": ["b"], "outcome": [1]}, {}, "'left'"),
        ({"left": ["a"], "right": ["b", "c"], "outcome": [1]}, {}, "'right' has 2"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), {}, "'a', 'b'"),
        (pd.DataFrame(columns=["left", "right", "outcome"]), {}, "header"),
        (pd.DataFrame([["a", "b", 1, 0]], columns=["left", "right", "outcome", "outcome"]), {}, "'outcome'"),
        (pl.DataFrame(TABLE).lazy(), {}, "collect"),
        (b"left,right", {}, "left"),
        (None, {}, "None"),
        ([], {}, "vote"),
        ([1, 2], {}, "record 1"),
        ({}, {}, "vote"),
        (iter(()), {}, "vote"),
    ],
)
def test_what_is_not_a_table_of_votes_is_refused(source: Any, options: dict[str, Any], fact: str) -> None:
    with refused(PreferenceError, fact):
        load_votes(source, **options)


@pytest.mark.parametrize("option", [{"unranked": "lost"}, {"columns": ["left"]}, {"extras": "outcome"}])
def test_wrong_options_are_refused(option: dict[str, Any]) -> None:
    ((name, value),) = option.items()
    with refused(ParameterError, name, value if name == "columns" else f"{value!r}"):
        load_votes(TABLE, **option)


def test_an_extra_column_cannot_have_the_name_of_a_role() -> None:
    with refused(ParameterError, "'voter'"):
        load_votes({**TABLE, "voter": list("aabb")}, extras=["voter"])


def test_an_error_never_shows_a_whole_column() -> None:
    long = "x" * 10_000
    sources: list[dict[str, list[Any]]] = [
        {"left": [[long]] * 3, "right": ["b"] * 3, "outcome": [1] * 3},
        {"left": ["a"] * 3, "right": ["b"] * 3, "outcome": [long] * 3},
        {"left": [long] * 3, "right": [long] * 3, "outcome": [1] * 3},
        {"winner": [long] * 3, "loser": ["b"] * 3, "count": [long] * 3},
        {"winner": [long] * 3, "loser": ["b"] * 3, "count": [0.5] * 3},
        {"winner": ["a"] * 3, "loser": ["b"] * 3, "voter": [[long]] * 3},
        {"ranking": [long + ">" + long] * 3},
        {long: ["a"] * 3},
    ]
    for source in sources:
        with pytest.raises(DuelistError) as raised:
            load_votes(source)
        assert len(str(raised.value)) < 600


@needs_votes
@pytest.mark.parametrize(
    ("language", "votes", "arms", "repeats"),
    [("deu", 20_937, 10, 607), ("rus", 27_353, 10, 949), ("tur", 10_188, 9, 126)],
)
def test_published_votes_load(language: str, votes: int, arms: int, repeats: int) -> None:
    path = PUBLISHED / f"wmt16-{language}-eng.csv.gz"
    tally = count(load_votes(path))
    assert (tally.answers, len(tally.wins), tally.repeats) == (votes, arms, repeats)
    counts = MatrixProblem.from_votes(load_votes(path)).counts
    assert counts is not None
    assert counts.sum() == 2 * (votes - repeats)
