"""Tails that killed processes left: passed over by readers, cut by the next writer, and kept for people."""

from pathlib import Path

import pytest

from duelist.checks.journals import BEGINNING, ONE_OF_EACH, answer
from duelist.journal import Answered, JsonLinesJournal, RepeatedEventError
from duelist.journal.codec import encode

LAST = Answered(ticket="last", left=0, right=1, outcome=0.5, voter="Ü")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    JsonLinesJournal(tmp_path / "votes.jsonl").append([BEGINNING, answer("a")])
    return tmp_path / "votes.jsonl"


@pytest.mark.parametrize("has_index", [True, False])
def test_a_line_that_was_torn_at_any_byte(path: Path, has_index: bool) -> None:
    whole = path.read_bytes()
    for kept in range(len(encode(LAST))):
        if not has_index:
            path.with_name("votes.jsonl.index").unlink(missing_ok=True)
        path.write_bytes(whole + encode(LAST)[:kept])
        journal, other = JsonLinesJournal(path), JsonLinesJournal(path)
        assert [one.seq for one in journal.read()] == [1, 2]
        assert journal.read(keys=["last"]) == other.read(since=2) == []
        assert journal.append([LAST]) == 3
        assert other.read(since=2) == [(3, LAST)]
        assert path.read_bytes() == whole + encode(LAST)
    torn = path.with_name("votes.jsonl.torn").read_bytes().split(b"\n")
    assert torn[:-1] == [encode(LAST)[:kept] for kept in range(1, len(encode(LAST)))]


@pytest.mark.parametrize("has_index", [True, False])
def test_a_batch_that_was_torn_at_any_byte(path: Path, has_index: bool) -> None:
    whole = path.read_bytes()
    batch = [answer("b"), LAST]
    content = b"".join(map(encode, batch))
    for kept in (*range(1, len(content), 9), len(content) - 1, len(content)):
        if not has_index:
            path.with_name("votes.jsonl.index").unlink(missing_ok=True)
        path.write_bytes(whole + b"#" + content[1:kept])
        journal = JsonLinesJournal(path)
        if kept < len(b'#"event":'):
            assert journal.read(since=1) == [(2, answer("a"))]
        assert [one.seq for one in journal.read()] == [1, 2]
        assert journal.append(batch) == 4
        assert path.read_bytes() == whole + content


def test_a_reader_waits_for_the_end_of_a_batch(path: Path) -> None:
    whole, reader = path.read_bytes(), JsonLinesJournal(path)
    content = encode(answer("b")) + encode(answer("c"))
    assert len(reader.read()) == 2
    with path.open("r+b") as file:
        file.seek(len(whole))
        file.write(b"#" + content[1:])
        file.flush()
        assert reader.read(since=2) == []
        assert reader.read(keys=["b"]) == []
        file.seek(len(whole))
        file.write(b"{")
        file.flush()
        assert [one.seq for one in reader.read(since=2)] == [3, 4]
    with pytest.raises(RepeatedEventError):
        reader.append([answer("c")])


def test_the_first_line_of_all_was_torn(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    for torn in (b"", encode(BEGINNING)[:-1], b"#" + encode(BEGINNING)[1:] + encode(LAST), b"\0" * 50):
        path.write_bytes(torn)
        journal = JsonLinesJournal(path)
        assert journal.read() == []
        assert not path.with_name("votes.jsonl.index").exists() or journal.append([]) == 0
        assert journal.append(ONE_OF_EACH) == len(ONE_OF_EACH)
        assert len(JsonLinesJournal(path).read()) == len(ONE_OF_EACH)


def test_long_lines_and_files_longer_than_a_chunk(tmp_path: Path) -> None:
    journal = JsonLinesJournal(tmp_path / "votes.jsonl")
    long = Answered(ticket="long", left=0, right=1, outcome=1.0, context="x" * 9_000_000)
    journal.append([BEGINNING, *(answer(f"a-{n}") for n in range(50_000)), long, answer("end")])
    for reader in (journal, JsonLinesJournal(journal.path)):
        assert len(reader.read()) == 50_003
        assert [one.seq for one in reader.read(keys=["a-49999", "long", "end"])] == [50_001, 50_002, 50_003]
        assert reader.read(since=50_001) == [(50_002, long), (50_003, answer("end"))]
