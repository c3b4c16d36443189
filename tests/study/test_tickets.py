"""Tickets: bound to their duel and their study, sealed, and of one length whatever they carry."""

import os
import stat
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from refusals import refused
from study.world import ARMS, change

from duelist import RUCB, Duel, Study
from duelist.database import Database
from duelist.errors import FileError, TicketError
from duelist.study.tickets import VARIABLE, KeyRing, Ticket, new_key, seal


def test_a_ticket_is_bound_to_its_duel() -> None:
    study = Study(RUCB(), ARMS)
    duel = study.ask()
    other = next(name for name in ARMS if name not in duel[:2])
    assert duel.ticket is not None
    for wrong in (
        Duel(duel.right, duel.left, ticket=duel.ticket),
        Duel(duel.left, other, ticket=duel.ticket),
        duel._replace(left=other),
    ):
        with refused(TicketError, "ticket"):
            study.tell(wrong, "left")
    assert study.answers == 0
    study.tell(duel, "left")
    assert study.answers == 1


def test_a_ticket_of_another_study_is_refused(tmp_path: Path) -> None:
    one, other = Study(RUCB(), ARMS), Study(RUCB(), ARMS)
    with refused(TicketError, "key"):
        other.tell(one.ask(), "left")
    path = tmp_path / "votes.db"
    late = Study(RUCB(), ARMS, journal=path).ask()
    with Database(path) as database:
        database.remove("main")
    # made again under its old name, with the old keys, it is another study
    with refused(TicketError, "another study"):
        Study(RUCB(), ARMS, journal=path).tell(late, "left")


@pytest.mark.parametrize(
    "change", ["first", "last", "short", "long", "empty", "words", "padding", "huge", "number"]
)
def test_a_garbled_ticket_is_refused_and_nothing_is_written(change: str) -> None:
    study = Study(RUCB(), ARMS)
    text = str(study.ask().ticket)
    garbled = {
        "first": ("A" if text[0] != "A" else "B") + text[1:],
        "last": text[:-4] + ("AAAA" if text[-4:] != "AAAA" else "BBBB"),
        "short": text[:-8],
        "long": text + "AAAA",
        "empty": "",
        "words": "let me in, please!",
        "padding": text[:20] + "=" + text[20:],
        "huge": "A" * 3_000_000,
        "number": "0",
    }[change]
    with pytest.raises(TicketError):
        study.tell(garbled, "left")
    assert len(study._journal.read()) == 1


def test_a_ticket_shows_nothing() -> None:
    names = [f"arm-{place}" for place in range(300)]
    study = Study(RUCB(), names)
    tickets = [str(study.ask(voter="ada lovelace" if turn else "ada").ticket) for turn in range(2)]
    lengths = {len(str(study.ask().ticket)) for _ in range(60)}
    assert len(lengths) == 1
    for text in tickets:
        content = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        assert b"ada" not in content
        assert b"arm" not in content


@pytest.mark.parametrize("item", [None, "i", "thirteen long", "a question of 31 characters, long"])
@pytest.mark.parametrize("length", range(1, 41))
def test_a_ticket_is_as_long_for_every_arm_and_side(length: int, item: str | None) -> None:
    keys, arms = KeyRing(), (0, 127, 128, 255, 256, 65_535, 65_536)
    lengths = {
        len(seal(Ticket("0" * 32, "0" * 32, left, right, flipped, 0, 1e9, "v" * length, item=item), keys))
        for left, right in permutations(arms, 2)
        for flipped in (False, True)
    }
    assert len(lengths) == 1


def test_the_key_is_kept_in_the_database_and_nowhere_else(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ARMS, journal=path)
    duel = study.ask()
    [(key,)] = change(path, "SELECT key FROM ticket_keys")
    secret = key.partition(":")[2]
    study.save(tmp_path / "study.json")
    with_key = {file.name for file in tmp_path.iterdir() if secret.encode() in file.read_bytes()}
    assert {*with_key} <= {"votes.db", "votes.db-wal"}
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in with_key} == {0o600}
    # another process has the same key
    Study.open(path).tell(duel, "left")
    assert study.answers == 1
    # what was carried away has another one
    with refused(TicketError, "key"):
        Study.load(tmp_path / "study.json").tell(study.ask(), "left")
    change(path, "DELETE FROM ticket_keys")
    with refused(TicketError, "key"):
        Study.open(path).tell(study.ask(), "left")


def test_who_only_reads_needs_no_key(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ARMS, journal=path)
    study.tell(Duel("a", "b"), "left")
    assert Study.open(path).best() == "a"
    assert change(path, "SELECT key FROM ticket_keys") == []


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "votes.db") as database:
        yield database


def test_rotated_keys_still_open_old_tickets(database: Database) -> None:
    store = database.ticket_keys
    ring, other = KeyRing(store), KeyRing(store)
    old = ring.seal(b"old", os.urandom(12))
    ring.rotate()
    new = ring.seal(b"new", os.urandom(12))
    assert new[:4] != old[:4]
    for known in (ring, other, KeyRing(store)):
        assert (known.unseal(old), known.unseal(new)) == (b"old", b"new")
    change(Path(database.location), "DELETE FROM ticket_keys WHERE number = 1")
    with refused(TicketError, "key"):
        KeyRing(store).unseal(old)


def test_keys_of_elsewhere_are_brought_once_and_the_last_one_seals(database: Database) -> None:
    store, lines = database.ticket_keys, [new_key(), new_key()]
    assert store.bring("".join(lines)) == 2
    assert store.bring(lines[0]) == 0
    assert store.read().split() == [line.strip() for line in lines]
    assert KeyRing(store).seal(b"", os.urandom(12))[:4].hex() == lines[1].partition(":")[0]


def test_keys_from_the_environment(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed = KeyRing(database.ticket_keys).seal(b"known", os.urandom(12))
    monkeypatch.setenv(VARIABLE, database.ticket_keys.read())
    path = tmp_path / "other.db"
    study = Study(RUCB(), ARMS, journal=path)
    study.tell(study.ask(), "left")
    assert change(path, "SELECT key FROM ticket_keys") == []
    assert KeyRing().unseal(sealed) == b"known"
    monkeypatch.setenv(VARIABLE, "0badc0de:tooshort")
    with refused(FileError, VARIABLE, "key 1"):
        KeyRing()


@pytest.mark.parametrize("content", ["", "\n\n", "zz:AAAA", "0badc0de:AAAA", "0badc0de", "\xff"])
def test_a_damaged_key_is_refused_and_not_shown(content: str, database: Database) -> None:
    change(Path(database.location), "INSERT INTO ticket_keys (number, key) VALUES (1, ?)", content)
    with pytest.raises(FileError) as caught:
        KeyRing(database.ticket_keys).seal(b"", os.urandom(12))
    assert "AAAA" not in str(caught.value)


def test_of_several_processes_one_makes_the_key(database: Database) -> None:
    children = []
    for _ in range(8):
        child = os.fork()
        if child == 0:
            KeyRing(database.ticket_keys).seal(b"", os.urandom(12))
            os._exit(0)
        children.append(child)
    assert {os.waitpid(child, 0)[1] for child in children} == {0}
    assert len(database.ticket_keys.read().splitlines()) == 1
