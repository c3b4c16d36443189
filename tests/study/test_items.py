"""Items: a pair may be compared on many, and a voter sees each of them once."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from refusals import refused

from duelist import RUCB, Duel, Study
from duelist.database import Database
from duelist.errors import ConflictError, ParameterError, TicketError
from duelist.journal import Answered, Skipped
from duelist.study.live_fold import EVERY

ARMS, ITEMS = ["a", "b", "c"], ["one", "two", "three", "four"]


def pair_on(duel: Duel) -> tuple[str, str, str | None]:
    left, right = sorted((duel.left, duel.right))
    return left, right, duel.item


def test_a_voter_sees_each_pair_on_each_item_once_before_any_again() -> None:
    study, seen = Study(arms=ARMS, seed=3), []
    everything = {(*pair, item) for pair in combinations(ARMS, 2) for item in ITEMS}
    while not study.exhausted("v", ITEMS):
        duel = study.ask(voter="v", items=ITEMS)
        assert study.ask(voter="v", items=ITEMS) == duel  # until it is answered
        seen.append(pair_on(duel))
        if len(seen) % 3:
            study.tell(duel, "left")
        else:
            study.skip(duel)
    assert sorted(seen) == sorted(everything)
    assert not study.exhausted("another", ITEMS)
    assert not study.exhausted("v", [*ITEMS, "five"])
    assert {study.ask(voter="v", items=[*ITEMS, "five"]).item} == {"five"}


def test_a_learner_gets_the_pair_it_wants_as_long_as_there_are_items() -> None:
    study = Study(RUCB(), arms=["a", "b", "c"], seed=1)
    for _ in range(40):
        study.tell(Duel("a", "c"), "left")
        study.tell(Duel("b", "c"), "left")
    pairs = []
    for _ in range(20):
        duel = study.ask(voter="v", items=[f"item {n}" for n in range(50)])
        pairs.append({duel.left, duel.right})
        study.tell(duel, "tie")
    # without items the voter would have seen this pair once, and the others instead
    assert pairs.count({"a", "b"}) >= 15


def test_one_vote_a_voter_pair_and_item_is_evidence() -> None:
    study = Study(arms=["a", "b"])
    for item in ("one", "two", "one", None, None):
        study.tell(Duel("a", "b", item=item), "left", voter="v")
    assert study._live.fold.tally.wins[0, 1] == 3.0
    assert study.verdict().repeats == 2
    assert (study.answers, study._live.fold.tally.scores[0, 1]) == (5, 3.0)


def test_items_are_sealed_kept_exported_and_imported() -> None:
    study = Study(arms=ARMS)
    duel = study.ask(voter="v", items=ITEMS)
    study.tell(duel.ticket or "", "left")
    skipped = study.ask(voter="v", items=["two"])
    study.skip(skipped)
    events = [one.event for one in study._journal.read()]
    assert [event.item for event in events if isinstance(event, Answered | Skipped)] == [duel.item, "two"]
    rows = study.votes(all=True)
    assert [row.item for row in rows] == [duel.item, "two"]
    other = Study(arms=ARMS)
    assert other.import_votes(rows) == 1
    assert other.votes()[0].item == duel.item
    # a vote without a ticket is known by its content, to which the item belongs
    plain = [{"left": "a", "right": "b", "outcome": "left", "item": item} for item in ("one", "two", "")]
    assert other.import_votes(plain) == 3
    assert other.import_votes(plain) == 0


def test_what_was_seen_outlives_the_process_and_its_snapshot(tmp_path: Path) -> None:
    def journal() -> Any:
        return Database(tmp_path / "votes.db").journal("items")

    study = Study(RUCB(), arms=["a", "b"], journal=journal())
    study.tell(study.ask(voter="v", items=["one"]), "left")
    study.import_votes(
        [{"left": "a", "right": "b", "outcome": "tie", "voter": f"w{n}", "item": "one"} for n in range(EVERY)]
    )
    again = Study.open(journal())
    assert again.exhausted("v", ["one"])
    assert not again.exhausted("v", ["one", "two"])
    assert again.exhausted("w7", ["one"])
    assert not again.exhausted("w7")


def test_a_duel_taken_back_is_shown_again_under_a_new_ticket() -> None:
    study = Study(arms=ARMS, seed=5)
    first = study.ask(voter="v", items=ITEMS)
    study.tell(first, "left")
    following = study.ask(voter="v", items=ITEMS)
    study.retract(first)
    ticket = study.steps._ticket(first.ticket)
    study.steps._asker.ask_again(ticket)
    again = study.ask(voter="v", items=ITEMS)
    assert (again.left, again.right, again.item) == (first.left, first.right, first.item)
    assert again.ticket != first.ticket
    assert study.ask(voter="v", items=ITEMS) == again
    with refused(ConflictError, "retracted"):
        study.tell(first, "left")
    study.tell(again, "right")
    assert study.ask(voter="v", items=ITEMS) == following
    assert [row.outcome for row in study.votes()] == ["right"]
    study.retract(again)
    study.retire_arm(again.left)
    study.steps._asker.ask_again(ticket)
    assert again.left not in study.ask(voter="v", items=ITEMS)[:2]


def test_an_open_duel_is_shown_again_only_on_items_that_are_offered() -> None:
    study = Study(arms=ARMS)
    first = study.ask(voter="v", items=["one"])
    other = study.ask(voter="v", items=["two"])
    alone = study.ask(voter="v")
    assert (first.item, other.item, alone.item) == ("one", "two", None)
    assert len({first.ticket, other.ticket, alone.ticket}) == 3


@pytest.mark.parametrize(
    "items", ["one", [], ["one", "one"], [""], [3], ["a\nb"], {"one": 1}, {"one"}, 5, [["one"]]]
)
def test_what_are_no_items_is_refused(items: Any) -> None:
    with refused(ParameterError, "items"):
        Study(arms=ARMS).ask(items=items)


def test_a_ticket_of_another_study_takes_no_item_along() -> None:
    duel = Study(arms=ARMS).ask(items=ITEMS)
    with pytest.raises(TicketError):
        Study(arms=ARMS).tell(duel, "left")
