"""Studies of documents: lists of a learner of rankings, and clicks on them, against the protocol itself."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest
from forked import Forked
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from refusals import refused
from study.rankers import KNOWN, LEARNERS, D, PlainRanker, documents
from study.teller import click_on_documents_and_die
from study.world import append_line, fresh, known, same_folds, snapshot_in

from duelist import RUCB, Duel, DuelingGradientRanker, PairwiseGradientRanker, Parameter, Study
from duelist.errors import (
    ClosedError,
    ConflictError,
    DuelistError,
    FileError,
    OutcomeError,
    ParameterError,
    TicketError,
)
from duelist.journal import DocumentsClicked, MemoryJournal, RankedList, RepeatedEventError
from duelist.journal.codec import encode
from duelist.kernels.live import interpreted_kernels
from duelist.menus import Documents, Impression
from duelist.ranking import LinearRanker
from duelist.study import ShownList, live_fold
from duelist.study.clicking import SETTLE_AFTER
from duelist.study.documents import pack
from duelist.study.player import RandomStreams
from duelist.study.storage import DifferentStudyError
from duelist.study.tickets import VARIABLE, ListTicket, any_ticket_of, new_key, seal

ROW = np.zeros((1, D))
EXAMPLE = Documents(ROW)
NO_ROWS: Any = (0.0,)
NOTHING: Any = None


def begin(learner: Any = None, **options: Any) -> Study:
    return Study(PairwiseGradientRanker(length=4) if learner is None else learner, features=ROW, **options)


def same_state(study: Study, state: Any) -> bool:
    """Whether a study's learner knows this, to the last bit."""
    mine = known(study).player.state
    return type(mine) is type(state) and all(
        one.dtype == other.dtype and np.array_equal(one, other)
        for one, other in zip(mine, state, strict=True)
    )


def ticket_of(study: Study, shown: ShownList) -> ListTicket:
    ticket = any_ticket_of(shown.ticket, study.steps.live, study.steps._keys)
    assert isinstance(ticket, ListTicket)
    return ticket


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_a_study_is_the_protocol_to_the_last_bit(learner: Any) -> None:
    study, streams = begin(learner, seed=7), RandomStreams(7)
    with interpreted_kernels():
        state = learner.init(EXAMPLE, streams.start())
        for n in range(12):
            features = documents(1 + n, n)
            shown = study.rank(features, voter=f"voter {n % 2}")
            impression = learner.ask(state, Documents(features), streams.at(n + 1, 1, f"voter {n % 2}"))
            assert shown.documents == impression.documents
            clicked = impression.documents[n % 3 :: 2]
            study.clicks(shown.ticket, reversed(clicked), final=True)
            state = learner.tell(state, impression, clicked)
            assert same_state(study, state)
        assert isinstance(study.best(), LinearRanker)
        assert np.array_equal(study.best().weights, learner.best(state, EXAMPLE).weights)
    assert study.answers == 12
    assert same_folds(fresh(study._journal, KNOWN), known(study))


@dataclass
class Listed:
    """A list as the protocol knows it."""

    shown: ShownList
    impression: Impression
    learner: int
    voter: str | None
    pending: set[int]
    settled: set[int] | None = None
    retracted: bool = False


