"""Clicks on lists: durable at once, settled once as one answer, whoever settles and whatever is killed."""

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forked import Forked
from refusals import refused
from study.teller import click_and_die
from study.world import ARMS, RANKINGS, fresh, known, record, same_folds, show, snapshot_in

from duelist import Study
from duelist.clicks import navigational
from duelist.database import DatabaseJournal
from duelist.errors import ClosedError, ConflictError, FileError
from duelist.journal import Answered, Closed, Event, Journal, MemoryJournal
from duelist.study import live_fold
from duelist.study.clicking import SETTLE_AFTER
from duelist.study.recording import Steps
from duelist.study.tickets import VARIABLE, new_key


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time as a study sees it, to be moved."""
    now = [1e9]
    for module in ("asking", "clicking", "recording", "tickets"):
        monkeypatch.setattr(f"duelist.study.{module}.time", lambda: now[0])
    return now


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> tuple[Study, Study]:
    """Two studies of one journal with the same keys, as in two processes."""
    monkeypatch.setenv(VARIABLE, new_key().strip())
    journal = MemoryJournal()
    return Study(arms=ARMS, journal=journal), Study.open(journal, worker=1)


def kinds(journal: Journal) -> list[str]:
    return [type(recorded.event).__name__ for recorded in journal.read()][1:]


def test_clicks_are_collected_and_settled_at_the_voters_next_ask() -> None:
    study = Study(arms=ARMS)
    duel, shown = show(study, "ada")
    study.clicks(shown.ticket, shown.documents[:1])
    study.clicks(shown.ticket, iter(shown.documents[2:4]))
    study.clicks(shown.ticket, shown.documents[2:3])
    study.clicks(shown.ticket, [])
    assert kinds(study._journal) == ["Clicked", "Clicked"]
    study.ask(voter="bob")
    study.ask()
    assert (study.answers, len(study.votes(all=True))) == (0, 0)
    assert study.ask(voter="ada")[:2] != duel[:2]
    [vote] = study.votes()
    assert (vote.voter, vote.left, vote.right) == ("ada", duel.left, duel.right)
    event = study._journal.read()[-1].event
    assert isinstance(event, Answered)
    assert event.clicked == (0, 2, 3)
    assert not known(study).pending


def test_a_settled_list_is_the_answer_to_its_duel_as_it_was_asked(clock: list[float]) -> None:
    study = Study(arms=ARMS, seed=4, answer_timeout=30.0)
    for late in (False, True):
        duel, shown = show(study, "ada")
        clock[0] += 31.0 if late else 0.0
        clicked_at = clock[0]
        study.clicks(shown.ticket, shown.documents[:1])
        clock[0] += 20.0
        study.clicks(shown.ticket, shown.documents[1:2])
        study.ask(voter="ada")
        settled = study._journal.read()[-1].event
        told = study.steps._answered(duel, getattr(settled, "outcome", -1.0), None)
        assert isinstance(settled, Answered)
        for field in (
            "ticket",
            "left",
            "right",
            "voter",
            "flipped",
            "propensity",
            "round",
            "note",
            "learner",
        ):
            assert getattr(settled, field) == getattr(told, field)
        assert (settled.time, settled.late) == (clicked_at, late)


def test_the_next_list_of_a_voter_settles_and_the_next_page_does_not() -> None:
    study = Study(arms=ARMS)
    one, other = study.ask(voter="ada", n=2)
    lists = [dict(zip(duel[:2], RANKINGS, strict=True)) for duel in (one, other)]
    shown = study.interleave(one, lists[0], length=3)
    study.clicks(shown.ticket, shown.documents[:1])
    study.interleave(one, lists[0], length=3)
    more = study.interleave(shown.ticket, length=3, page=2)
    study.clicks(more.ticket, more.documents[:1])
    assert study.answers == 0
    study.interleave(other, lists[1])
    assert (study.answers, kinds(study._journal)) == (1, ["Clicked", "Clicked", "Answered"])
    assert getattr(study._journal.read()[-1].event, "clicked", None) == (0, 3)


def test_ten_minutes_after_the_first_click_any_process_settles(tmp_path: Path, clock: list[float]) -> None:
    path = tmp_path / "votes.db"
    study = Study(arms=ARMS, journal=path)
    tickets = [show(study, voter)[1] for voter in (None, "ada")]
    for shown in tickets:
        study.clicks(shown.ticket, shown.documents[:1])
        clock[0] += 1.0
    clock[0] += SETTLE_AFTER - 2.5
    study.clicks(tickets[0].ticket, tickets[0].documents[1:2])
    Study.open(path).ask()
    assert study.answers == 0
    clock[0] += 0.5
    Study.open(path).ask(voter="bob")
    assert study.answers == 1
    clock[0] += 1.0
    show(Study.open(path))
    assert study.answers == 2
    assert len(study.votes()) == 2


def test_a_final_call_settles_at_once_in_one_event() -> None:
    study = Study(arms=ARMS)
    duel, shown = show(study, "ada")
    for _ in range(2):
        study.clicks(shown.ticket, shown.documents[:2], final=True)
    assert kinds(study._journal) == ["Answered"]
    assert study.ask(voter="ada") != duel
    _, begun = show(study, "bob")
    study.clicks(begun.ticket, begun.documents[:1])
    study.clicks(begun.ticket, begun.documents[2:3], final=True)
    assert getattr(study._journal.read()[-1].event, "clicked", None) == (0, 2)
    _, empty = show(study)
    for _ in range(2):
        study.clicks(empty.ticket, [], final=True)
    assert kinds(study._journal) == ["Answered", "Clicked", "Answered", "Skipped"]
    with refused(ConflictError, "skipped"):
        study.clicks(empty.ticket, empty.documents[:1])
    assert study.answers == 2


def test_after_settling_the_same_clicks_do_no_harm_and_others_are_refused() -> None:
    study = Study(arms=ARMS)
    duel, shown = show(study, "ada")
    study.clicks(shown.ticket, shown.documents[:2])
    study.ask(voter="ada")
    written = len(study._journal.read())
    for final in (False, True):
        for clicked in (shown.documents[:2], shown.documents[1:2], ()):
            study.clicks(shown.ticket, clicked, final)
        with refused(ConflictError, "settled"):
            study.clicks(shown.ticket, shown.documents[1:3], final)
    assert len(study._journal.read()) == written
    study.retract(shown.ticket)
    study.retract(duel)
    assert (study.answers, [vote.status for vote in study.votes(all=True)]) == (0, ["retracted"])
    for final in (False, True):
        with refused(ConflictError, "retracted"):
            study.clicks(shown.ticket, shown.documents[:1], final)
    assert len(study._journal.read()) == written + 1
    assert same_folds(known(study), fresh(study._journal))


def test_a_duel_that_is_told_or_skipped_counts_as_told_and_not_as_clicked() -> None:
    study = Study(arms=ARMS)
    for answer in ("tell", "skip"):
        duel, shown = show(study, "ada")
        study.clicks(shown.ticket, shown.documents[:1])
        if answer == "tell":
            study.tell(shown.ticket, "tie")
            study.tell(duel, "tie")
        else:
            study.skip(shown.ticket)
        with refused(ConflictError, "ticket"):
            study.clicks(shown.ticket, shown.documents[:1])
        assert not known(study).pending
        assert study.ask(voter="ada") != duel
    assert kinds(study._journal) == ["Clicked", "Answered", "Clicked", "Skipped"]
    assert [vote.outcome for vote in study.votes()] == ["tie"]


def test_a_ticket_is_for_one_list() -> None:
    study = Study(arms=ARMS)
    duel, shown = show(study)
    other = study.interleave(duel, {duel.left: ["a", "b"], duel.right: ["c"]})
    study.clicks(shown.ticket, shown.documents[:1])
    with refused(ConflictError, "another list"):
        study.clicks(other.ticket, other.documents[:1])
    assert kinds(study._journal) == ["Clicked"]


def test_two_processes_that_settle_at_the_same_moment_count_once(pair: tuple[Study, Study]) -> None:
    one, other = pair
    _, shown = show(one, "ada")
    one.clicks(shown.ticket, shown.documents[:1])
    early = one.steps._collector.due(0.0, "ada")
    other.clicks(shown.ticket, shown.documents[1:2])
    late = other.steps._collector.due(0.0, "ada")
    assert early != late
    for study, events in ((other, late), (one, early)):
        for event in events:
            record(study, event)
    assert (one.answers, other.answers) == (1, 1)
    assert kinds(one._journal) == ["Clicked", "Clicked", "Answered"]
    # as silent if the answer was taken back, or another one was given, meanwhile
    one.retract(shown.ticket)
    record(other, late[0])
    _, shown = show(one, "bob")
    one.clicks(shown.ticket, shown.documents[:1])
    [due] = one.steps._collector.due(0.0, "bob")
    other.skip(shown.ticket)
    record(one, due)
    assert one.answers == 0


def test_a_click_at_the_moment_of_settling_is_refused_and_settled_no_more(pair: tuple[Study, Study]) -> None:
    one, other = pair
    _, shown = show(one, "ada")
    one.clicks(shown.ticket, shown.documents[:1])
    click = one.steps._collector.event(shown.ticket, shown.documents[1:2], False)
    final = one.steps._collector.event(shown.ticket, shown.documents[1:2], True)
    other.ask(voter="ada")
    for event in (click, final):
        assert event is not None
        record(one, event)
        with refused(ConflictError, "settled"):
            one.steps._collector.confirm(event)
    assert kinds(one._journal) == ["Clicked", "Answered", "Clicked"]
    for study in pair:
        assert study.steps._collector.due(float("inf")) == []
    assert one.answers == 1


@pytest.mark.parametrize("final", [False, True])
def test_who_clicked_too_late_is_told(
    final: bool, pair: tuple[Study, Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    _, shown = show(one, "ada")
    one.clicks(shown.ticket, shown.documents[:1])
    usual = one.steps._record

    def settle_before(event: Event) -> Steps[None]:
        other.ask(voter="ada")
        return usual(event)

    monkeypatch.setattr(one.steps, "_record", settle_before)
    with refused(ConflictError, "settled"):
        one.clicks(shown.ticket, shown.documents[1:2], final)
    one.clicks(shown.ticket, shown.documents[:1], final)
    assert one.answers == 1


def test_what_was_not_settled_when_the_study_was_closed_stays_as_it_is() -> None:
    study = Study(arms=ARMS)
    _, shown = show(study, "ada")
    study.clicks(shown.ticket, shown.documents[:1])
    study._journal.append([Closed()])  # by a process that did not know of the click
    with refused(ClosedError, "closed", "ask"):
        study.ask(voter="ada")
    assert study.interleave(shown.ticket, length=6).documents == shown.documents
    assert kinds(study._journal) == ["Clicked", "Closed"]


def test_a_process_that_is_killed_after_a_click_has_lost_nothing(tmp_path: Path, clock: list[float]) -> None:
    path = tmp_path / "votes.db"
    Study(arms=ARMS, journal=path)
    clicker = Forked(click_and_die, path)
    [(ticket, document, left)] = clicker.sent()
    assert clicker.end() == -signal.SIGKILL
    study = Study.open(path)
    assert study.answers == 0
    study.clicks(ticket, [document])
    clock[0] = 1e10
    study.ask()
    [vote] = study.votes()
    assert (vote.voter, vote.left) == ("ada", left)
    assert vote.outcome == ("left" if document in "ab" else "right")
    assert same_folds(known(study), known(Study.open(path)))


def test_a_failed_write_settles_later(monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study(arms=ARMS)
    _, shown = show(study, "ada")
    study.clicks(shown.ticket, shown.documents[:1])

    def full(self: MemoryJournal, events: Any) -> int:
        raise FileError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(MemoryJournal, "append", full)
        with refused(FileError, "no room"):
            study.ask(voter="ada")
    assert study.answers == 0
    study.ask(voter="ada")
    assert study.answers == 1


def test_closing_settles_what_was_clicked() -> None:
    study = Study(arms=ARMS)
    _, shown = show(study)
    _, other = show(study)
    study.clicks(shown.ticket, shown.documents[:1])
    study.close()
    assert kinds(study._journal) == ["Clicked", "Answered", "Closed"]
    study.clicks(shown.ticket, shown.documents[:1])
    for final in (False, True):
        with refused(ClosedError, "closed"):
            study.clicks(other.ticket, other.documents[:1], final)
    with refused(ClosedError, "closed", "ask"):
        study.ask()


def test_snapshots_keep_clicks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_fold, "EVERY", 5)
    path = tmp_path / "votes.db"
    study = Study(arms=ARMS, journal=path)
    lists = [show(study, f"voter {i}")[1] for i in range(7)]
    for shown in lists:
        study.clicks(shown.ticket, shown.documents[:2])
    assert snapshot_in(path) is not None
    read: list[int] = []
    original = DatabaseJournal.read

    def reading(self: DatabaseJournal, since: int = 0, keys: Any = None) -> Any:
        found = original(self, since, keys)
        read.append(len(found))
        return found

    monkeypatch.setattr(DatabaseJournal, "read", reading)
    again = Study.open(path)
    assert max(read) < 5, "it was not folded from its beginning"
    assert len(known(again).pending) == 7
    assert same_folds(known(again), fresh(again._journal))
    again.ask(voter="voter 3")
    study.retract(lists[3].ticket)
    assert same_folds(known(study), fresh(study._journal))
    assert len(known(study).pending) == 6


@pytest.mark.parametrize("interleaving", ["team_draft", "probabilistic"])
def test_a_search_page_finds_the_best_ranker(
    interleaving: str, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    luck = np.random.default_rng(11)
    monkeypatch.setattr("os.urandom", np.random.default_rng(12).bytes)
    noise = {"bm25": 2.0, "dense": 0.1, "hybrid": 2.0}
    study, people = Study(arms=[*noise], seed=3, interleaving=interleaving), navigational(2)
    for visit in range(400):
        clock[0] += 20.0
        grades = (luck.random(20) < 0.3).astype(np.int64)
        rankings = {
            name: np.argsort(noise[name] * luck.standard_normal(20) - grades).tolist() for name in noise
        }
        duel = study.ask(voter=f"visitor {visit // 2}")
        shown = study.interleave(duel, {name: rankings[name] for name in duel[:2]})
        clicked = people.click([grades[int(document)] for document in shown.documents], luck)
        study.clicks(shown.ticket, [shown.documents[place] for place in np.flatnonzero(clicked)])
    assert study.best() == "dense"
    assert study.verdict().winner == "dense"
    assert 300 < study.answers < 400, "the last ones are not settled yet"
