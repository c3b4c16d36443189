"""Rules for learners of rankings: pure asks, late and repeated tells, equal seeds, useful errors."""

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from refusals import refused

from duelist.errors import OutcomeError, ParameterError
from duelist.interleaving import Balanced, SampleOnly
from duelist.learners.ranking import (
    DuelingGradientRanker,
    MultileavingGradientRanker,
    PairwiseGradientRanker,
)
from duelist.menus import Arms, Documents, Impression

LEARNERS: list[Any] = [
    PairwiseGradientRanker(length=4),
    DuelingGradientRanker(exploitation=0.1, length=4),
    MultileavingGradientRanker(exploitation=0.1, neighbours=3, length=4),
]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)


def documents(seed: int, count: int = 7, d: int = 5) -> Documents:
    return Documents(default_rng(seed).random((count, d)))


def trained(learner: Any, impressions: int = 30, seed: int = 0) -> Any:
    rng = default_rng(seed)
    state = learner.init(Documents(np.zeros((1, 5))), rng)
    for i in range(impressions):
        impression = learner.ask(state, documents(i), rng)
        state = learner.tell(state, impression, [d for d in impression.documents if rng.random() < 0.4])
    return state


def frozen(state: Any) -> list[bytes]:
    return [part.tobytes() for part in state]


@each_learner
def test_only_tell_changes_the_state_and_makes_a_new_one(learner: Any) -> None:
    state = trained(learner)
    before = frozen(state)
    rng = default_rng(1)
    changed = 0
    for i in range(30):
        impression = learner.ask(state, documents(i), rng)
        assert frozen(state) == before
        told = learner.tell(state, impression, impression.documents[1:2])
        assert frozen(state) == before
        changed += frozen(told) != before
        assert not any(np.shares_memory(old, new) for old, new in zip(state, told, strict=True))
    assert changed > 3


@each_learner
def test_equal_seeds_show_equal_lists_and_other_seeds_others(learner: Any) -> None:
    assert frozen(trained(learner, seed=4)) == frozen(trained(learner, seed=4))
    state = trained(learner)
    lists = [learner.ask(state, documents(9), default_rng(seed)).documents for seed in range(20)]
    assert lists == [learner.ask(state, documents(9), default_rng(seed)).documents for seed in range(20)]
    assert len(set(lists)) > 1


@each_learner
def test_late_reordered_and_repeated_clicks_are_understood_as_they_were_meant(learner: Any) -> None:
    rng = default_rng(2)
    state = trained(learner)
    asked = [learner.ask(state, documents(i), rng) for i in range(8)]
    clicked = [list(impression.documents[1:3]) for impression in asked]
    alone = [learner.weights(learner.tell(state, *one)) for one in zip(asked, clicked, strict=True)]
    for order in (range(8), range(7, -1, -1)):
        told = state
        for i in order:
            told = learner.tell(told, asked[i], clicked[i])
        assert np.isfinite(learner.weights(told)).all()
    again = [learner.weights(learner.tell(state, *one)) for one in zip(asked, clicked, strict=True)]
    for one, other in zip(alone, again, strict=True):
        assert one.tobytes() == other.tobytes()  # an impression can be told repeatedly


def test_steps_of_pdgd_add_up_in_any_order() -> None:
    learner = LEARNERS[0]
    rng, state = default_rng(2), trained(learner)
    asked = [learner.ask(state, documents(i), rng) for i in range(8)]
    steps = [learner.weights(learner.tell(state, one, one.documents[1:2])) - state.weights for one in asked]
    for order in (range(8), (5, 2, 7, 0, 1, 6, 3, 4)):
        told = state
        for i in order:
            told = learner.tell(told, asked[i], asked[i].documents[1:2])
        np.testing.assert_allclose(learner.weights(told), state.weights + np.sum(steps, axis=0), atol=1e-12)


@each_learner
def test_clicks_are_documents_in_any_order_however_often(learner: Any) -> None:
    state = trained(learner)
    impression = learner.ask(state, documents(3), default_rng(3))
    first, second = impression.documents[:2]
    told = frozen(learner.tell(state, impression, [first, second]))
    assert frozen(learner.tell(state, impression, (np.int64(second), first, first))) == told
    assert frozen(learner.tell(state, impression, iter([second, first]))) == told