class Sessions(RuleBasedStateMachine):
    """Two processes that rank and are clicked in any order, beside the protocol told the same by hand."""

    @initialize(name=st.sampled_from(sorted(LEARNERS)), seed=st.integers(0, 3))
    def open(self, name: str, seed: int) -> None:
        self.patches: list[Any] = [
            mock.patch.object(live_fold, "EVERY", 3),
            mock.patch.dict("os.environ", {VARIABLE: new_key().strip()}),
        ]
        for patch in self.patches:
            patch.start()
        self.seed, self.learners, self.journal = seed, [LEARNERS[name]], MemoryJournal()
        begin(LEARNERS[name], seed=seed, journal=self.journal)
        self.lists: list[Listed] = []
        self.clicked: list[Listed] = []
        self.answered: list[Listed] = []
        self.reopen(0)
        self.reopen(1)

    def teardown(self) -> None:
        for patch in self.patches:
            patch.stop()

    def state(self) -> Any:
        """Return what the last learner knows of what was answered, told in order."""
        learner, last = self.learners[-1], len(self.learners) - 1
        with interpreted_kernels():
            state = learner.init(EXAMPLE, RandomStreams(self.seed).start())
            for one in self.answered:
                made = (
                    one.impression if one.learner == last else one.impression._replace(page=None, note=None)
                )
                rows = [row for place, row in enumerate(made.documents) if place in (one.settled or ())]
                try:
                    state = state if one.retracted else learner.tell(state, made, rows)
                except OutcomeError:
                    assert one.learner != last
        return state

    def settle(self, one: Listed) -> None:
        one.settled = one.pending
        self.answered.append(one)
        if one in self.clicked:
            self.clicked.remove(one)

    @rule(process=st.integers(0, 1))
    def reopen(self, process: int) -> None:
        if not hasattr(self, "studies"):
            self.studies: dict[int, Study] = {}
        self.studies[process] = Study.open(self.journal, self.learners[-1], worker=process)
        self.studies[process].steps.live.learners.extend(KNOWN)
        self.asks = {**getattr(self, "asks", {}), process: (0, 0)}

    @rule(process=st.integers(0, 1), n=st.integers(1, 6), voter=st.sampled_from([None, "ann", "bob"]))
    def rank(self, process: int, n: int, voter: str | None) -> None:
        features = documents(n, len(self.lists))
        shown = self.studies[process].rank(features, [f"d{row}" for row in range(n)], voter=voter)
        for one in [one for one in self.clicked if voter is not None and one.voter == voter]:
            self.settle(one)
        seq = len(self.journal.read())
        before, asks = self.asks[process]
        asks = asks + 1 if before == seq else 1
        self.asks[process] = seq, asks
        with interpreted_kernels():
            rng = RandomStreams(self.seed, process).at(seq, asks, voter)
            impression = self.learners[-1].ask(self.state(), Documents(features), rng)
        assert shown.documents == tuple(f"d{row}" for row in impression.documents)
        self.lists.append(Listed(shown, impression, len(self.learners) - 1, voter, set()))

    @precondition(lambda self: self.lists)
    @rule(
        process=st.integers(0, 1),
        which=st.integers(0, 5),
        places=st.sets(st.integers(0, 3)),
        final=st.booleans(),
    )
    def click(self, process: int, which: int, places: set[int], final: bool) -> None:
        one = self.lists[-1 - which % len(self.lists)]
        places = {place for place in places if place < len(one.shown.documents)}
        clicked = [one.shown.documents[place] for place in sorted(places, reverse=True)]
        if one.retracted or (one.settled is not None and not places <= one.settled):
            with refused(ConflictError):
                self.studies[process].clicks(one.shown.ticket, clicked, final=final)
            return
        self.studies[process].clicks(one.shown.ticket, clicked, final=final)
        if one.settled is None:
            if not one.pending and places:
                self.clicked.append(one)
            one.pending |= places
            if final:
                self.settle(one)

    @precondition(lambda self: self.answered)
    @rule(process=st.integers(0, 1), which=st.integers(0, 5))
    def retract(self, process: int, which: int) -> None:
        one = self.answered[-1 - which % len(self.answered)]
        self.studies[process].retract(one.shown.ticket)
        one.retracted = True

    @precondition(lambda self: len(self.learners) < 4)
    @rule(process=st.integers(0, 1), name=st.sampled_from(sorted(LEARNERS)))
    def change_learner(self, process: int, name: str) -> None:
        self.learners.append(LEARNERS[name])
        self.studies[process].change_learner(LEARNERS[name])

    @invariant()
    def the_state_is_that_of_the_protocol(self) -> None:
        state = self.state()
        for study in self.studies.values():
            assert same_state(study, state)
            assert study.answers == sum(not one.retracted for one in self.answered)
            assert [one.ticket for one in known(study).pending] == [
                ticket_of(study, one.shown).id for one in self.clicked
            ]
        assert same_folds(fresh(self.journal, KNOWN), known(self.studies[0]))


