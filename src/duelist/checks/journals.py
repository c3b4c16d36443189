"""The contract of journals: a class of tests that every journal must pass, whatever its storage."""

from collections.abc import Callable, Sequence
from threading import Thread

from duelist.errors import ConflictError, ParameterError
from duelist.journal import (
    Answered,
    ArmAdded,
    ArmRetired,
    Clicked,
    Closed,
    Created,
    DocumentsClicked,
    Event,
    Journal,
    LearnerChanged,
    NumberedList,
    RankedList,
    Recorded,
    RepeatedEventError,
    Retracted,
    Skipped,
)

BEGINNING = Created(
    format=1,
    study="0123456789abcdef" * 2,
    seed=2**64,
    learner={"name": "RUCB", "alpha": 0.51},
    choices={"arms": ["tea", "coffee"]},
    package="0.1.0",
    time=1789000000.125,
)
ONE_OF_EACH: tuple[Event, ...] = (
    BEGINNING,
    ArmAdded(arm="Käse & 🧀", time=1789000001.0),
    Answered(
        ticket="dB1_-xyz",
        left=0,
        right=2,
        outcome=0.5,
        voter="Ann",
        flipped=True,
        propensity=(0.1, 1.0),
        round=17.0,
        note=[0.1 + 0.2, 5e-324, -0.0],
        context={"query": "tea", "weights": [1, 2.5, None, True]},
        learner=2,
        late=True,
    ),
    Answered(ticket="points", left=[0.1, -3.0], right=[1e300, 2.0], outcome=1.0),
    Skipped(ticket="skipped", left=1, right=0, voter="Ben"),
    Retracted(ticket="dB1_-xyz"),
    ArmRetired(arm="tea"),
    LearnerChanged(learner={"name": "Uniform"}, example={"k": 3}),
    Closed(time=1789000002.5),
    Clicked(
        ticket="list",
        left=0,
        right=2,
        shown=NumberedList(
            (0, 1), (1, 2), documents=(1, 2, 0), teams=(1, 0, -1), propensities=(0.5, 1.0, 0.3)
        ),
        places=(0, 2),
        voter="Ann",
        flipped=True,
        propensity=(0.1, 1.0),
        round=17.0,
        note=[0.1],
        context={"query": "tea"},
        learner=2,
        late=True,
        time=1789000003.0,
    ),
    ArmAdded(
        arm="tea", text="green\n\t½", link="https://a.example/?b=[1]#c", image="data:image/png;base64,AA=="
    ),
    Answered(ticket="list", left=0, right=2, outcome=0.0, clicked=(0, 2)),
    DocumentsClicked(
        ticket="ranking",
        shown=RankedList((7, 0, 2), b"\x00\xff features, page and note"),
        places=(0, 2),
        voter="Ann",
        learner=2,
        late=True,
        final=True,
        time=1789000004.0,
    ),
    DocumentsClicked(ticket="clicked", shown=RankedList((1,), b""), places=(0,)),
)
"""Events of every kind, with every field set in at least one of them."""


def answer(ticket: str, outcome: float = 1.0) -> Answered:
    return Answered(ticket=ticket, left=0, right=1, outcome=outcome)


def started(work: Callable[[int], None], threads: int) -> list[Thread]:
    """Start threads that call `work` with their number."""
    workers = [Thread(target=work, args=(thread,)) for thread in range(threads)]
    for worker in workers:
        worker.start()
    return workers


