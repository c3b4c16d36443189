"""Lists in a study: one list of two rankings, the same on every call, and credited as interleaving says."""

from base64 import urlsafe_b64decode
from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from study.world import ARMS, change

from duelist import Duel, PreferentialOptimization, Study
from duelist.errors import OutcomeError, ParameterError, TicketError, UnknownNameError
from duelist.interleaving import Interleaving, Shown
from duelist.journal import Answered, Skipped
from duelist.journal.codec import encode
from duelist.registry import INTERLEAVINGS
from duelist.study import Parameter
from duelist.study.drafting import method_named
from duelist.study.player import page_rng
from duelist.study.storage import DifferentStudyError

RANKINGS: list[Any] = [
    (["a", "b", "c", "d"], ["c", "a", "e", "f"]),
    (["a", "b", "c", "d", "e"], ["x", "y"]),
    ([3, "three", 4], [3, "three", 4]),
    (["a", "a", "b"], []),
    (["a", "b"], ["b", "a"]),
]
METHODS = ["balanced", "optimized", "probabilistic", "team_draft"]
NAMED = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", 0, 1, 2]), max_size=9)


def begun(method: str = "team_draft", **options: Any) -> tuple[Study, Duel]:
    study = Study(arms=ARMS, interleaving=method, **options)
    return study, study.ask()


def both(duel: Duel, rankings: Any) -> dict[str, Any]:
    return dict(zip(duel[:2], rankings, strict=True))


def plain(method: Interleaving, study: Study, duel: Duel, rankings: Any, length: int, pages: int) -> Shown:
    """The same list by interleaving alone, with the same luck."""
    identity = study.steps._interleaver.ticket(duel).id
    shown: Shown | None = None
    for page in range(1, pages + 1):
        shown = method.interleave(rankings, page_rng(identity, page), page * length, shown)
    assert shown is not None
    return shown


def subsets(documents: Any) -> Iterator[tuple[Any, ...]]:
    return chain.from_iterable(combinations(documents, n) for n in range(len(documents) + 1))


def settled(study: Study, duel: Duel) -> Any:
    [found] = study._journal.read(keys=[study.steps._interleaver.ticket(duel).id])
    return found.event


def test_every_way_of_interleaving_has_a_name_that_journals_keep() -> None:
    assert {name: kind.__name__ for name, kind in INTERLEAVINGS.items()} == {
        "balanced": "Balanced",
        "optimized": "Optimized",
        "pairwise_preference": "PairwisePreference",
        "probabilistic": "Probabilistic",
        "sample_only": "SampleOnly",
        "team_draft": "TeamDraft",
    }
    for name in ("pairwise_preference", "sample_only"):
        with refused(ParameterError, "3", "2"):
            Study(arms=ARMS, interleaving=name)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("rankings", RANKINGS)
def test_pages_are_those_of_the_method_whichever_ticket_is_shown(name: str, rankings: Any) -> None:
    study, duel = begun(name)
    given = both(duel, rankings)
    expected = plain(method_named(name), study, duel, rankings, 2, pages=3).documents
    first = study.interleave(duel, given, length=2)
    assert study.interleave(duel.ticket or "", given, length=2).documents == first.documents == expected[:2]
    second = study.interleave(first.ticket, length=2, page=2)
    assert study.interleave(first.ticket, given, length=2, page=2).documents == second.documents
    assert study.interleave(duel, given, length=2, page=2).documents == second.documents == expected[2:4]
    third = study.interleave(first.ticket, length=2, page=3)
    assert third.documents == study.interleave(second.ticket, length=2, page=3).documents == expected[4:6]
    assert study.interleave(third.ticket, length=2, page=1).documents == first.documents
    for ticket in (first.ticket, third.ticket):
        assert study.interleave(ticket, length=2, page=10**9).documents == ()
    assert len(study._journal.read()) == 1


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("rankings", RANKINGS)
def test_credit_is_that_of_the_method_for_all_clicks(name: str, rankings: Any) -> None:
    study = Study(arms=ARMS, interleaving=name)
    seen = set()
    for clicked in subsets(range(min(len({*rankings[0], *rankings[1]}), 5))):
        duel = study.ask()
        shown: Any = plain(method_named(name), study, duel, rankings, 5, pages=1)
        documents = [shown.documents[place] for place in clicked]
        study.clicks(study.interleave(duel, both(duel, rankings), length=5).ticket, documents, final=True)
        event = settled(study, duel)
        if not clicked:
            assert isinstance(event, Skipped)
        else:
            assert isinstance(event, Answered)
            assert event.outcome == method_named(name).outcome(shown, documents)
            assert event.clicked == clicked
            seen.add(event.outcome)
    assert len(seen) > 1 or rankings in (RANKINGS[2], RANKINGS[3])


