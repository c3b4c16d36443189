"""Open duels of all workers in PostgreSQL: a voter has one, from every worker."""

from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest
from refusals import refused

from duelist.checks.journals import BEGINNING
from duelist.database import Database, SharedOpenDuels
from duelist.errors import FileError, ParameterError

ANSWER_TIMEOUT = 60.0


@pytest.fixture
def database(postgresql: str) -> Iterator[Database]:
    with Database(postgresql) as database:
        for name in ("tea", "cheese"):
            database.journal(name).append([BEGINNING])
        yield database


@pytest.fixture
def duels(database: Database) -> SharedOpenDuels:
    return SharedOpenDuels(database, "tea")


def test_an_open_duel_is_offered_again_until_it_is_too_old(duels: SharedOpenDuels) -> None:
    assert duels.of("Ann", 100.0, ANSWER_TIMEOUT) is None
    assert duels.offer("Ann", "first", 100.0, ANSWER_TIMEOUT) == "first"
    assert duels.offer("Ann", "second", 130.0, ANSWER_TIMEOUT) == "first"
    assert duels.offer("Ben", "bens", 130.0, ANSWER_TIMEOUT) == "bens"
    # asking again does not restart the time-out
    assert duels.offer("Ann", "third", 160.0, ANSWER_TIMEOUT) == "first"
    assert duels.of("Ann", 160.0, ANSWER_TIMEOUT) == "first"
    assert duels.of("Ann", 160.5, ANSWER_TIMEOUT) is None
    assert duels.offer("Ann", "fourth", 160.5, ANSWER_TIMEOUT) == "fourth"
    assert duels.of("Ann", 220.5, ANSWER_TIMEOUT) == "fourth"


def test_studies_do_not_share_duels(database: Database, duels: SharedOpenDuels) -> None:
    others = SharedOpenDuels(database, "cheese")
    duels.offer("Ann", "tea", 0.0, ANSWER_TIMEOUT)
    assert others.of("Ann", 0.0, ANSWER_TIMEOUT) is None
    assert others.offer("Ann", "cheese", 0.0, ANSWER_TIMEOUT) == "cheese"
    assert others.expire(1e9, ANSWER_TIMEOUT) == 1
    assert duels.of("Ann", 0.0, ANSWER_TIMEOUT) == "tea"


def test_workers_who_offer_at_once_agree(postgresql: str, database: Database) -> None:
    workers = 8
    start, given = Barrier(workers), dict[int, list[str]]()

    def work(worker: int, own: Database) -> None:
        duels, mine = SharedOpenDuels(own, "tea"), list[str]()
        for voter in range(20):
            start.wait()
            mine.append(duels.offer(f"voter {voter}", f"{worker}-{voter}", 0.0, ANSWER_TIMEOUT))
        given[worker] = mine

    databases = [Database(postgresql) for _ in range(workers)]
    threads = [Thread(target=work, args=numbered) for numbered in enumerate(databases)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in databases:
        one.close()
    assert len(given) == workers
    assert all(mine == given[0] for mine in given.values())
    assert [int(ticket.partition("-")[2]) for ticket in given[0]] == list(range(20))


def test_an_answered_duel_is_replaced_by_whoever_comes_first(duels: SharedOpenDuels) -> None:
    voters = ("Ann", "Ben", "Cem; DROP TABLE open_duels", "Dörte")
    for voter in voters:
        duels.offer(voter, f"of {voter}", 0.0, ANSWER_TIMEOUT)
    replaced = [duels.offer(voter, "new", 1.0, ANSWER_TIMEOUT, instead_of="of Ann") for voter in voters]
    assert replaced == ["new", *(f"of {voter}" for voter in voters[1:])]
    # a worker that has not heard of it finds the new one
    assert duels.offer("Ann", "another", 2.0, ANSWER_TIMEOUT, instead_of="of Ann") == "new"
    assert duels.of(voters[2], 2.0, ANSWER_TIMEOUT) == f"of {voters[2]}"


def test_old_duels_expire_and_of_too_many_the_oldest(duels: SharedOpenDuels) -> None:
    for number in range(10):
        duels.offer(f"voter {number}", str(number), float(number // 2), ANSWER_TIMEOUT)
    assert duels.expire(62.0, ANSWER_TIMEOUT) == 4  # opened at 0 and 1; those at 2 are just in time
    assert duels.expire(62.0, ANSWER_TIMEOUT, most=6) == 0
    assert duels.expire(62.0, ANSWER_TIMEOUT, most=3) == 3
    left = [number for number in range(10) if duels.of(f"voter {number}", 4.0, ANSWER_TIMEOUT) is not None]
    assert left == [7, 8, 9]
    assert duels.expire(62.0, ANSWER_TIMEOUT, most=0) == 3


def test_a_study_that_was_removed_has_no_open_duels(database: Database, duels: SharedOpenDuels) -> None:
    duels.offer("Ann", "first", 0.0, ANSWER_TIMEOUT)
    database.remove("tea")
    with refused(FileError, "study 'tea'"):
        duels.offer("Ann", "second", 0.0, ANSWER_TIMEOUT)
    with database.connections.reading() as connection:
        assert connection.execute("SELECT * FROM open_duels").fetchall() == []
    database.journal("tea").append([BEGINNING])
    assert duels.of("Ann", 0.0, ANSWER_TIMEOUT) is None


def test_sqlite_shares_no_open_duels(tmp_path: Path) -> None:
    with (
        Database(tmp_path / "studies.db") as database,
        refused(ParameterError, str(tmp_path / "studies.db"), "PostgreSQL"),
    ):
        SharedOpenDuels(database, "tea")
