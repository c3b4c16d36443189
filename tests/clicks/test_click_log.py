import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import refused

from duelist.clicks import ClickLog, read_click_log
from duelist.errors import FileError, ParameterError, PreferenceError

RECORDS = [("svm", ["a", "b", "c"], [0, 1, 0]), ("bandit", ["c", "a"], [True, False]), (17, [4], [1])]


def contents(log: ClickLog) -> list[tuple[str, list[str], list[bool]]]:
    return [
        (
            log.query_names[query],
            [log.document_names[code] for code in codes if code >= 0],
            flags[: (codes >= 0).sum()].tolist(),
        )
        for query, codes, flags in zip(log.queries, log.documents, log.clicked, strict=True)
    ]


PLAIN = [
    ("svm", ["a", "b", "c"], [False, True, False]),
    ("bandit", ["c", "a"], [True, False]),
    ("17", ["4"], [True]),
]


def test_records_are_kept() -> None:
    log = ClickLog.from_records(RECORDS)
    assert contents(log) == PLAIN
    assert (len(log), log.places) == (3, 3)
    assert log.documents.tolist() == [[0, 1, 2], [2, 0, -1], [3, -1, -1]]
    assert not log.clicked[log.documents == -1].any()


def test_a_number_and_its_text_are_one_name() -> None:
    log = ClickLog.from_records([(1, [7], [0]), ("1", ["7"], [1])])
    assert (log.query_names, log.document_names) == (("1",), ("7",))


@pytest.mark.parametrize(
    ("record", "facts"),
    [
        (("q", ["a"]), ("record 2", 2)),
        (("q", ["a", "b"], [1]), ("record 2", "clicked", 2, 1)),
        (("q", [], []), ("record 2", "documents")),
        (("q", ["a"], [2]), ("record 2", "clicked", 2)),
        (("q", ["a"], ["1"]), ("record 2", "clicked", repr("1"))),
        (("q", "ab", [0, 1]), ("record 2", "documents", "ab")),
        (("q", ["a"], 1), ("record 2", "clicked", 1)),
        (("", ["a"], [0]), ("record 2", "query", repr(""))),
        (("q", [None], [0]), ("record 2", "documents", None)),
    ],
)
def test_wrong_records_are_refused(record: Any, facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        ClickLog.from_records([RECORDS[0], record])


def test_an_empty_log_is_refused() -> None:
    with refused(ParameterError, "log", "page"):
        ClickLog.from_records([])


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"queries": [0, 0]}, ("queries", "documents", "clicked", (2,), (1, 3))),
        ({"queries": [1]}, ("queries", 0, 1)),
        ({"documents": [[0, 2, -1]]}, ("documents", -1, 1, 2)),
        ({"documents": [[0, -1, 1]]}, ("documents", -1)),
        ({"documents": [[-1, -1, -1]]}, ("documents", -1)),
        ({"clicked": [[0, 0, 1]]}, ("clicked", True, "documents", -1)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changes: dict[str, Any], facts: tuple[object, ...]) -> None:
    parts: dict[str, Any] = {"queries": [0], "documents": [[0, 1, -1]], "clicked": [[0, 1, 0]]}
    names: dict[str, Any] = {"query_names": ("q",), "document_names": ("a", "b")}
    ClickLog(**parts, **names)
    with refused(ParameterError, *facts):
        ClickLog(**parts | changes, **names)


def test_a_split_shares_the_impressions_out() -> None:
    log = ClickLog.from_records([(f"q{i}", [f"d{i}", "x"], [i % 2, 0]) for i in range(40)])
    fit, judge = log.split(0.75, np.random.default_rng(0))
    assert (len(fit), len(judge)) == (30, 10)
    assert sorted(contents(fit) + contents(judge)) == sorted(contents(log))
    again, _ = log.split(0.75, np.random.default_rng(0))
    other, _ = log.split(0.75, np.random.default_rng(1))
    assert contents(again) == contents(fit) != contents(other)


def test_places_below_the_longest_page_are_cut_off() -> None:
    log = ClickLog.from_records(RECORDS).subset(np.array([1, 2]))
    assert log.places == 2
    assert contents(log) == PLAIN[1:]


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 0.01, 0.99, float("nan")])
def test_a_split_that_leaves_nothing_is_refused(share: float) -> None:
    with refused(ParameterError, "share", "3 impressions", share):
        ClickLog.from_records(RECORDS).split(share, np.random.default_rng(0))


