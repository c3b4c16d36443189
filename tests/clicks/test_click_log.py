import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

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
    ("record", "message"),
    [
        (("q", ["a"]), r"record 2 must be \(query, documents, clicked\); got 2"),
        (("q", ["a", "b"], [1]), r"record 2: clicked must be a flag for each document, 2; got 1"),
        (("q", [], []), r"record 2: no document was shown; leave the page out"),
        (("q", ["a"], [2]), r"record 2: 2 is not a clicked flag; give true or false, or 1 or 0"),
        (("q", ["a"], ["1"]), r"record 2: '1' is not a clicked flag"),
        (("q", "ab", [0, 1]), r"record 2, documents: 'ab' is not a list"),
        (("q", ["a"], 1), r"record 2, clicked: 1 is not a list"),
        (("", ["a"], [0]), r"record 2, query: '' is not a valid name"),
        (("q", [None], [0]), r"record 2, documents: None is not a valid name"),
    ],
)
def test_wrong_records_are_refused(record: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ClickLog.from_records([RECORDS[0], record])


def test_an_empty_log_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"the log holds no impression; give at least one page"):
        ClickLog.from_records([])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"queries": [0, 0]}, r"row in every array; got shapes \(2,\), \(1, 3\) and \(1, 3\)"),
        ({"queries": [1]}, r"queries must lie from 0 to 0"),
        ({"documents": [[0, 2, -1]]}, r"documents must lie from -1 to 1"),
        ({"documents": [[0, -1, 1]]}, r"documents must be shown from the top down without a gap"),
        ({"documents": [[-1, -1, -1]]}, r"documents must be shown from the top down without a gap"),
        ({"clicked": [[0, 0, 1]]}, r"clicked must be False where no document is shown"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changes: dict[str, Any], message: str) -> None:
    parts: dict[str, Any] = {"queries": [0], "documents": [[0, 1, -1]], "clicked": [[0, 1, 0]]}
    names: dict[str, Any] = {"query_names": ("q",), "document_names": ("a", "b")}
    ClickLog(**parts, **names)
    with pytest.raises(ParameterError, match=message):
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
    with pytest.raises(ParameterError, match=r"share must leave two parts of 3 impressions"):
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
    ("text", "message"),
    [
        ("", r"log.csv: the file is empty"),
        ("query,documents\n", r"log.csv: the columns are 'query', 'documents'"),
        ("query,documents,clicked\n", r"log.csv, the log holds no impression"),
        ("query,documents,clicked\nq,a b,0 1\n\nq,a b,0\n", r"log.csv, line 4: clicked .*2; got 1"),
        ("query,documents,clicked\nq,a b,0 x\n", r"log.csv, line 2: 'x'"),
        ("query,documents,clicked\nq,a b,0 1,9\n", r"log.csv, line 2: 4 fields"),
        ("query,documents,clicked\n,a b,0 1\n", r"log.csv, line 2, query: ''"),
        ("query,documents,clicked\nq,,\n", r"log.csv, line 2: no document"),
        ('query,documents,clicked\nq,a,0\n"q"x,a,0\n', r"log.csv, line 3: .*quotes"),
        ('{"query": "q", "documents": ["a"], "clicked": [0]}\n{"query"', r"log.csv, line 2: .*JSON"),
        ("[1]", r"log.csv, record 1: 1"),
        ('{"query": "q", "documents": ["a"]}', r"log.csv: the columns are 'query', 'documents'"),
        ('\n{"query": "q", "documents": {"a": 1}, "clicked": [0]}', r"log.csv, line 2, documents: "),
        ('{"query": ["q"], "documents": ["a"], "clicked": [0], "day": 1}', r"line 1, query: \['q'\]"),
        ('{"query": "q", "documents": ["a"], "clicked": [null]}', r"line 1: None"),
        ('{"query": "q", "documents": ["a"], "clicked": [[1]]}', r"line 1: \[1\]"),
        ('{"query": "q", "documents": ["a"], "clicked": {"a": 1}}', r"line 1, clicked: "),
    ],
)
def test_wrong_files_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        read_click_log(written(tmp_path, text))


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none.csv: No such file"):
        read_click_log(tmp_path / "none.csv")
    with pytest.raises(PreferenceError, match="columns are 'query'"):
        read_click_log([{"query": "q"}])
    with pytest.raises(ParameterError, match="record 1: '2' is not a clicked flag"):
        read_click_log([{"query": "q", "documents": "a", "clicked": 2}])
