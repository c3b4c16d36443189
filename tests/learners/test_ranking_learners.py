"""Learners of rankings: every step as in its paper, and lists with the right probabilities."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from reference_learners.ranking import (
    best_first,
    chance_of_list,
    chances_of_lists,
    dbgd_step,
    mgd_step,
    pdgd_step,
    unit,
)

from duelist.duel import FloatArray
from duelist.learners.ranking import (
    DuelingGradientRanker,
    MultileavingGradientRanker,
    PairwiseGradientRanker,
    pairwise,
)
from duelist.menus import Documents, Impression

PDGD, DBGD, MGD = PairwiseGradientRanker, DuelingGradientRanker, MultileavingGradientRanker


def documents(count: int, d: int, seed: int) -> FloatArray:
    """Return features that are exact in single precision, so both implementations see the same numbers."""
    return np.asarray(default_rng(seed).standard_normal((count, d)).astype(np.float32), np.float64)


def some_clicks(impression: Impression, chance: float, rng: np.random.Generator) -> list[int]:
    return [document for document in impression.documents if rng.random() < chance]


def flags(impression: Impression, clicked: list[int]) -> list[bool]:
    return [document in clicked for document in impression.documents]


def shown_teams(impression: Impression) -> list[int]:
    teams: list[int] = impression.page.teams[: len(impression.documents)].tolist()
    return teams


@pytest.mark.parametrize(("count", "length"), [(7, 10), (9, 4), (1, 3), (5, 1)])
def test_every_step_of_pdgd_equals_the_papers(count: int, length: int) -> None:
    learner, rng = PDGD(exploitation=0.7, length=length), default_rng(3)
    state = learner.init(Documents(np.zeros((1, 5))), rng)
    expected = np.zeros(5)
    for round_ in range(60):
        features = documents(count, 5, round_)
        impression = learner.ask(state, Documents(features), rng)
        assert len(impression.documents) == min(count, length) == len(set(impression.documents))
        clicked = some_clicks(impression, (0.15, 0.5, 0.9)[round_ % 3], rng)
        expected = pdgd_step(expected, expected, features, impression.documents, clicked, 0.7)
        state = learner.tell(state, impression, clicked)
        np.testing.assert_allclose(learner.weights(state), expected, rtol=0.0, atol=1e-12)
    assert np.abs(expected).max() > 0.1 or min(count, length) == 1


def test_documents_beyond_the_one_after_the_last_click_do_not_count() -> None:
    learner, rng = PDGD(length=6), default_rng(0)
    state = learner.init(Documents(np.zeros((1, 6))), rng)
    impression = learner.ask(state, Documents(np.eye(6)), rng)
    moved = learner.weights(learner.tell(state, impression, [impression.documents[2]]))[
        list(impression.documents)
    ]
    assert (moved[[0, 1, 3]] < 0.0).all()
    assert moved[2] > 0.0
    assert moved[4:].tolist() == [0.0, 0.0]
    for clicked in ([], list(impression.documents)):
        assert learner.weights(learner.tell(state, impression, clicked)).tolist() == [0.0] * 6


@pytest.mark.parametrize("length", [2, 3])
def test_lists_of_pdgd_are_drawn_from_plackett_luce(length: int) -> None:
    scores, learner, rng, draws = np.array([0.8, -0.5, 0.0, 1.5]), PDGD(length=length), default_rng(8), 10_000
    state = pairwise.State(scores)
    shown = [learner.ask(state, Documents(np.eye(4)), rng) for _ in range(draws)]
    lists = Counter(impression.documents for impression in shown)
    chances = chances_of_lists(scores, length)
    assert sum(chances.values()) == pytest.approx(1.0)
    propensities = np.array([impression.page.propensities for impression in shown])
    expected = [chances[impression.documents] for impression in shown]
    np.testing.assert_allclose(propensities.prod(axis=1), expected, rtol=1e-12)
    for ranking, chance in chances.items():
        assert abs(lists[ranking] / draws - chance) < 4.0 * np.sqrt(chance * (1.0 - chance) / draws), ranking


def every_impression(
    learner: PairwiseGradientRanker, state: pairwise.State, count: int
) -> dict[tuple[int, ...], Impression]:
    """Return an impression of each possible list of documents that have one feature each."""
    rng, found = default_rng(0), dict[tuple[int, ...], Impression]()
    wanted = len(chances_of_lists(state.weights, learner.length))
    while len(found) < wanted:
        impression = learner.ask(state, Documents(np.eye(count)), rng)
        found[impression.documents] = impression
    return found


@pytest.mark.parametrize("length", [2, 3, 4])
def test_pdgd_moves_equally_relevant_documents_nowhere_on_average(length: int) -> None:
    """Theorem: preferences among equal documents cancel, for all positions and examination probabilities."""
    state, learner = pairwise.State(np.array([0.7, -0.4, 0.0, -1.0])), PDGD(exploitation=1.0, length=length)
    looks = (0.9, 0.6, 0.35, 0.2)[:length]  # examination probabilities that depend on the place
    moved, largest = np.zeros(4), 0.0
    for ranking, impression in every_impression(learner, state, 4).items():
        for clicks in product([False, True], repeat=length):
            chance = chance_of_list(state.weights, ranking)
            for look, click in zip(looks, clicks, strict=True):
                chance *= 0.5 * look if click else 1.0 - 0.5 * look
            clicked = [document for document, click in zip(ranking, clicks, strict=True) if click]
            step = learner.weights(learner.tell(state, impression, clicked)) - state.weights
            moved += chance * step
            largest = max(largest, chance * np.abs(step).max())
    assert largest > 1e-3
    np.testing.assert_allclose(moved, 0.0, atol=1e-15)


def test_pdgd_moves_towards_what_is_clicked_more_often() -> None:
    state, learner = pairwise.State(np.array([-1.0, 1.0])), PDGD(exploitation=1.0, length=2)
    attraction, looks, moved = (0.8, 0.3), (1.0, 0.2), np.zeros(2)
    for ranking, impression in every_impression(learner, state, 2).items():
        for clicks in product([False, True], repeat=2):
            chance = chance_of_list(state.weights, ranking)
            for document, look, click in zip(ranking, looks, clicks, strict=True):
                chance *= attraction[document] * look if click else 1.0 - attraction[document] * look
            clicked = [document for document, click in zip(ranking, clicks, strict=True) if click]
            moved += chance * (learner.weights(learner.tell(state, impression, clicked)) - state.weights)
    assert moved[0] > 0.0 > moved[1]


@given(scale=st.sampled_from([1.0, 50.0, 300.0, 5000.0]), seed=st.integers(0, 10**6))
def test_pdgd_stays_finite_however_sure_it_is(scale: float, seed: int) -> None:
    rng, learner = default_rng(seed), PDGD(length=6)
    state = pairwise.State(scale * rng.standard_normal(8))
    impression = learner.ask(state, Documents(np.eye(8)), rng)
    assert ((impression.page.propensities >= 0.0) & (impression.page.propensities <= 1.0)).all()
    moved = learner.weights(learner.tell(state, impression, some_clicks(impression, 0.4, rng)))
    assert np.isfinite(moved).all()
    assert np.abs(moved - state.weights).max() <= 0.1 * 6 * 0.25


def test_pdgd_understands_documents_far_below_the_best() -> None:
    learner, rng = PDGD(exploitation=1.0, length=3), default_rng(0)
    state = pairwise.State(np.array([0.0, -400.0, -400.0]))
    impression = learner.ask(state, Documents(np.eye(3)), rng)
    assert impression.documents[0] == 0
    last = impression.documents[2]
    moved = learner.weights(learner.tell(state, impression, [last])) - state.weights
    assert moved[last] == pytest.approx(0.25 * 0.5)  # equation 8 at equal scores; both orders as likely
    assert moved[impression.documents[1]] == pytest.approx(-0.25 * 0.5)


@pytest.mark.parametrize("comparisons", [1, 3])
@pytest.mark.parametrize(("count", "length"), [(8, 6), (4, 6)])
def test_every_step_of_dbgd_equals_the_papers(count: int, length: int, comparisons: int) -> None:
    learner, rng = DBGD(0.8, 0.3, comparisons, length=length), default_rng(5)
    state = learner.init(Documents(np.zeros((1, 4))), rng)
    w, moved, u = np.full(4, 0.5), 0, np.zeros(4)
    pages: list[tuple[list[int], list[bool]]] = []
    for round_ in range(120):
        features = documents(count, 4, round_)
        impression = learner.ask(state, Documents(features), rng)
        duel = impression.note.duel
        assert not pages or np.array_equal(duel.note, u)
        u = duel.note.copy()
        assert np.linalg.norm(u) == pytest.approx(1.0)
        np.testing.assert_allclose(duel.sides[0], w, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(duel.sides[1], unit(w + 0.8 * u), rtol=0.0, atol=1e-12)
        for ranking, weights in zip(impression.note.rankings, (w, unit(w + 0.8 * u)), strict=True):
            assert ranking[: min(count, length)].tolist() == best_first(features @ weights, length)
        clicked = some_clicks(impression, 0.5, rng)
        pages.append((shown_teams(impression), flags(impression, clicked)))
        if len(pages) == comparisons:
            after = dbgd_step(w, u, pages, 0.3)
            moved += not np.array_equal(w, after)
            w, pages = after, []
        state = learner.tell(state, impression, clicked)
        np.testing.assert_allclose(learner.weights(state), w, rtol=0.0, atol=1e-12)
    assert 0 < moved < 120 // comparisons


@pytest.mark.parametrize(("count", "length"), [(9, 8), (3, 8)])
def test_every_step_of_mgd_equals_the_papers(count: int, length: int) -> None:
    learner, rng = MGD(0.8, 0.3, neighbours=3, length=length), default_rng(6)
    state = learner.init(Documents(np.zeros((1, 4))), rng)
    w, steps, together = np.full(4, 0.5), 0, 0
    for round_ in range(150):
        features = documents(count, 4, round_)
        impression = learner.ask(state, Documents(features), rng)
        directions = impression.note.duels.note.copy()
        candidates = [w, *(unit(w + 0.8 * u) for u in directions)]
        for ranking, weights in zip(impression.note.rankings, candidates, strict=True):
            assert ranking[: min(count, length)].tolist() == best_first(features @ weights, length)
        clicked = some_clicks(impression, 0.5, rng)
        marks, teams = flags(impression, clicked), shown_teams(impression)
        after = mgd_step(w, directions, teams, marks, 0.3)
        if not np.array_equal(after, w):
            steps += 1
            together += int(np.linalg.norm(after - w) < 0.25)  # a step is shorter if the winners disagree
        w = after
        state = learner.tell(state, impression, clicked)
        np.testing.assert_allclose(learner.weights(state), w, rtol=0.0, atol=1e-12)
    assert 0 < together <= steps < 150