Sessions.TestCase.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)
TestSessions = Sessions.TestCase


def test_equal_seeds_and_equal_calls_give_equal_lists() -> None:
    def play(seed: int) -> list[Any]:
        study, shown = begin(seed=seed), []
        for n in range(6):
            shown.append(study.rank(documents(9, n), voter=f"{n % 2}"))
            study.clicks(shown[-1].ticket, shown[-1].documents[:1], final=n % 2 == 0)
        return [one.documents for one in shown]

    assert play(3) == play(3)
    assert play(3) != play(4)


def test_a_list_that_is_not_clicked_leaves_no_trace() -> None:
    study = begin()
    first = study.rank(documents(6), voter="ann")
    study.clicks(first.ticket, [])
    study.rank(documents(6), voter="ann")
    assert len(study._journal.read()) == 1
    assert study.answers == 0


def test_a_list_that_was_not_clicked_is_learned_from_when_that_is_final() -> None:
    learner = DuelingGradientRanker(comparisons=2)
    study = begin(learner)
    for _ in range(2):
        shown = study.rank(documents(6))
        for _ in range(2):
            study.clicks(shown.ticket, [], final=True)
    assert study.answers == 2
    assert known(study).player.state.answered.tolist() == [0]
    with refused(ConflictError, ticket_of(study, shown).id):
        study.clicks(shown.ticket, shown.documents[:1])


def test_clicks_are_settled_with_the_voters_next_list_and_after_ten_minutes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1e9]
    for module in ("ranking", "clicking", "recording"):
        monkeypatch.setattr(f"duelist.study.{module}.time", lambda: now[0])
    study = begin(answer_timeout=30.0)
    one, two = study.rank(documents(6), voter="ann"), study.rank(documents(6), voter="bob")
    for shown in (one, two):
        study.clicks(shown.ticket, shown.documents[:1])
    study.rank(documents(6))
    assert study.answers == 0
    now[0] += 31.0
    study.clicks(two.ticket, two.documents[1:2])
    study.rank(documents(6), voter="ann")
    assert study.answers == 1
    now[0] += SETTLE_AFTER
    study.rank(documents(6))
    ann, bob = (one.id for one in (ticket_of(study, one), ticket_of(study, two)))
    assert [
        (one.ticket, one.voter, one.places, one.final, one.late, one.time)
        for _, one in study._journal.read()
        if isinstance(one, DocumentsClicked)
    ] == [
        (ann, "ann", (0,), False, False, 1e9),
        (bob, "bob", (0,), False, False, 1e9),
        (bob, "bob", (1,), False, True, 1e9 + 31.0),
        (ann, "ann", (0,), True, False, 1e9),
        (bob, "bob", (0, 1), True, False, 1e9),
    ]
    assert study.answers == 2


NAMES: Any = ["doc7", "doc2", 3, 2**62, "käse 🧀", "1", 1]


def test_documents_have_any_names() -> None:
    study = begin()
    shown = study.rank(documents(7), documents=NAMES)
    assert {*shown.documents} <= {*NAMES}
    study.clicks(shown.ticket, [*shown.documents, *shown.documents], final=True)
    assert study.rank(np.asarray(documents(3), np.float16)).documents[0] in (0, 1, 2)
    study.clicks(study.rank(documents(2)).ticket, np.array([1]), final=True)
    assert study.answers == 2


def bad_features() -> dict[str, tuple[Any, tuple[object, ...]]]:
    inside = documents(3)
    inside[1, 2] = np.nan
    return {
        "one feature less": (documents(3)[:, 1:], (D, D - 1)),
        "one feature more": (np.zeros((3, D + 1)), (D, D + 1)),
        "nan": (inside, ("finite",)),
        "infinite": (np.full((3, D), np.inf), ("finite",)),
        "too large": (np.full((3, D), 1e39), ("finite",)),
        "no row": (np.zeros((0, D)), ((0, D),)),
        "one row": (np.zeros(D), ((D,),)),
        "a cube": (np.zeros((2, 2, D)), ((2, 2, D),)),
        "nothing": (None, ("features",)),
        "texts": ([["a"] * D], ("features",)),
        "ragged": ([[0.0] * D, [0.0]], ("features",)),
        "huge": ([[10**400] * D], ("features",)),
        "complex": (np.full((1, D), 1j), ("features",)),
        "objects": ([[object()] * D], ("features",)),
    }