class JournalChecks:
    """Tests for a journal: derive a class, define `create`, and `reopen` if the journal can be reopened.

    Run them with pytest or any runner that calls methods named `test_...`.

    Attributes
    ----------
    threads : int, default 8
        Number of threads that append at once.
    each : int, default 200
        Number of events that each thread appends; lower it if appending is slow.

    Examples
    --------
    >>> from duelist.journal import MemoryJournal
    >>> class TestMemoryJournal(JournalChecks):
    ...     def create(self):
    ...         return MemoryJournal()
    >>> TestMemoryJournal().test_every_kind_of_event_is_read_as_it_was_appended()
    """

    threads = 8
    each = 200

    def create(self) -> Journal:
        """Return a new, empty journal."""
        raise TypeError(f"{type(self).__name__} must define create(), which returns a new, empty journal")

    def reopen(self, journal: Journal) -> Journal | None:
        """Return the same journal, opened a second time; None if it cannot be reopened."""
        return None

    def begun(self, *events: Event) -> Journal:
        """Return a new journal with its creation event and these events."""
        journal = self.create()
        assert journal.append([BEGINNING, *events]) == 1 + len(events), "append must return the last number"
        return journal

    def refuses(self, journal: Journal, events: Sequence[Event], expected: type[Exception]) -> Exception:
        """Append events that must raise an error; check that nothing was written, and return the error."""
        before = journal.read()
        try:
            journal.append(events)
        except expected as error:
            assert journal.read() == before, "a failed append changed the journal"
            return error
        raise AssertionError(f"appending {events} must raise {expected.__name__}")

    def test_a_new_journal_is_empty(self) -> None:
        """Reading returns nothing, and appending nothing returns 0."""
        journal = self.create()
        assert journal.read() == []
        assert journal.read(since=7) == []
        assert journal.read(keys=["created"]) == []
        assert journal.append([]) == 0

    def test_every_kind_of_event_is_read_as_it_was_appended(self) -> None:
        """Events are read in order, equal and numbered without gaps."""
        journal = self.create()
        assert journal.append(ONE_OF_EACH) == len(ONE_OF_EACH)
        expected = [Recorded(seq, event) for seq, event in enumerate(ONE_OF_EACH, 1)]
        read = journal.read()
        assert read == expected
        assert [type(recorded.event) for recorded in read] == [type(event) for event in ONE_OF_EACH]
        again = self.reopen(journal)
        if again is not None:
            assert again.read() == expected
            assert again.append([]) == len(ONE_OF_EACH)

    def test_numbers_go_on_from_append_to_append(self) -> None:
        """Each append returns the number of its last event; appending nothing returns the last number."""
        journal = self.begun()
        assert journal.append([answer("a")]) == 2
        assert journal.append([answer("b"), answer("c")]) == 4
        assert journal.append([]) == 4
        assert [recorded.seq for recorded in journal.read()] == [1, 2, 3, 4]

    def test_read_since_a_number(self) -> None:
        """Only events after the number are read, whatever was read before."""
        journal = self.begun(*(answer(f"t{number}") for number in range(2, 11)))
        everything = journal.read()
        for since in (0, 9, 10, 3, 11, 10_000, 8, 1, 0, -1):
            assert journal.read(since) == everything[max(since, 0) :]
        journal.append([answer("new")])
        assert [recorded.seq for recorded in journal.read(since=10)] == [11]

    def test_read_by_key(self) -> None:
        """Only events with one of the keys are read, in order and once each."""
        journal = self.begun(answer("a"), ArmAdded(arm="tea"), answer("b"), Retracted(ticket="a"))
        assert [recorded.seq for recorded in journal.read(keys=["b", "a", "b", "unknown"])] == [2, 4]
        assert [recorded.seq for recorded in journal.read(since=2, keys=["a", "b"])] == [4]
        assert [recorded.seq for recorded in journal.read(keys={"retracted a", "created"})] == [1, 5]
        assert journal.read(keys=[]) == []
        assert journal.read(keys=["tea"]) == [], "an arm's name is not a key"
        assert journal.read(keys=["A", "", "ä", "\ud800", "a\0", "a' OR 1 --"]) == []

    def test_a_key_is_used_once(self) -> None:
        """Appending a key again raises an error that has the stored event."""
        first = answer("a")
        journal = self.begun(first, Skipped(ticket="s", left=0, right=1), Retracted(ticket="a"), Closed())
        again: list[tuple[Event, Recorded]] = [
            (first, Recorded(2, first)),
            (answer("a", outcome=0.0), Recorded(2, first)),
            (Skipped(ticket="a", left=0, right=1), Recorded(2, first)),
            (answer("s"), journal.read(since=2)[0]),
            (Retracted(ticket="a", time=5.0), journal.read(since=3)[0]),
            (Closed(time=5.0), journal.read(since=4)[0]),
            (BEGINNING, Recorded(1, BEGINNING)),
        ]
        for event, stored in again:
            error = self.refuses(journal, [answer("new"), event], RepeatedEventError)
            assert isinstance(error, RepeatedEventError)
            assert isinstance(error, ConflictError)
            assert error.stored == stored
            assert repr(event.key) in str(error)
        assert journal.append([answer("new")]) == 6, "a failed batch must not use up its new keys"

    def test_a_key_stands_once_in_a_batch(self) -> None:
        """Two events with the same key in one append raise an error."""
        journal = self.begun()
        error = self.refuses(journal, [answer("a"), answer("b"), answer("a", 0.0)], RepeatedEventError)
        assert isinstance(error, RepeatedEventError)
        assert error.stored == Recorded(2, answer("a"))

    def test_what_has_no_key_may_happen_again(self) -> None:
        """Events without a key may repeat: an arm is added, retired and added again."""
        journal = self.begun(ArmAdded(arm="tea"), ArmRetired(arm="tea"), ArmAdded(arm="tea"))
        assert journal.append([ArmRetired(arm="tea")]) == 5

    def test_a_journal_begins_with_its_creation(self) -> None:
        """Any other first event raises an error, and the journal can still begin."""
        journal = self.create()
        self.refuses(journal, [answer("a")], ParameterError)
        self.refuses(journal, [answer("a"), BEGINNING], ParameterError)
        self.refuses(journal, [BEGINNING, answer("a"), BEGINNING], RepeatedEventError)
        assert journal.append([BEGINNING]) == 1

    def test_two_handles_see_each_other(self) -> None:
        """Each handle reads the other's events, and cannot use the other's keys."""
        first = self.begun()
        second = self.reopen(first)
        if second is None:
            return
        for number in range(2, 12, 2):
            assert first.append([answer(f"first-{number}")]) == number
            assert second.append([answer(f"second-{number}")]) == number + 1
            assert second.read(since=number - 1) == first.read(since=number - 1)
        self.refuses(first, [answer("second-4")], RepeatedEventError)
        self.refuses(second, [answer("first-10")], RepeatedEventError)
        assert first.read() == second.read()

    def test_threads_append_at_once(self) -> None:
        """Every event is stored once, and concurrent readers see numbers without gaps."""
        journal, threads, each = self.begun(), self.threads, self.each
        returned: list[int] = []
        seen: list[Recorded] = []

        def work(thread: int) -> None:
            returned.extend(journal.append([answer(f"{thread}-{number}")]) for number in range(each))

        workers = started(work, threads)
        while any(worker.is_alive() for worker in workers):
            seen += journal.read(since=len(seen))
        seen += journal.read(since=len(seen))
        assert [recorded.seq for recorded in seen] == list(range(1, threads * each + 2))
        assert sorted(returned) == list(range(2, threads * each + 2)), "a number was returned twice"
        assert seen == journal.read()
        expected = {f"{thread}-{number}" for thread in range(threads) for number in range(each)}
        assert {recorded.event.key for recorded in seen} == expected | {"created"}

    def test_threads_compete_for_a_key(self) -> None:
        """One thread appends it; all others get the stored event."""
        journal, threads = self.begun(), self.threads
        stored: list[Recorded] = []

        def work(thread: int) -> None:
            mine = answer("same", thread / threads)
            try:
                stored.append(Recorded(journal.append([mine]), mine))
            except RepeatedEventError as error:
                stored.append(error.stored)

        for worker in started(work, threads):
            worker.join()
        assert len(journal.read()) == 2
        assert stored == [journal.read()[1]] * threads