@each_learner
def test_a_list_shows_rows_of_the_features_that_were_given(learner: Any) -> None:
    state = trained(learner)
    for count in (1, 3, 4, 9):
        impression = learner.ask(state, documents(1, count), default_rng(0))
        assert isinstance(impression, Impression)
        assert sorted(set(impression.documents)) == sorted(impression.documents)
        assert len(impression.documents) == min(4, count)
        assert set(impression.documents) <= set(range(count))
        np.testing.assert_array_equal(impression.menu.features, documents(1, count).features)


@each_learner
def test_clicks_on_what_was_not_shown_are_refused(learner: Any) -> None:
    state = trained(learner)
    impression = learner.ask(state, documents(3), default_rng(3))
    absent = next(iter(set(range(7)) - set(impression.documents)))
    for wrong in (absent, 7, -1, "a"):
        with refused(OutcomeError, f"document {wrong!r}", impression.documents):
            learner.tell(state, impression, [wrong])


@each_learner
def test_flags_are_not_mistaken_for_documents(learner: Any) -> None:
    state = trained(learner)
    impression = learner.ask(state, documents(3, 4), default_rng(3))
    for flags in ([True, False, False, True], np.array([False, True, False, False])):
        with refused(OutcomeError, "clicked", flags[0]):
            learner.tell(state, impression, flags)


@each_learner
def test_documents_with_other_features_than_before_are_refused(learner: Any) -> None:
    with refused(ParameterError, "documents", "5 features"):
        learner.ask(trained(learner, 1), documents(0, d=4), default_rng(0))


@each_learner
def test_the_best_ranker_has_the_weights_learned(learner: Any) -> None:
    state = trained(learner)
    weights = learner.weights(state)
    assert learner.best(state, documents(0)).weights.tolist() == weights.tolist()
    assert learner.d(state) == 5
    weights[:] = 9.0
    assert (learner.weights(state) != 9.0).all()


@pytest.mark.parametrize("learner", LEARNERS[1:], ids=lambda learner: type(learner).__name__)
def test_directions_start_in_the_middle_and_stay_on_the_sphere(learner: Any) -> None:
    state = learner.init(documents(0, d=4), default_rng(0))
    np.testing.assert_allclose(learner.weights(state), np.full(4, 0.5))
    assert np.linalg.norm(learner.weights(trained(learner, 200))) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "name", "value", "facts"),
    [
        (PairwiseGradientRanker, "exploitation", 0.0, ("exploitation", 0.0)),
        (PairwiseGradientRanker, "length", 0, ("length", 0)),
        (DuelingGradientRanker, "exploration", -1.0, ("exploration", -1.0)),
        (DuelingGradientRanker, "comparisons", 0, ("comparisons", 0)),
        (DuelingGradientRanker, "length", 2.5, ("length", 2.5)),
        (DuelingGradientRanker, "interleaving", "team draft", ("interleaving", "'team draft'")),
        (DuelingGradientRanker, "interleaving", SampleOnly(), ("3 rankings", 2)),
        (MultileavingGradientRanker, "neighbours", 0, ("neighbours", 0)),
        (MultileavingGradientRanker, "length", 0, ("length", 0)),
        (MultileavingGradientRanker, "multileaving", Balanced(), ("2 rankings", 10)),
    ],
)
def test_settings_that_cannot_work_are_refused(
    kind: type, name: str, value: Any, facts: tuple[object, ...]
) -> None:
    with refused(ParameterError, *facts):
        kind(**{name: value})


@each_learner
@pytest.mark.parametrize("wrong", [Arms(3), 5, np.zeros((3, 5))], ids=["arms", "number", "features"])
def test_a_learner_of_rankings_plays_on_documents_alone(learner: Any, wrong: Any) -> None:
    state = trained(learner, 1)
    with refused(ParameterError, type(learner).__name__, "Documents"):
        learner.init(wrong, default_rng(0))
    with refused(ParameterError, type(learner).__name__, "Documents"):
        learner.ask(state, wrong, default_rng(0))