BAD_FEATURES = bad_features()


@pytest.mark.parametrize(("features", "facts"), BAD_FEATURES.values(), ids=BAD_FEATURES)
def test_features_that_do_not_fit_are_refused(features: Any, facts: tuple[object, ...]) -> None:
    study = begin()
    shown = study.rank(documents(3), voter="ann")
    study.clicks(shown.ticket, shown.documents[:1])
    with refused(ParameterError, "features", *facts):
        study.rank(features, voter="ann")
    assert len(study._journal.read()) == 2, "nothing was settled either"


@pytest.mark.parametrize(
    ("names", "facts"),
    [
        (["a", "b"], (3, 2)),
        (["a", "b", "a"], ("a",)),
        ([1, 1.0, 2], (1.0,)),
        (["a", "b", None], (None,)),
        (["a", "b", True], (True,)),
        (["a", "b", "\ud800"], ()),
        (["a", "b", 2**63], (2**63,)),
        (["a", "b", ["c"]], (["c"],)),
        ("abc", ("abc",)),
        ({"a": 1, "b": 2, "c": 3}, ({"a": 1, "b": 2, "c": 3},)),
        (7, (7,)),
    ],
)
def test_names_that_do_not_fit_are_refused(names: Any, facts: tuple[object, ...]) -> None:
    with refused(ParameterError, "documents", *facts):
        begin().rank(documents(3), names)


def test_what_a_stranger_sends_is_refused_and_not_on_record() -> None:
    study, other = begin(), begin()
    shown = study.rank(documents(6))
    strange = other.rank(documents(6)).ticket
    duel = Study(arms=["a", "b"])
    calls: list[tuple[type[DuelistError], Any, Any]] = [
        (TicketError, strange, [0]),
        (TicketError, duel.ask().ticket, [0]),
        (TicketError, shown.ticket[:-4] + "AAAA", [0]),
        (TicketError, shown.ticket[4:], [0]),
        (TicketError, "ü", [0]),
        (TicketError, "", [0]),
        (TicketError, "x" * (1 << 24) + "x", [0]),
        (OutcomeError, None, [0]),
        (OutcomeError, 7, [0]),
        (OutcomeError, shown.ticket, [6]),
        (OutcomeError, shown.ticket, [-1]),
        (OutcomeError, shown.ticket, ["0"]),
        (OutcomeError, shown.ticket, [[0]]),
        (OutcomeError, shown.ticket, [None]),
        (OutcomeError, shown.ticket, "0"),
        (OutcomeError, shown.ticket, 0),
        (OutcomeError, shown.ticket, [float("nan")]),
        (OutcomeError, Duel("a", "b"), [0]),
    ]
    for kind, ticket, clicked in calls:
        for final in (False, True):
            with refused(kind):
                study.clicks(ticket, clicked, final=final)
    with refused(TicketError):
        duel.clicks(shown.ticket, [0])
    voters: list[Any] = ["", "\n", 7]
    for voter in voters:
        with refused(ParameterError, "voter"):
            study.rank(documents(6), voter=voter)
    assert len(study._journal.read()) == len(duel._journal.read()) == 1


def test_contradicting_clicks_are_refused_and_told_twice_they_do_no_harm() -> None:
    study = begin()
    shown = study.rank(documents(6))
    for _ in range(2):
        study.clicks(shown.ticket, shown.documents[1:3], final=True)
        study.clicks(shown.ticket, shown.documents[2:3])
    state = known(study).player.state
    for clicked in (shown.documents[:1], shown.documents[:3]):
        with refused(ConflictError, ticket_of(study, shown).id):
            study.clicks(shown.ticket, clicked, final=True)
    assert (study.answers, len(study._journal.read())) == (1, 2)
    assert same_state(study, state)