def written(folder: Path, text: str, name: str = "log.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "query,documents,clicked\nsvm,a b c,0 1 0\nbandit,c a,1 0\n17,4,1\n",
        "\ufeffQuery;CLICKED;documents\r\nsvm;0 1 0;a b c\r\nbandit;1 0;c a\r\n17;1;4\r\n",
        "day\tquery\tdocuments\tclicked\nm\tsvm\ta  b c\t0 1 0\n\t\t\t\n\nt\tbandit\tc a\t1 0\nw\t17\t4\t1",
        'query, documents, clicked\n"svm", "a b c", "0 1 0"\nbandit,c a,1 0\n17,4,1\n',
    ],
)
def test_tables_are_read(tmp_path: Path, text: str) -> None:
    assert contents(read_click_log(written(tmp_path, text))) == PLAIN


def test_lists_are_read_in_every_format_and_from_memory(tmp_path: Path) -> None:
    text = (
        '{"query": "svm", "documents": ["a", "b", "c"], "clicked": [0, 1, 0], "day": "mon"}\n\n'
        '{"query": "bandit", "documents": ["c", "a"], "clicked": [true, false]}\n'
        '{"query": 17, "documents": [4], "clicked": ["1"]}'
    )
    assert contents(read_click_log(written(tmp_path, text, "log.jsonl"))) == PLAIN
    rows = [dict(zip(("Query", "documents", "clicked"), row, strict=True)) for row in PLAIN]
    frame = pd.DataFrame(rows)
    frame.to_parquet(tmp_path / "log.parquet")
    sources = (written(tmp_path, json.dumps(rows)), tmp_path / "log.parquet", frame, rows)
    for source in sources:
        assert contents(read_click_log(source)) == PLAIN
    assert contents(read_click_log(pd.read_parquet(tmp_path / "log.parquet"))) == PLAIN
    spaced = frame.assign(documents=frame["documents"].str.join(" "), clicked=["0 1 0", "true False", 1])
    spaced.to_excel(tmp_path / "log.xlsx")
    assert contents(read_click_log(tmp_path / "log.xlsx")) == PLAIN


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", ()),
        ("query,documents\n", (repr("query"), repr("documents"), "clicked")),
        ("query,documents,clicked\n", ("log", "page")),
        ("query,documents,clicked\nq,a b,0 1\n\nq,a b,0\n", ("line 4", "clicked", 2, 1)),
        ("query,documents,clicked\nq,a b,0 x\n", ("line 2", "clicked", "x")),
        ("query,documents,clicked\nq,a b,0 1,9\n", ("line 2", "4 fields")),
        ("query,documents,clicked\n,a b,0 1\n", ("line 2", "query", repr(""))),
        ("query,documents,clicked\nq,,\n", ("line 2", "documents")),
        ('query,documents,clicked\nq,a,0\n"q"x,a,0\n', ("line 3", "quotes")),
        ('{"query": "q", "documents": ["a"], "clicked": [0]}\n{"query"', ("line 2", "JSON")),
        ("[1]", ("record 1", 1)),
        ('{"query": "q", "documents": ["a"]}', (repr("query"), repr("documents"), "clicked")),
        ('\n{"query": "q", "documents": {"a": 1}, "clicked": [0]}', ("line 2", "documents", {"a": 1})),
        ('{"query": ["q"], "documents": ["a"], "clicked": [0], "day": 1}', ("line 1", "query", ["q"])),
        ('{"query": "q", "documents": ["a"], "clicked": [null]}', ("line 1", "clicked", None)),
        ('{"query": "q", "documents": ["a"], "clicked": [[1]]}', ("line 1", "clicked", [1])),
        ('{"query": "q", "documents": ["a"], "clicked": {"a": 1}}', ("line 1", "clicked", {"a": 1})),
    ],
)
def test_wrong_files_are_refused_by_line(tmp_path: Path, text: str, facts: tuple[object, ...]) -> None:
    with refused(FileError, "log.csv", *facts):
        read_click_log(written(tmp_path, text))


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with refused(FileError, "none.csv"):
        read_click_log(tmp_path / "none.csv")
    with refused(PreferenceError, repr("query"), "documents", "clicked"):
        read_click_log([{"query": "q"}])
    with refused(ParameterError, "record 1", "clicked", repr("2")):
        read_click_log([{"query": "q", "documents": "a", "clicked": 2}])
