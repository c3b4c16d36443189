"""Files of journals: missing, strange, replaced, edited by hand."""

import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.checks.journals import BEGINNING, ONE_OF_EACH, answer
from duelist.errors import FileError
from duelist.journal import JsonLinesJournal, RepeatedEventError
from duelist.journal.codec import encode

KEPT = Path(__file__).parent / "data" / "format-1.jsonl"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    JsonLinesJournal(tmp_path / "votes.jsonl").append([BEGINNING, answer("a"), answer("b")])
    return tmp_path / "votes.jsonl"


def test_the_format_is_read_for_ever(tmp_path: Path) -> None:
    shutil.copy(KEPT, tmp_path / "kept.jsonl")
    journal = JsonLinesJournal(tmp_path / "kept.jsonl")
    assert [recorded.event for recorded in journal.read()] == [*ONE_OF_EACH]
    assert KEPT.read_bytes() == b"".join(map(encode, ONE_OF_EACH)), "the same events give the same lines"


def test_reading_what_is_not_there_makes_nothing(tmp_path: Path) -> None:
    for path in (tmp_path / "votes.jsonl", tmp_path / "missing" / "votes.jsonl"):
        journal = JsonLinesJournal(str(path))
        assert journal.path == path
        assert journal.read() == journal.read(keys=["a"]) == []
        assert journal.append([]) == 0
    assert list(tmp_path.iterdir()) == []


def test_what_is_refused_makes_no_journal(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"votes.jsonl: there is no folder .*missing; make it first"):
        JsonLinesJournal(tmp_path / "missing" / "votes.jsonl").append([BEGINNING])
    with pytest.raises(ValueError, match="begins with Created"):
        JsonLinesJournal(tmp_path / "votes.jsonl").append([answer("a")])
    assert not (tmp_path / "missing").exists()
    assert not (tmp_path / "votes.jsonl").exists()


def test_what_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "folder", tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(FileError, match="is not a file; name a file for the journal"):
            JsonLinesJournal(place).read()
    with pytest.raises(FileError, match="is not a file"):
        JsonLinesJournal(tmp_path / "folder").append([BEGINNING])
    with pytest.raises(FileError, match=r"there is no folder .*file; make it first"):
        JsonLinesJournal(tmp_path / "file" / "votes.jsonl").append([BEGINNING])
    with pytest.raises(FileError, match="File name too long"):
        JsonLinesJournal(tmp_path / ("x" * 300)).read()


def test_a_writer_that_is_stuck_is_not_waited_for_for_ever(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from filelock import FileLock

    monkeypatch.setattr("duelist.journal.jsonl.PATIENCE", 0.1)
    journal = JsonLinesJournal(path)
    with FileLock(f"{path}.lock"):
        assert len(journal.read()) == 3
        with pytest.raises(FileError, match=r"another process .* end it, then try again"):
            journal.append([answer("c")])
    assert journal.append([answer("c")]) == 4


def replace_by_copy(path: Path) -> None:
    shutil.copy(path, f"{path}.copy")
    os.replace(f"{path}.copy", path)


def remove(path: Path) -> None:
    path.unlink()


def remove_and_begin_anew(path: Path) -> None:
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content.replace(b"0123", b"3210") + encode(answer("d")))