def test_a_retracted_list_is_as_if_it_was_not_clicked() -> None:
    study, without = begin(seed=5), begin(seed=5)
    first, second = study.rank(documents(6)), without.rank(documents(6))
    assert first.documents == second.documents
    study.clicks(first.ticket, first.documents[:1], final=True)
    for given in (first.ticket, ticket_of(study, first).id):
        study.retract(given)
    assert study.answers == 0
    assert same_state(study, known(without).player.state)
    with refused(ConflictError):
        study.clicks(first.ticket, first.documents[:1], final=True)
    with refused(TicketError):
        study.retract(study.rank(documents(6)).ticket)


REFUSED: dict[str, Callable[[Study], object]] = {
    "ask": lambda study: study.ask(),
    "ask for a voter": lambda study: study.ask(voter="ann", n=2),
    "tell": lambda study: study.tell(Duel("a", "b"), "left"),
    "tell a list": lambda study: study.tell(study.rank(documents(3)).ticket, "left"),
    "skip": lambda study: study.skip(study.rank(documents(3)).ticket),
    "add_arm": lambda study: study.add_arm("a"),
    "retire_arm": lambda study: study.retire_arm("a"),
    "arm": lambda study: study.arm("a"),
    "interleave": lambda study: study.interleave(study.rank(documents(3)).ticket, {"a": [1]}),
    "import_votes": lambda study: study.import_votes([{"left": "a", "right": "b", "outcome": "left"}]),
    "preference": lambda study: study.preference(),
    "verdict": lambda study: study.verdict(),
    "done": lambda study: study.done(),
    "run": lambda study: study.run(lambda duel: "left"),
    "confidence": lambda study: study.confidence(),
    "votes_left": lambda study: study.votes_left(),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_needs_arms_says_what_to_do_instead(call: Callable[[Study], object]) -> None:
    study = begin()
    with refused(ParameterError, "study of documents", "rank", "clicks") as caught:
        call(study)
    assert len(str(caught.value)) < 150
    assert len(study._journal.read()) == 1


def test_there_are_no_arms_and_no_votes() -> None:
    study = begin()
    shown = study.rank(documents(6), voter="ann")
    study.clicks(shown.ticket, shown.documents[:1], final=True)
    state = study.state()
    assert (study.arms, state.names, state.k, state.parameters, state.features) == ((), (), 0, None, D)
    assert not state.has_verdicts
    assert (state.answers, state.tally.wins.shape) == (1, (0, 0))
    assert [*study.votes()] == [*study.votes(all=True)] == []
    assert len(study.to_frame()) == 0
    assert not study.exhausted("ann")
    for options in ({"features": ROW}, {"context": [0.0]}):
        with refused(ParameterError, "context", "features"):
            study.best(**options)


@pytest.mark.parametrize("study", [Study(arms=["a", "b"]), Study(arms=["a", "b", "c"])])
def test_a_study_of_duels_does_not_rank(study: Study) -> None:
    with refused(ParameterError, "arms", "ask", "PairwiseGradientRanker"):
        study.rank(documents(3))


def test_a_study_begins_with_a_learner_of_rankings_and_a_row_of_features() -> None:
    learner = PairwiseGradientRanker()
    for given, facts in {
        (): ("PairwiseGradientRanker", "features"),
        (("features", "x"),): ("features",),
        (("features", (0.0, 0.0)),): ("features", (2,)),
        (("features", ((float("nan"),),)),): ("features", "finite"),
        (("features", ((0.0,),)), ("context", (0.0,))): ("context",),
        (("features", ((0.0,),)), ("arms", ("a", "b"))): ("PairwiseGradientRanker", "arms"),
        (("features", ((0.0,),)), ("parameters", Parameter(0.0, 1.0))): ("parameters",),
    }.items():
        with refused(ParameterError, *facts):
            arguments: dict[str, Any] = dict(given)
            Study(learner, **arguments)
    for other in (None, RUCB()):
        with refused(ParameterError, "arms", "parameters"):
            Study(other, features=ROW)
    with refused(ParameterError, "PairwiseGradientRanker"):
        kind: Any = PairwiseGradientRanker
        Study(kind, features=ROW)


def test_a_closed_study_settles_and_ranks_no_more() -> None:
    study = begin()
    shown, other = study.rank(documents(6)), study.rank(documents(6))
    study.clicks(shown.ticket, shown.documents[:1])
    study.close()
    assert study.answers == 1
    with refused(ClosedError):
        study.rank(documents(6))
    with refused(ClosedError):
        study.clicks(other.ticket, other.documents[:1])
    study.clicks(shown.ticket, shown.documents[:1])
    assert isinstance(study.best(), LinearRanker)


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_a_study_is_opened_from_its_snapshot_and_from_its_file(
    learner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_fold, "EVERY", 5)
    path = tmp_path / "clicks.db"
    study = begin(learner, journal=path, seed=3)
    for n in range(17):
        shown = study.rank(documents(2 + n, n), voter=f"{n % 3}")
        study.clicks(shown.ticket, shown.documents[:2], final=n % 2 == 0)
    assert snapshot_in(path)
    assert len(known(study).pending) > 0
    folds = []
    for module in (None, "duelist.study.live_fold.fold_events"):
        if module is not None:
            # the snapshot is enough: nothing is folded from the first event
            monkeypatch.setattr(module, mock.Mock(side_effect=AssertionError))
        folds.append(known(Study.open(path, learner)))
    monkeypatch.undo()
    assert all(same_folds(fold, fresh(study._journal, KNOWN)) for fold in folds)
    loaded = Study.load(study.save(tmp_path / "study.jsonl"), learner)
    assert same_folds(known(loaded), known(study))
    again = begin(learner, journal=path, seed=3)
    assert (again.answers, again.rank(documents(3), voter="x").documents) == (
        study.answers,
        Study.open(path, learner).rank(documents(3), voter="x").documents,
    )
    with refused(DifferentStudyError, "features", {"documents": {"features": D + 1}}):
        Study(learner, features=np.zeros((1, D + 1)), journal=path, seed=3)


def test_clicks_survive_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "clicks.db"
    begin(journal=path)
    process = Forked(click_on_documents_and_die, path)
    [(ticket, first)] = process.sent()
    assert process.end() == -signal.SIGKILL
    study = Study.open(path)
    assert (study.answers, len(known(study).pending)) == (0, 1)
    study.clicks(ticket, [first], final=True)
    assert study.answers == 1
    assert same_folds(fresh(study._journal), known(study))


def test_processes_that_settle_at_the_same_moment_settle_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, new_key().strip())
    journal = MemoryJournal()
    one, other = begin(journal=journal), Study.open(journal, worker=1)
    shown = one.rank(documents(6), voter="ann")
    steps = [
        study.steps.clicks(shown.ticket, [row], final=True)
        for study, row in zip((one, other), shown[0], strict=False)
    ]
    first, second = (next(step) for step in steps)
    journal.append(first)
    with refused(StopIteration):
        next(steps[0])
    with pytest.raises(RepeatedEventError) as error:
        journal.append(second)
    with refused(ConflictError, ticket_of(one, shown).id):
        steps[1].throw(error.value)
    assert (one.answers, other.answers) == (1, 1)


