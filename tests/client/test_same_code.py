"""Code moves from a study to a service by changing one line: the same functions run on both."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from refusals import refused

from duelist import RUCB, Arm, Duel, Study
from duelist.client import Client, RemoteStudy
from duelist.errors import (
    ClosedError,
    ConflictError,
    DuelistError,
    OutcomeError,
    ParameterError,
    TicketError,
    UnknownNameError,
)
from duelist.learners import DoubleThompsonSampling, LogisticDuels, PreferentialOptimization
from duelist.study import Parameter, ShownList, Vote

ARMS: list[str | Arm] = ["a", Arm("b", text="the second"), "c"]
AnyStudy = Study | RemoteStudy


def vote(study: AnyStudy) -> list[object]:
    """Use all that is about duels, and return all that was seen."""
    seen: list[object] = []

    def note(*found: object) -> None:
        seen.extend(found)

    for number in range(12):
        duel = study.ask(voter=f"visitor-{number}")
        assert type(duel) is Duel
        assert isinstance(duel.ticket, str)
        again = study.ask(voter=f"visitor-{number}")
        assert again == duel
        note(duel._replace(ticket=None))
        study.tell(duel, "left" if duel.left < duel.right else "right")
        study.tell(duel.ticket, "left" if duel.left < duel.right else "right")
    duels = study.ask(n=3)
    note(*(duel._replace(ticket=None) for duel in duels))
    study.skip(duels[0])
    study.tell(duels[1], 0.25)
    study.tell(duels[2], "tie")
    study.retract(duels[2])
    study.retract(str(duels[2].ticket))
    study.tell(Duel("a", "b"), "left", voter="elsewhere")
    study.retract(study.votes()[-1].ticket)
    rows = [{"left": "a", "right": "c", "outcome": "left", "time": 60 * hour} for hour in range(20)]
    note(study.import_votes(rows), study.import_votes(rows[:5]))
    note(study.answers, study.arms, study.arm("b"), study.learner)
    note(study.best(), study.verdict(), study.verdict(0.5, within=0.1), study.confidence(0.1))
    note(study.done(), study.done(delta=0.5, within=0.2), study.votes_left(delta=0.2))
    study.run(lambda duel: "left" if duel.left < duel.right else None, votes=4)
    study.run(lambda duel: "tie", until=lambda: study.answers >= 20, voter="looped")
    note(study.answers)
    study.retire_arm("c")
    study.retire_arm("c")
    study.add_arm(Arm("d", link="https://example.org/d"))
    note(study.arms, study.arm("d"), study.arm("c"))
    study.change_learner(DoubleThompsonSampling(alpha=0.6))
    note(study.learner, study.best(), study.votes_left())
    votes = study.votes(all=True)
    assert all(type(row) is Vote for row in votes)
    assert all(row.time.tzinfo is not None for row in votes if row.time is not None)
    assert [row for row in votes if row.status == "counted"] == list(study.votes())
    # tickets and moments are nobody else's
    records = [(row.voter, row.left, row.right, row.outcome, row.status, row.item) for row in votes]
    note(*records, [row.time for row in votes if str(row.ticket).startswith("i-")])
    study.close()
    study.close()
    return seen


def search(study: AnyStudy) -> list[object]:
    """Use all that is about lists."""
    seen: list[object] = []
    found: dict[str, list[str | int]] = {"a": ["a1", "both", 7], "b": ["b1", "both", "b2"]}
    for visit in range(6):
        duel = study.ask(voter="visitor-17")
        first = study.interleave(duel, found, length=2)
        assert type(first) is ShownList
        assert study.interleave(duel, found, length=2).documents == first.documents
        second = study.interleave(first.ticket, length=2, page=2)
        third = study.interleave(second.ticket, length=2, page=3)
        documents = [*first.documents, *second.documents, *third.documents]
        # what only one of them has found is credited to it, whatever the draft
        study.clicks(third.ticket, ["a1"])
        clicked: list[Any] = ["a1", np.int64(7)]
        study.clicks(third.ticket, iter(clicked), final=visit % 2 == 0)
        seen.append((duel.left, duel.right, len(first.documents), sorted(map(str, documents)), study.answers))
    study.clicks(study.interleave(study.ask(), found).ticket, (), final=True)
    return [*seen, [(row.left, row.right, row.outcome, row.status) for row in study.votes(all=True)]]


@pytest.mark.parametrize(("use", "arms"), [(vote, ARMS), (search, ["a", "b"])])
def test_a_study_of_arms(
    use: Callable[[AnyStudy], list[object]], arms: list[str | Arm], client: Client, name: str
) -> None:
    here = Study(RUCB(alpha=0.6), arms, seed=7)
    there = client.create(name, arms, learner=RUCB(alpha=0.6), seed=7)
    assert use(there) == use(here)


def test_a_study_of_parameters(client: Client, name: str) -> None:
    def use(study: AnyStudy) -> list[object]:
        first = study.ask(voter="v")
        study.tell(first, "left")
        study.tell(Duel({"warmth": 0.25, "layers": 2}, {"warmth": 0.5, "layers": 7}), "right")
        with refused(ParameterError, "parameters"):
            study.verdict()
        with refused(ParameterError, "parameters", "arms"):
            study.arm("warmth")
        rows = [(row.left, row.right, row.outcome) for row in study.votes()]
        return [first[:3], study.arms, study.answers, study.learner, study.best(), rows]

    parameters = {"warmth": Parameter(0.0, 1.0), "layers": Parameter(1, 8, whole=True)}
    learner = PreferentialOptimization()
    there = use(client.create(name, parameters=parameters, learner=learner, seed=3))
    assert there == use(Study(learner, parameters=parameters, seed=3))


def test_a_study_in_contexts(client: Client, name: str) -> None:
    def use(study: AnyStudy) -> list[object]:
        seen: list[object] = []
        for number in range(5):
            context = np.array([1.0, number / 4])
            duel = study.ask(context=context)
            np.testing.assert_array_equal(duel.context, context)
            study.tell(duel, "left" if duel.left == "a" else "right")
            seen += [duel.left, duel.right, duel.propensity, study.best(context=context)]
        with refused(ParameterError, "context"):
            study.ask()
        return [*seen, study.best([0.0, 1.0])]

    there = client.create(name, ["a", "b", "c"], learner=LogisticDuels(), context=[0.0, 0.0], seed=5)
    assert use(there) == use(Study(LogisticDuels(), ["a", "b", "c"], 5, context=[0.0, 0.0]))


MISUSES: list[tuple[type[DuelistError], Callable[[Any], object]]] = [
    (TicketError, lambda study: study.tell("forged", "left")),
    (TicketError, lambda study: study.tell("", "left")),
    (TicketError, lambda study: study.skip("f" * 300)),
    (TicketError, lambda study: study.retract(study.ask())),
    (TicketError, lambda study: study.retract("0" * 32)),
    (TicketError, lambda study: study.clicks(study.ask().ticket, ["a"])),
    (OutcomeError, lambda study: study.tell(study.ask(), "middle")),
    (OutcomeError, lambda study: study.tell(study.ask(), 1.5)),
    (OutcomeError, lambda study: study.tell(study.ask(), "left", voter="v")),
    (OutcomeError, lambda study: study.tell(None, "left")),
    (OutcomeError, lambda study: study.skip(Duel("a", "b"))),
    (OutcomeError, lambda study: study.tell(Duel("a", "a"), "left")),
    (OutcomeError, lambda study: study.import_votes([{"left": "a", "right": "z", "outcome": "left"}])),
    (OutcomeError, lambda study: study.import_votes([3])),
    (OutcomeError, lambda study: study.import_votes("ab")),
    (OutcomeError, lambda study: study.clicks(listed(study), ["not shown"])),
    (OutcomeError, lambda study: study.clicks(listed(study), "b")),
    (OutcomeError, lambda study: study.clicks(listed(study), [2.5])),
    (ConflictError, lambda study: told_otherwise(study)),
    (ParameterError, lambda study: study.ask(n=0)),
    (ParameterError, lambda study: study.ask(voter="")),
    (ParameterError, lambda study: study.ask(context=[1.0])),
    (ParameterError, lambda study: study.best(features="many")),
    (ParameterError, lambda study: study.interleave(study.ask())),
    (ParameterError, lambda study: study.interleave(study.ask(), {"a": ["x"]})),
    (ParameterError, lambda study: study.interleave(study.ask(), ["x"])),
    (ParameterError, lambda study: study.interleave(study.ask(), {"a": ["x"], "b": "y"})),
    (ParameterError, lambda study: study.interleave(study.ask(), {}, length=0)),
    (ParameterError, lambda study: study.verdict(delta=0.0)),
    (ParameterError, lambda study: study.run(None)),
    (ParameterError, lambda study: study.run(lambda duel: "tie", until=True)),
    (ParameterError, lambda study: study.clicks(listed(study), [1], final="no")),
    (ParameterError, lambda study: study.done(within=-0.1)),
    (ParameterError, lambda study: study.add_arm("a")),
    (ParameterError, lambda study: study.add_arm(Arm("z", link="javascript:alert(1)"))),
    (ParameterError, lambda study: study.retire_arm("a")),
    (ParameterError, lambda study: study.change_learner("RUCB")),
    (ParameterError, lambda study: study.change_learner(PreferentialOptimization())),
    (UnknownNameError, lambda study: study.retire_arm("z")),
    (UnknownNameError, lambda study: study.arm("z")),
    (ClosedError, lambda study: (study.close(), study.ask())),
    (ClosedError, lambda study: study.tell(Duel("a", "b"), "left")),
    (ClosedError, lambda study: study.add_arm("e")),
]


def listed(study: AnyStudy) -> str:
    return study.interleave(study.ask(), {"a": [1], "b": [2]}).ticket


def told_otherwise(study: AnyStudy) -> None:
    duel = study.ask()
    study.tell(duel, "left")
    study.tell(duel, "right")


def test_errors_are_of_the_same_kinds(client: Client, name: str) -> None:
    here, there = Study(arms=["a", "b"]), client.create(name, ["a", "b"])
    for kind, misuse in MISUSES:
        for study in (here, there):
            with pytest.raises(kind) as caught:
                misuse(study)
            assert caught.type is kind, caught.value
            assert str(caught.value)
    assert here.answers == there.answers == 1


def test_errors_that_the_service_words_are_word_for_word_the_same(client: Client, name: str) -> None:
    here, there = Study(arms=["a", "b"]), client.create(name, ["a", "b"])
    misuses: list[Callable[[Any], object]] = [
        lambda study: study.retire_arm("A"),
        lambda study: study.arm("A"),
        lambda study: study.tell("forged", "left"),
        lambda study: study.add_arm("a"),
        lambda study: study.import_votes([{"left": "a", "right": "z", "outcome": "left"}]),
        lambda study: study.tell(study.ask(), "middle"),
    ]
    for misuse in misuses:
        messages = []
        for study in (here, there):
            with pytest.raises(DuelistError) as caught:
                misuse(study)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]
