"""A journal in memory keeps the contract of journals, and one that does not is found out."""

import pytest
from refusals import refused

from duelist.checks import JournalChecks
from duelist.journal import MemoryJournal


class TestMemoryJournal(JournalChecks):
    def create(self) -> MemoryJournal:
        return MemoryJournal()


def test_a_journal_that_forgets_or_repeats_does_not_pass() -> None:
    class Forgetful(MemoryJournal):
        def append(self, events: object) -> int:
            return super().append([])

    class TestForgetful(JournalChecks):
        def create(self) -> Forgetful:
            return Forgetful()

    with pytest.raises(AssertionError):
        TestForgetful().test_every_kind_of_event_is_read_as_it_was_appended()
    with refused(TypeError, "create"):
        JournalChecks().test_a_new_journal_is_empty()
    assert JournalChecks().reopen(MemoryJournal()) is None