def test_another_learner_of_rankings_takes_over_and_no_other() -> None:
    study = begin(PlainRanker())
    old = study.rank(documents(6), voter="ann")
    study.clicks(old.ticket, old.documents[:1], final=True)
    late = study.rank(documents(6))
    learners: list[tuple[Any, tuple[str, ...]]] = [
        (RUCB(), ("RUCB", "documents")),
        (DuelingGradientRanker, ("DuelingGradientRanker",)),
    ]
    for learner, facts in learners:
        with refused(ParameterError, *facts):
            study.change_learner(learner)
    with refused(ParameterError, "features"):
        study.change_learner(PairwiseGradientRanker(), features=ROW)
    study.change_learner(PairwiseGradientRanker())
    study.clicks(late.ticket, late.documents[:1], final=True)
    assert study.answers == 2
    assert not study.best().weights.any(), "lists of another learner teach it nothing"
    shown = study.rank(documents(6))
    study.clicks(shown.ticket, shown.documents[1:2], final=True)
    assert study.best().weights.any()
    study.change_learner(PlainRanker())
    assert known(study).player.state.lists.tolist() == [3, 3]
    with refused(ParameterError, "PairwiseGradientRanker", "rankings", "arms"):
        Study(arms=["a", "b"]).change_learner(PairwiseGradientRanker())