@given(left=NAMED, right=NAMED, pages=st.integers(1, 3), draw=st.data(), name=st.sampled_from([*METHODS]))
def test_credit_is_that_of_the_method_over_pages(
    left: Any, right: Any, pages: int, draw: st.DataObject, name: str
) -> None:
    study, duel = begun(name)
    shown: Any = plain(method_named(name), study, duel, (left, right), 3, pages)
    clicked = draw.draw(st.sets(st.sampled_from(shown.documents))) if shown.documents else set()
    ticket = study.interleave(duel, both(duel, (left, right)), length=3, page=pages).ticket
    for document in clicked:
        study.clicks(ticket, [document])
    study.clicks(ticket, [], final=True)
    event = settled(study, duel)
    if clicked:
        assert event.outcome == pytest.approx(method_named(name).outcome(shown, clicked), abs=1e-12)
        assert event.clicked == tuple(sorted(shown.documents.index(document) for document in clicked))
    else:
        assert isinstance(event, Skipped)


def test_the_credit_of_the_left_ranker_is_a_win_for_the_left_arm() -> None:
    study = Study(arms=ARMS)
    for _ in range(20):
        duel = study.ask()
        shown = study.interleave(duel, {duel.right: ["x", "y"], duel.left: ["a", "b"]})
        study.clicks(shown.ticket, ["a"], final=True)
        assert (study.votes()[-1].left, study.votes()[-1].outcome) == (duel.left, "left")


def test_drafts_are_fair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.urandom", np.random.default_rng(5).bytes)
    study, _ = begun()
    tops = [study.interleave(one, both(one, (["a"], ["b"]))).documents[0] for one in study.ask(n=400)]
    assert 160 <= tops.count("a") <= 240


def test_a_ticket_hides_the_list_and_is_never_sealed_twice_alike() -> None:
    study, duel = begun()
    given = {duel.left: ["secret document"], duel.right: ["other document"]}
    texts = [str(duel.ticket), *(study.interleave(duel, given, page=page).ticket for page in (1, 1, 2))]
    sealed = [urlsafe_b64decode(text + "=" * (-len(text) % 4)) for text in texts]
    assert all(b"document" not in content for content in sealed)
    # two contents under one key and one nonce would give both away
    assert len({content[:16] for content in sealed}) == 4
    assert len({study.steps._interleaver.ticket(text).id for text in texts}) == 1


def test_the_length_of_a_ticket_does_not_tell_who_is_on_the_left() -> None:
    study = Study(arms=["a", "b"])
    # numbers from 128 on take more room: whose documents are numbered first must not depend on the sides
    rankings = {
        "a": [f"a{i}" for i in range(200)],
        "b": [f"{'b' if i < 60 else 'a'}{i + 80}" for i in range(120)],
    }
    sides: dict[str, int] = {}
    while len(sides) < 2:
        duel = study.ask()
        sides[duel.left] = len(study.interleave(duel, rankings).ticket)
        study.tell(duel, "tie")
    assert sides["a"] == sides["b"]


def test_the_journal_does_not_keep_names_of_documents() -> None:
    study, duel = begun()
    shown = study.interleave(duel, both(duel, (["secret-1", "secret-2"], ["secret-3"])))
    study.clicks(shown.ticket, shown.documents[:1])
    study.clicks(shown.ticket, [], final=True)
    lines = b"".join(encode(recorded.event) for recorded in study._journal.read())
    assert b'"clicked"' in lines
    assert b"secret" not in lines


@pytest.mark.parametrize(
    ("rankings", "facts"),
    [
        (None, ["rankings"]),
        ({}, ["rankings", "[]"]),
        ({"left": ["x"]}, ["rankings"]),
        ({"left": ["x"], "right": ["y"], "other": []}, ["rankings"]),
        ({"left": ["x"], "nobody": ["y"]}, ["rankings", "'nobody'"]),
        ([["x"], ["y"]], ["rankings", "[['x'], ['y']]"]),
        ({"left": "xyz", "right": ["y"]}, ["ranking", "documents", "'xyz'"]),
        ({"left": None, "right": ["y"]}, ["ranking", "documents", "None"]),
        ({"left": [["x"]], "right": ["y"]}, ["documents", "['x']"]),
        ({"left": [1.5], "right": ["y"]}, ["documents", "1.5"]),
        ({"left": [True], "right": ["y"]}, ["documents", "True"]),
        ({"left": [2**63], "right": ["y"]}, ["documents", f"{2**63}"]),
        ({"left": ["\ud800"], "right": ["y"]}, ["documents"]),
    ],
)
def test_wrong_rankings_are_refused(rankings: Any, facts: list[str]) -> None:
    study, duel = begun()
    names = {"left": duel.left, "right": duel.right, "other": next(a for a in ARMS if a not in duel[:2])}
    if isinstance(rankings, dict):
        rankings = {names.get(name, name): ranking for name, ranking in rankings.items()}
    with refused(ParameterError, *facts):
        study.interleave(duel, rankings)


