"""The index is a cache: whatever becomes of it, the journal says the same."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from duelist.checks.journals import BEGINNING, answer
from duelist.errors import FileError
from duelist.journal import ArmAdded, Event, JsonLinesJournal, RepeatedEventError, following
from duelist.journal.codec import decode, encode
from duelist.journal.index import VERSION


def index_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.index")


def rows_in(path: Path) -> int:
    with closing(sqlite3.connect(index_of(path))) as database:
        return int(database.execute("SELECT count(*) FROM lines").fetchone()[0])


def filled(path: Path, name: str = "a") -> Path:
    answers = [answer(f"{name}-{number}") for number in range(100)]
    JsonLinesJournal(path).append([BEGINNING, ArmAdded(arm="tea"), *answers])
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filled(tmp_path / "votes.jsonl")


def remove(path: Path) -> None:
    index_of(path).unlink()


def remove_and_leave_its_log(path: Path) -> None:
    with closing(sqlite3.connect(index_of(path))) as database:
        database.execute("DELETE FROM lines WHERE seq > 50")
        database.commit()
        shutil.copy(f"{index_of(path)}-wal", f"{path}.kept")
    index_of(path).unlink()
    shutil.move(f"{path}.kept", f"{index_of(path)}-wal")


def empty(path: Path) -> None:
    index_of(path).write_bytes(b"")


def garble(path: Path) -> None:
    index_of(path).write_bytes(os.urandom(10_000))


def garble_inside(path: Path) -> None:
    content = bytearray(index_of(path).read_bytes())
    content[4096:] = b"\xaa" * (len(content) - 4096)
    index_of(path).write_bytes(content)


def halve(path: Path) -> None:
    content = index_of(path).read_bytes()
    index_of(path).write_bytes(content[: len(content) // 2])


def put_a_folder(path: Path) -> None:
    index_of(path).unlink()
    index_of(path).mkdir()


def take_another_journals(path: Path) -> None:
    other = filled(path.with_name("other.jsonl"), name="b")
    shutil.copy(index_of(other), index_of(path))


def change(*statements: str) -> Callable[[Path], None]:
    def execute(path: Path) -> None:
        with closing(sqlite3.connect(index_of(path))) as database:
            for statement in statements:
                database.execute(statement)
            database.commit()

    return execute


def go_back(path: Path) -> None:
    change(
        "DELETE FROM lines WHERE seq > 2",
        "UPDATE covered SET seq = 2, end = (SELECT max(start) FROM lines), start = 0, digest = x'00'",
    )(path)


def copy_by_hand(path: Path) -> None:
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize(
    "harm",
    [
        remove,
        remove_and_leave_its_log,
        empty,
        garble,
        garble_inside,
        halve,
        put_a_folder,
        take_another_journals,
        go_back,
        copy_by_hand,
        change("DELETE FROM covered"),
        change("UPDATE covered SET digest = 'text', seq = 'many'"),
        change("DROP TABLE lines"),
        change(f"PRAGMA user_version = {VERSION + 1}"),
        change("DROP TABLE lines", "CREATE TABLE lines (colour TEXT)"),
        change("INSERT INTO lines VALUES (103, 1, 'x')"),
        change("UPDATE lines SET start = start + 1 WHERE key = 'a-7'"),
        change("UPDATE lines SET start = 'there' WHERE seq IN (9, 91)"),
        change("UPDATE lines SET start = -5"),
    ],
    ids=lambda harm: harm.__name__,
)
def test_an_index_that_came_to_harm_is_made_again(path: Path, harm: Callable[[Path], None]) -> None:
    expected = JsonLinesJournal(path).read()
    harm(path)
    assert JsonLinesJournal(path).read() == expected
    assert JsonLinesJournal(path).read(since=90) == expected[90:]
    journal = JsonLinesJournal(path)
    with pytest.raises(RepeatedEventError) as caught:
        journal.append([answer("a-99")])
    assert caught.value.stored == (102, answer("a-99"))
    assert journal.append([answer("new")]) == 103
    assert journal.read(keys=["a-0", "new", "a-7"]) == [expected[2], expected[9], (103, answer("new"))]
    if harm is not put_a_folder:
        assert rows_in(path) == 103


def test_an_open_journal_survives_harm_to_its_index(path: Path) -> None:
    for number, harm in enumerate(
        [remove, garble_inside, change("DELETE FROM lines", "DELETE FROM covered")]
    ):
        journal = JsonLinesJournal(path)
        assert journal.append([answer(f"before-{number}")]) == 103 + 2 * number
        harm(path)
        for key in ("a-50", f"before-{number}"):
            with pytest.raises(RepeatedEventError):
                journal.append([answer(key)])
        assert journal.append([answer(f"after-{number}")]) == 104 + 2 * number
        assert len(journal.read(since=50)) == 54 + 2 * number


def test_an_index_behind_catches_up(path: Path) -> None:
    old = index_of(path).read_bytes()
    JsonLinesJournal(path).append([answer("late-1"), answer("late-2")])
    index_of(path).write_bytes(old)
    with pytest.raises(RepeatedEventError):
        JsonLinesJournal(path).append([answer("late-2")])
    assert rows_in(path) == 104


def test_an_index_ahead_of_a_restored_file(path: Path) -> None:
    backup = path.read_bytes()
    JsonLinesJournal(path).append([answer("lost-1")])
    path.write_bytes(backup)
    journal = JsonLinesJournal(path)
    assert len(journal.read()) == 102
    assert journal.append([answer("other")]) == 103
    assert journal.append([answer("lost-1")]) == 104
    assert [one.seq for one in JsonLinesJournal(path).read(keys=["other", "lost-1"])] == [103, 104]


def test_an_edited_line_of_the_same_length_is_noticed_by_who_opens_the_file(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"a-50", b"z-50"))
    journal = JsonLinesJournal(path)
    assert journal.append([answer("a-50")]) == 103
    with pytest.raises(RepeatedEventError):
        journal.append([answer("z-50")])


def test_an_edited_and_lengthened_file_is_not_blamed_for_its_index(path: Path) -> None:
    with path.open("r+b") as file:
        content = file.read().replace(b"a-50", b"z-50") + encode(answer("a-50"))
        file.seek(0)
        file.write(content)
    journal = JsonLinesJournal(path)
    assert len(journal.read()) == 103
    assert [one.seq for one in journal.read(keys=["z-50", "a-50"])] == [53, 103]


def test_a_locked_index_is_not_waited_for_for_ever(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.journal.index.PATIENCE", 0.1)
    with closing(sqlite3.connect(index_of(path))) as database:
        database.execute("BEGIN EXCLUSIVE")
        journal = JsonLinesJournal(path)
        assert journal.append([answer("new")]) == 103
        with pytest.raises(RepeatedEventError):
            journal.append([answer("a-5")])
        database.execute("COMMIT")
    assert len(JsonLinesJournal(path).read(keys=["new", "a-5"])) == 2


@pytest.mark.parametrize("has_index", [True, False])
def test_a_key_that_stands_twice(path: Path, has_index: bool) -> None:
    with path.open("ab") as file:
        file.write(encode(answer("new")) + encode(answer("a-10")))
    if not has_index:
        index_of(path).unlink()
    match = (
        r"votes.jsonl, line 104: 'a-10' can be on record once only, and line 13 has it too. Repair or remove"
    )
    for _ in range(2):
        journal = JsonLinesJournal(path)
        with pytest.raises(FileError, match=match):
            journal.read()
        with pytest.raises(FileError, match=match):
            journal.read(keys=["a-10"])
        with pytest.raises(FileError, match=match):
            journal.append([answer("more")])


def test_a_line_that_was_copied_under_the_eyes_of_a_reader(path: Path) -> None:
    journal = JsonLinesJournal(path)
    journal.read()
    with path.open("ab") as file:
        file.write(encode(answer("a-10")))
    with pytest.raises(FileError, match="line 103: 'a-10' can be on record once only, and line 13"):
        journal.read(since=102)


def test_opening_a_long_journal_costs_nothing_in_proportion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lines = tmp_path / "votes.jsonl", 0

    def counted(line: bytes) -> Event:
        nonlocal lines
        lines += 1
        return decode(line)

    JsonLinesJournal(path).append([BEGINNING, *(answer(f"ticket-{number}") for number in range(20_000))])
    monkeypatch.setattr(following, "decode", counted)
    for _ in range(10):
        journal = JsonLinesJournal(path)
        assert journal.read(since=20_001) == []
        assert len(journal.read(since=20_000)) == len(journal.read(keys=["ticket-7"])) == 1
    assert 0 < lines < 200
    for _ in range(1000):
        journal.read(since=20_001)
    assert lines < 200
    assert len(JsonLinesJournal(path).read()) == 20_001
    assert lines > 20_000
