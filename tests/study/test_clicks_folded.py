"""Whatever happens to lists, in whatever order and process, a fresh fold of the journal knows the same."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from study.world import ARMS, fresh, known, record, same_folds, show

from duelist import Study, Uniform
from duelist.errors import ConflictError
from duelist.journal import Answered, Clicked, MemoryJournal, Skipped
from duelist.study import ShownList, live_fold
from duelist.study.recording import run
from duelist.study.tickets import VARIABLE, new_key


class Lists(RuleBasedStateMachine):
    """Two studies of one journal, lists that are clicked, and everything that can happen to them."""

    settled = 0

    @initialize(learner=st.sampled_from([None, Uniform()]))
    def begin(self, learner: Any) -> None:
        self.journal = MemoryJournal()
        self.studies = [Study(learner, ARMS, journal=self.journal), Study.open(self.journal, worker=1)]
        self.lists: list[ShownList] = []

    @rule(which=st.integers(0, 1), voter=st.sampled_from([None, "ada", "bob"]))
    def show(self, which: int, voter: str | None) -> None:
        self.lists.append(show(self.studies[which], voter)[1])

    @precondition(lambda self: self.lists)
    @rule(
        which=st.integers(0, 1),
        place=st.integers(0, 99),
        clicked=st.sets(st.integers(0, 5)),
        final=st.booleans(),
        again=st.booleans(),
    )
    def click(self, which: int, place: int, clicked: set[int], final: bool, again: bool) -> None:
        shown = self.lists[place % len(self.lists)]
        try:
            self.studies[which].clicks(shown.ticket, [shown.documents[one] for one in clicked], final)
        except ConflictError:
            return
        before = len(self.journal.read())
        if again:
            self.studies[1 - which].clicks(shown.ticket, [shown.documents[one] for one in clicked], final)
            assert len(self.journal.read()) == before

    @rule(which=st.integers(0, 1), voter=st.sampled_from([None, "ada", "bob"]), late=st.booleans())
    def settle(self, which: int, voter: str | None, late: bool) -> None:
        run(self.studies[which].steps.settle(1e12 if late else 0.0, voter), self.journal.append)

    @rule(which=st.integers(0, 1), voter=st.sampled_from(["ada", "bob"]))
    def settle_at_the_same_moment(self, which: int, voter: str) -> None:
        both = [study.steps._collector.due(0.0, voter) for study in self.studies]
        for study, events in zip(self.studies[:: 1 - 2 * which], both, strict=True):
            for event in events:
                record(study, event)

    @rule(which=st.integers(0, 1), place=st.integers(0, 99), told=st.booleans())
    def tell(self, which: int, place: int, told: bool) -> None:
        if self.lists:
            ticket = self.lists[place % len(self.lists)].ticket
            try:
                self.studies[which].tell(ticket, "left") if told else self.studies[which].skip(ticket)
            except ConflictError:
                return

    @rule(which=st.integers(0, 1), place=st.integers(0, 99))
    def retract(self, which: int, place: int) -> None:
        votes = self.studies[which].votes()
        if votes:
            self.studies[which].retract(votes[place % len(votes)].ticket)

    @invariant()
    def the_fold_is_that_of_the_journal(self) -> None:
        folds = [known(study) for study in self.studies]
        assert same_folds(folds[0], folds[1])
        assert same_folds(folds[0], fresh(self.journal))
        events = [recorded.event for recorded in self.journal.read()]
        settled = [one for one in events if isinstance(one, Answered | Skipped)]
        clicked = {one.ticket for one in events if isinstance(one, Clicked)}
        assert {one.ticket for one in folds[0].pending} == clicked - {one.ticket for one in settled}
        assert folds[0].tally.answers == len(self.studies[0].votes())
        for one in settled:
            if isinstance(one, Answered) and one.clicked is not None:
                Lists.settled += 1
                earlier = {
                    p for e in events if isinstance(e, Clicked) and e.ticket == one.ticket for p in e.places
                }
                assert earlier <= {*one.clicked}


@pytest.mark.parametrize("every", [4, 5_000], ids=["many snapshots", "no snapshots"])
def test_whatever_happens_to_lists_the_fold_is_that_of_the_journal(
    every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, new_key().strip())
    monkeypatch.setattr(live_fold, "EVERY", every)
    monkeypatch.setattr(Lists, "settled", 0)
    run_state_machine_as_test(
        Lists, settings=settings(max_examples=25, stateful_step_count=25, deadline=None)
    )
    assert Lists.settled > 20
