"""Both journals keep the contract of journals."""

from pathlib import Path

import pytest

from duelist.checks import JournalChecks
from duelist.journal import Journal, JsonLinesJournal, MemoryJournal


class TestMemoryJournal(JournalChecks):
    def create(self) -> MemoryJournal:
        return MemoryJournal()


class TestJsonLinesJournal(JournalChecks):
    each = 8  # each append waits for the disk, and the reader reads all the while

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.path = tmp_path / "votes.jsonl"

    def create(self) -> JsonLinesJournal:
        assert not self.path.exists()
        return JsonLinesJournal(self.path)

    def reopen(self, journal: Journal) -> JsonLinesJournal:
        return JsonLinesJournal(self.path)

    def test_the_index_is_in_use(self) -> None:
        self.test_read_by_key()
        assert self.path.with_name("votes.jsonl.index").stat().st_size > 0
        assert JsonLinesJournal(self.path).read(keys=["b"])


class TestJournalWithoutIndexFile(TestJsonLinesJournal):
    """Where the index cannot be written, everything works, only slower."""

    def create(self) -> JsonLinesJournal:
        self.path.with_name("votes.jsonl.index").mkdir()
        return super().create()

    def test_the_index_is_in_use(self) -> None:
        self.test_read_by_key()
        assert not any(self.path.with_name("votes.jsonl.index").iterdir())


def test_a_journal_that_forgets_or_repeats_does_not_pass() -> None:
    class Forgetful(MemoryJournal):
        def append(self, events: object) -> int:
            return super().append([])

    class TestForgetful(JournalChecks):
        def create(self) -> Forgetful:
            return Forgetful()

    with pytest.raises(AssertionError):
        TestForgetful().test_every_kind_of_event_is_read_as_it_was_appended()
    with pytest.raises(TypeError, match="define create"):
        JournalChecks().test_a_new_journal_is_empty()
    assert JournalChecks().reopen(MemoryJournal()) is None