@dataclass(frozen=True)
class Forgetful(PlainRanker):
    """A plug-in that does not think of lists that another learner made."""

    def tell(self, state: Any, impression: Impression, clicked: Any) -> Any:
        return super().tell(state, impression._replace(note=[*impression.note]), clicked)


@dataclass(frozen=True)
class Declining(PlainRanker):
    """A plug-in that declines lists that another learner made, and a click on the last document."""

    def tell(self, state: Any, impression: Impression, clicked: Any) -> Any:
        if impression.note is None or len(impression.menu) - 1 in clicked:
            raise OutcomeError("not this one.")
        return super().tell(state, impression, clicked)


def test_a_plug_in_that_would_fail_does_so_before_anything_is_on_record() -> None:
    study = begin()
    late = study.rank(documents(1))
    with refused(TypeError):
        study.change_learner(Forgetful())
    assert len(study._journal.read()) == 1
    study.change_learner(Declining())
    study.clicks(late.ticket, late.documents)
    shown = study.rank(documents(3))
    assert 2 in shown.documents
    for final in (False, True):
        with refused(OutcomeError):
            study.clicks(shown.ticket, [2], final=final)
    study.clicks(shown.ticket, [row for row in shown.documents if row != 2], final=True)
    study.clicks(late.ticket, [], final=True)
    assert (study.answers, known(study).player.state.lists.tolist()) == (2, [1, 2])


class Note(NamedTuple):
    a: int = 0


@pytest.mark.parametrize(
    ("asked", "facts"),
    [
        ((0, 1), ((0, 1),)),
        (Impression((3,), EXAMPLE), ((3,),)),
        (Impression((0, 0), EXAMPLE), ((0, 0),)),
        (Impression((-1,), EXAMPLE), ((-1,),)),
        (Impression((), EXAMPLE), ((),)),
        (Impression(NO_ROWS, EXAMPLE), ((0.0,),)),
        (Impression(NOTHING, EXAMPLE), (None,)),
        (Impression((0,), EXAMPLE, None, object()), ("note", "object")),
        (Impression((0,), EXAMPLE, None, [np.array([None])]), ("note", "ndarray")),
        (Impression((0,), EXAMPLE, None, {"a": 2**70}), ("note",)),
        (Impression((0,), EXAMPLE, None, {"a": [Note()]}), ("note", "Note")),
        (Impression((0,), EXAMPLE, Note(), None), ("page", "Note")),
    ],
)
def test_a_plug_in_that_shows_what_cannot_be_kept_is_refused(asked: Any, facts: tuple[object, ...]) -> None:
    @dataclass(frozen=True)
    class Odd(PlainRanker):
        def ask(self, state: Any, menu: Any, rng: Any) -> Any:
            return asked

    study = begin(Odd())
    with refused(ParameterError, "Odd", *facts):
        study.rank(documents(3))


def test_a_ticket_has_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    study = begin()
    monkeypatch.setattr("duelist.study.tickets.LONGEST", 500)
    with refused(ParameterError, 500, "documents"):
        study.rank(documents(100))


def test_tickets_are_read_with_older_keys_and_do_not_repeat() -> None:
    study = begin()
    shown = study.rank(documents(6))
    ticket = ticket_of(study, shown)
    assert seal(ticket, study.steps._keys) != shown.ticket
    study.steps._keys.rotate()
    study.clicks(shown.ticket, shown.documents[:1], final=True)
    assert study.answers == 1