def test_an_error_names_the_arms_and_not_their_sides() -> None:
    study = Study(arms=["a", "b"])
    texts: dict[str, str] = {}
    while len(texts) < 2:
        duel = study.ask()
        with pytest.raises(ParameterError) as caught:
            study.interleave(duel, {})
        texts[duel.left] = str(caught.value)
        study.tell(duel, "tie")
    assert texts["a"] == texts["b"]
    assert "'a' and 'b'" in texts["a"]


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"rankings": (["b", "a", "c"], ["x"])}, ["rankings", "first page"]),
        ({"rankings": (["a", "b"], ["x"])}, ["rankings", "first page"]),
        ({"rankings": (["a", "b", "d"], ["x"])}, ["rankings", "first page"]),
        ({"rankings": (["x"], ["a", "b", "c"])}, ["rankings", "first page"]),
        ({"length": 3}, ["length", "2", "3"]),
        ({"page": 0}, ["page", "0"]),
        ({"page": "2"}, ["page", "'2'"]),
        ({"length": 0}, ["length", "0"]),
    ],
)
def test_a_list_goes_on_as_it_began(change: dict[str, Any], facts: list[str]) -> None:
    study, duel = begun()
    shown = study.interleave(duel, both(duel, (["a", "b", "c"], ["x"])), length=2)
    if "rankings" in change:
        change = {"rankings": both(duel, change["rankings"])}
    with refused(ParameterError, *facts):
        study.interleave(shown.ticket, **{"length": 2, "page": 2, **change})


@pytest.mark.parametrize("clicked", [["nothing"], ["a", 7], "a", 5, None, [["a"]], [{}]])
def test_clicks_on_what_was_not_shown_are_refused(clicked: Any) -> None:
    study, duel = begun()
    shown = study.interleave(duel, both(duel, (["a"], ["b"])))
    for final in (False, True):
        with refused(OutcomeError, "clicked"):
            study.clicks(shown.ticket, clicked, final)
    assert len(study._journal.read()) == 1


def test_a_later_page_is_clicked_with_its_own_ticket() -> None:
    study, duel = begun()
    first = study.interleave(duel, both(duel, (["a", "b"], ["x", "y"])), length=2)
    second = study.interleave(first.ticket, length=2, page=2)
    with refused(OutcomeError, "clicked"):
        study.clicks(first.ticket, second.documents)
    study.clicks(second.ticket, first.documents)


def test_tickets_that_are_of_no_list_here_are_refused() -> None:
    study, duel = begun()
    other, elsewhere = begun()
    with refused(TicketError, "duel", "list"):
        study.clicks(str(duel.ticket), ["a"])
    foreign = other.interleave(elsewhere, both(elsewhere, (["a"], ["b"]))).ticket
    for ticket in (foreign, "nonsense", foreign[:-4] + "AAAA"):
        with pytest.raises(TicketError):
            study.clicks(ticket, ["a"])
        with pytest.raises(TicketError):
            study.interleave(ticket, page=2)
    with refused(TicketError, "ticket"):
        study.interleave(duel._replace(left=duel.right, right=duel.left), {})
    assert len(study._journal.read()) == 1


def test_what_cannot_be_interleaved_says_so() -> None:
    with refused(UnknownNameError, "'team-draft'", "'team_draft'"):
        Study(arms=ARMS, interleaving="team-draft")
    study = Study(PreferentialOptimization(), parameters={"warmth": Parameter(0.0, 1.0)})
    with refused(ParameterError, "parameters"):
        study.interleave(study.ask(), {"a": ["x"]})


def test_a_study_is_gone_on_with_by_its_own_interleaving(tmp_path: Any) -> None:
    path = tmp_path / "votes.db"
    Study(arms=ARMS, journal=path)
    [(line,)] = change(path, "SELECT event FROM events")
    assert "interleaving" not in line, "the default is left out"
    assert Study(arms=ARMS, journal=path, interleaving="team_draft").answers == 0
    with refused(DifferentStudyError, "interleaving", "'team_draft'", "'optimized'"):
        Study(arms=ARMS, journal=path, interleaving="optimized")
    other = tmp_path / "other.db"
    Study(arms=ARMS, journal=other, interleaving="balanced")
    assert type(Study.open(other).steps._interleaver.method).__name__ == "Balanced"
