"""Propensities are those of the duel as shown, or None, and travel in the ticket."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from refusals import refused
from study.world import known

from duelist import RUCB, Actions, Duel, LogisticDuels, SparringEXP4P, Study
from duelist.errors import OutcomeError

ARMS = ["a", "b", "c"]
POLICIES = list(product(range(3), repeat=2))


def sparring(seed: int = 0) -> Study:
    return Study(SparringEXP4P(POLICIES, horizon=400), ARMS, seed=seed)


def learned(study: Study, rounds: int) -> Study:
    rng = np.random.default_rng(0)
    for turn in range(rounds):
        duel = study.ask(context=[float(turn % 2)])
        better = duel.left < duel.right
        study.tell(duel, "left" if better == (rng.random() < 0.9) else "right")
    return study


def test_propensities_are_how_often_a_side_is_shown_given_that_sides_differ() -> None:
    study = learned(sparring(), 300)
    duels = [study.ask(context=[0.0]) for _ in range(3000)]
    assert all(duel.left != duel.right for duel in duels)
    for name in ARMS:
        shown = [duel for duel in duels if duel.left == name and duel.propensity]
        # each side is chosen by a copy of its own, and sides are flipped at random
        weights = [1.0 / duel.propensity[0] for duel in shown if duel.propensity]
        assert sum(weights) / len(duels) == pytest.approx(1.0, abs=0.15)


def test_a_duel_rebuilt_from_names_and_ticket_is_weighed_as_the_one_that_was_asked() -> None:
    rebuilt, kept = sparring(), sparring()
    for turn in range(60):
        context = [float(turn % 2)]
        duel, twin = rebuilt.ask(context=context), kept.ask(context=context)
        rebuilt.tell(Duel(duel.left, duel.right, ticket=duel.ticket), "left")
        kept.tell(twin, "left")
    for one, other in zip(known(rebuilt).player.state, known(kept).player.state, strict=True):
        assert np.array_equal(one, other)
    assert known(kept).player.state.told[0] == 60


def test_flips_are_undone_before_the_learner_is_told() -> None:
    study, learner = sparring(4), SparringEXP4P(POLICIES, horizon=400)
    learned(study, 80)
    state = learner.init(Actions(3, np.zeros(1)), np.random.default_rng(0))
    flips = 0
    for recorded in study._journal.read()[1:]:
        event: Any = recorded.event
        flips += event.flipped
        sides, won = (event.left, event.right), event.outcome
        if event.flipped:
            sides, won = sides[::-1], 1.0 - won
        state = learner.tell(state, Duel(*sides, note=event.note, context=event.context), won)
    assert 20 <= flips <= 60
    for one, other in zip(known(study).player.state, state, strict=True):
        assert np.array_equal(one, other)


def test_without_a_propensity_an_answer_is_left_to_the_tally() -> None:
    study = learned(sparring(), 20)
    before = [array.copy() for array in known(study).player.state]
    study.tell(Duel("a", "b", context=[1.0]), "left")
    study.tell(Duel("a", "b"), "left")
    assert study.answers == 22
    for one, other in zip(known(study).player.state, before, strict=True):
        assert np.array_equal(one, other)
    study.tell(Duel("a", "b", propensity=(0.5, 0.25), context=[1.0]), "left")
    assert known(study).player.state.told[0] == 21
    assert RUCB().card.needs_propensities is False


def test_an_answer_that_a_learner_would_refuse_is_not_written() -> None:
    study = Study(LogisticDuels(), ARMS, context=[0.0, 0.0])
    with refused(OutcomeError, "duel.context", "2"):
        study.tell(Duel("a", "b", context=[1.0]), "left")
    assert len(study._journal.read()) == 1
    study.tell(Duel("a", "b", context=[1.0, 0.0]), "left")
    duel = study.ask(context=[1.0, 0.0])
    assert duel.left != duel.right
    assert duel.propensity is None


def test_a_learner_of_contexts_that_is_sure_still_shows_two() -> None:
    for choice in ("thompson", "optimistic"):
        study = Study(LogisticDuels(choice=choice), ARMS, context=[0.0], seed=1)
        for _ in range(150):
            duel = study.ask(context=[1.0])
            assert duel.left != duel.right
            study.tell(duel, "left" if duel.left < duel.right else "right")
        assert study.best([1.0]) == "a"


def test_a_voter_who_answers_again_in_another_context_teaches_the_learner() -> None:
    study = Study(LogisticDuels(), ARMS[:2], context=[0.0], seed=1)
    for _ in range(20):
        study.tell(Duel("a", "b", context=[1.0]), "left", voter="ann")
        study.tell(Duel("a", "b", context=[-1.0]), "right", voter="ann")
    assert (study.best([1.0]), study.best([-1.0])) == ("a", "b")