def journal_with(tmp_path: Path, event: DocumentsClicked) -> Path:
    path = tmp_path / "clicks.db"
    begin(DuelingGradientRanker(length=4), journal=path)
    append_line(path, encode(event).strip())
    return path


def test_damaged_lists_are_refused_with_their_ticket(tmp_path: Path) -> None:
    menu = np.zeros((3, D), np.float32)
    for place, content in enumerate(
        [
            b"",
            b"x",
            pack(None),
            pack([menu]),
            pack([menu[0], None, None]),
            pack([menu[:, 1:], None, None]),
            pack([menu[:1], None, None]),
            pack([None, None, None]),
        ]
    ):
        folder = tmp_path / str(place)
        folder.mkdir()
        event = DocumentsClicked(ticket="t1", shown=RankedList((0, 2), content), places=(0,), final=True)
        with refused(FileError, "t1"):
            Study.open(journal_with(folder, event))


def test_arrays_that_do_not_fit_the_learner_never_reach_its_kernels() -> None:
    """Machine code does not check indices: what comes from a file is checked before."""
    learner = LEARNERS["Probabilistic"]
    state = learner.init(EXAMPLE, np.random.default_rng(0))
    impression = learner.ask(state, Documents(documents(3)), np.random.default_rng(0))
    plain: Impression = impression._replace(
        page=[*impression.page], note=[[*impression.note[0]], *impression.note[1:]]
    )
    assert all(map(np.array_equal, learner.tell(state, plain, [0]), learner.tell(state, impression, [0])))

    def changed(part: str, field: int, value: Any) -> Impression:
        arrays: Any = [*getattr(plain, part)]
        arrays[field] = value
        return plain._replace(page=arrays) if part == "page" else plain._replace(note=arrays)

    page, note = impression.page, impression.note
    bad = [
        changed("page", 0, page.documents + 7),
        changed("page", 0, page.documents[::-1].copy()),
        changed("page", 1, page.teams + 2),
        changed("page", 1, page.teams - 9),
        changed("page", 2, page.propensities.astype(np.float32)),
        changed("page", 3, page.shown + 1),
        changed("page", 3, page.shown - 9),
        changed("page", 4, page.taken[:-1]),
        changed("note", 0, list(note[0])[:-1]),
        changed("note", 1, None),
        changed("note", 2, note[2] + 2),
        changed("note", 2, note[2] - 9),
        changed("note", 3, note[3] + 9),
        plain._replace(page=plain.page[:-1]),
        plain._replace(note=()),
        plain._replace(note=None),
        plain._replace(page=None),
        plain._replace(documents=impression.documents[:-1]),
        plain._replace(documents=(7, *impression.documents[1:])),
    ]
    for one in bad:
        with refused(OutcomeError):
            learner.tell(state, one, [])
    with refused(ParameterError, "features"):
        learner.tell(state, plain._replace(menu=Documents(np.zeros((3, D - 1)))), [])


def test_events_of_other_studies_are_refused_when_they_are_read(tmp_path: Path) -> None:
    shown = RankedList((0,), pack([np.zeros((1, D), np.float32), None, None]))
    for final in (False, True):
        path = tmp_path / f"{final}.db"
        Study(arms=["a", "b"], journal=path)
        append_line(path, encode(DocumentsClicked(ticket="t", shown=shown, places=(0,), final=final)).strip())
        with refused(FileError, "2", "DocumentsClicked", "arms"):
            Study.open(path)
    for line in (
        b'{"event":"answered","ticket":"t","left":0,"right":1,"outcome":1.0}',
        b'{"event":"skipped","ticket":"t","left":[0.5],"right":[0.1]}',
        b'{"event":"arm_added","arm":"a"}',
    ):
        path = tmp_path / f"{len(line)}.db"
        begin(journal=path)
        append_line(path, line)
        with refused(FileError, "2", "documents"):
            Study.open(path)