def shorten(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def edit_and_lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"tea"', b'"green tea"') + encode(answer("d")))


def edit_the_last_line(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"ticket":"b"', b'"ticket":"x"'))


@pytest.mark.parametrize(
    "harm",
    [
        replace_by_copy,
        remove,
        remove_and_begin_anew,
        shorten,
        empty,
        edit_and_lengthen,
        edit_the_last_line,
    ],
)
def test_a_journal_that_is_replaced_under_its_users(path: Path, harm: Any) -> None:
    reader, writer = JsonLinesJournal(path), JsonLinesJournal(path)
    assert len(reader.read()) == len(writer.read()) == 3
    harm(path)
    there = path.read_bytes() if path.exists() else None
    match = "votes.jsonl was replaced, changed or removed by someone else; open it again"
    if harm is not edit_the_last_line:
        with pytest.raises(FileError, match=match):
            reader.read(since=3)
    with pytest.raises(FileError, match=match):
        reader.read(keys=["b"])
    with pytest.raises(FileError, match=match):
        writer.append([answer("c")])
    assert (path.read_bytes() if path.exists() else None) == there
    if harm not in (remove, shorten, empty):
        again = JsonLinesJournal(path)
        assert again.append([answer("c")]) == len(again.read())


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            b'"ticket":"a"',
            b'"ticket":"a',
            r"line 2: not JSON .*\. Repair or remove that line, or",
        ),
        (b'"ticket":"a"', b'"ticket":"a a"', r"line 2: not a whole 'answered' event: ticket must be 1 to 64"),
        (
            b'"ticket":"a"',
            b'"ticket":"b"',
            r"line 3: 'b' can be on record once only, and line 2 has",
        ),
        (b'"event":"answered"', b'"event":"renamed"', r"line 2: unknown event 'renamed'"),
        (b'"format":1', b'"format":2', r"line 1: unknown format 2"),
        (b"}\n{", b"}\n\n{", r"line 2: the line is empty\. Repair"),
        (b"}\n{", b"}{", r"line 1: not JSON"),
        (
            b'{"event":"created"',
            b'\xef\xbb\xbf{"event":"created"',
            r"line 1: .* byte order mark",
        ),
        (b'{"event":"created"', b'#{"event":"created"', r"line 1: not JSON"),
        (b'{"event":"answered"', b'\0"event":"answered"', r"line 2: not JSON"),
    ],
)
def test_damaged_lines_are_named(path: Path, old: bytes, new: bytes, reason: str) -> None:
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    damaged = path.read_bytes()
    for has_index in (True, False):
        if not has_index:
            Path(f"{path}.index").unlink(missing_ok=True)
        journal = JsonLinesJournal(path)
        with pytest.raises(FileError, match=rf"votes.jsonl, {reason}"):
            journal.read()
        with pytest.raises(FileError, match=reason):
            journal.read(keys=["b"])
        with pytest.raises(FileError, match=reason):
            journal.append([answer("c")])
    assert path.read_bytes() == damaged


def test_a_shuffled_file_is_refused(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(reversed(lines)))
    with pytest.raises(FileError, match="line 1: a journal begins with the event 'created'"):
        JsonLinesJournal(path).read()
    path.write_bytes(b"".join([*lines, lines[0]]))
    with pytest.raises(FileError, match="line 4: 'created' can be on record once only, and line 1"):
        JsonLinesJournal(path).read()


def test_lines_that_end_as_on_windows_are_read(path: Path) -> None:
    expected = JsonLinesJournal(path).read()
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    journal = JsonLinesJournal(path)
    assert journal.read() == expected
    assert journal.append([answer("c")]) == 4
    assert JsonLinesJournal(path).read(since=3) == [(4, answer("c"))]


def test_one_file_under_two_names_and_from_another_folder(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link.jsonl").symlink_to(path)
    link = JsonLinesJournal(tmp_path / "elsewhere" / "link.jsonl")
    monkeypatch.chdir(tmp_path)
    relative = JsonLinesJournal("votes.jsonl")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert link.append([answer("c")]) == 4
    assert relative.append([answer("d")]) == 5
    assert link.read(since=4) == [(5, answer("d"))]
    assert [place.name for place in (tmp_path / "elsewhere").iterdir()] == ["link.jsonl"]


def test_events_may_come_from_a_generator_and_numbers_from_numpy(path: Path) -> None:
    journal = JsonLinesJournal(path)
    anything: Any = journal
    assert anything.append(answer(name) for name in "cd") == 5
    with pytest.raises(RepeatedEventError):
        anything.append(answer(name) for name in "ed")
    assert len(anything.read(since=np.int64(2))) == 3
    assert Path(f"{path}.index").exists()


def test_an_error_can_be_sent_to_another_process(path: Path) -> None:
    with pytest.raises(RepeatedEventError) as caught:
        JsonLinesJournal(path).append([answer("a", 0.5)])
    sent = pickle.loads(pickle.dumps(caught.value))
    assert (str(sent), sent.stored) == (str(caught.value), (2, answer("a")))
