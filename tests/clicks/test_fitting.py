"""Models fitted to simulated logs recover the parameters, reach the maximum likelihood and predict best."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from math import log

import numpy as np
import pytest
from clicks.hidden import BY_LAST, CONTINUATION, enumerate_clicks
from refusals import refused

from duelist.clicks import (
    ClickLog,
    FittedClicks,
    TableClickModel,
    compare_fits,
    dependent_click,
    fit_dependent_click,
    fit_position_based,
    fit_user_browsing,
    position_based,
    simulate_log,
    user_browsing,
)
from duelist.duel import FloatArray
from duelist.errors import ParameterError

ATTRACTION = np.random.default_rng(0).uniform(0.05, 0.9, 24)
GRADES = {(f"q{i // 8}", f"d{i % 8}"): i for i in range(24)}
"""Every document of every query has its own grade."""

# the top place is looked at for certain, as the fits assume
PLACES = [1.0, 0.75, 0.5, 0.3]
LASTS = [[1.0], *BY_LAST[1:]]
PEOPLE: dict[str, TableClickModel] = {
    "position-based": position_based(ATTRACTION, PLACES),
    "dependent click": dependent_click(ATTRACTION, CONTINUATION),
    "user browsing": user_browsing(ATTRACTION, LASTS),
}
FITS: dict[str, Callable[..., FittedClicks]] = {
    "position-based": fit_position_based,
    "dependent click": fit_dependent_click,
    "user browsing": fit_user_browsing,
}
every_fit = pytest.mark.parametrize("kind", FITS)
every_person = pytest.mark.parametrize("person", PEOPLE)


@cache
def log_of(person: str, impressions: int) -> ClickLog:
    return simulate_log(PEOPLE[person], GRADES, impressions, 4, np.random.default_rng(11))


def attractions(model: FittedClicks) -> FloatArray:
    return np.array([model.attraction[model.pairs[pair]] for pair in GRADES])


@every_fit
def test_chances_are_found_again(kind: str) -> None:
    model = FITS[kind](log_of(kind, 60_000))
    assert model.converged
    # a document is shown 10,000 times: four standard errors of a share are 0.02, of a quotient somewhat more
    np.testing.assert_allclose(attractions(model), ATTRACTION, atol=0.03)
    if kind == "dependent click":
        assert model.examination.tolist() == [[1.0]]
        np.testing.assert_allclose(1.0 - model.stop[:, 0], CONTINUATION[:3], atol=0.02)
    else:
        assert model.stop.tolist() == [[0.0]]
        expected = [[chance] for chance in PLACES] if kind == "position-based" else LASTS
        for row, chances in zip(model.examination, expected, strict=True):
            np.testing.assert_allclose(row[: len(chances)], chances, atol=0.03)


@every_fit
@every_person
@pytest.mark.parametrize("prior", [0.0, 1.0, 30.0])
def test_no_round_makes_the_log_less_likely(kind: str, person: str, prior: float) -> None:
    trace = FITS[kind](log_of(person, 2_000), prior=prior).trace
    assert len(trace) > 3
    assert (np.diff(trace) >= -1e-9 * abs(trace[0])).all()


@every_fit
@every_person
def test_what_is_maximised_is_the_likelihood(kind: str, person: str) -> None:
    clicks = log_of(person, 2_000)
    for rounds in (1, 2, 7):
        # a fit's trace is one round behind its chances
        before = FITS[kind](clicks, prior=0.0, rounds=rounds).log_likelihood(clicks).sum()
        after = FITS[kind](clicks, prior=0.0, rounds=rounds + 1).trace[-1]
        assert after == pytest.approx(before, rel=1e-10)


@every_fit
@every_person
def test_no_small_change_is_likelier(kind: str, person: str) -> None:
    clicks = log_of(person, 2_000)
    model = FITS[kind](clicks, prior=0.0, tolerance=1e-13)
    best = model.log_likelihood(clicks).sum()
    habits = "stop" if kind == "dependent click" else "examination"
    for field in ("attraction", habits):
        table = getattr(model, field)
        for index in np.ndindex(table.shape):
            for step in (-0.01, 0.01):
                changed = table.copy()
                changed[index] = np.clip(changed[index] + step, 0.0, 1.0)
                if field == "examination" and index == (0, 0):
                    continue
                assert replace(model, **{field: changed}).log_likelihood(clicks).sum() <= best + 1e-6


@every_person
def test_impressions_held_out_tell_who_clicked(person: str) -> None:
    fit, held_out = log_of(person, 20_000).split(0.5, np.random.default_rng(2))
    # the user browsing model holds the position-based one, so that nothing but chance tells the two apart
    models = [make(fit) for name, make in FITS.items() if person == name or name != "user browsing"]
    table = compare_fits(models, held_out)
    assert table[0].name == person
    # not by a hair: by four standard errors of the differences between impressions
    first, second = (next(m for m in models if m.name == row.name) for row in table[:2])
    gains = first.log_likelihood(held_out) - second.log_likelihood(held_out)
    assert gains.mean() > 4.0 * gains.std() / np.sqrt(len(gains))


def test_the_table_sums_up() -> None:
    clicks = log_of("dependent click", 2_000)
    models = [make(clicks) for make in FITS.values()]
    table = compare_fits(models, clicks)
    assert [row.log_likelihood for row in table] == sorted(
        (row.log_likelihood for row in table), reverse=True
    )
    for model in models:
        (row,) = (row for row in table if row.name == model.name)
        total = model.log_likelihood(clicks).sum()
        assert row[1:4] == pytest.approx((total, total / 2_000, total / 8_000))
        assert row.perplexity_by_place == tuple(model.perplexity(clicks))
        assert row.perplexity == pytest.approx(np.mean(row.perplexity_by_place))


SHORT = ClickLog.from_records(
    [("q0", ["d1", "new", "d0"], [1, 0, 1]), ("new", ["d2"], [0]), ("q2", ["d7", "d0", "d1"], [0, 1, 0])]
)


def patterns_of(model: FittedClicks, query: str, documents: Sequence[str]) -> dict[Sequence[int], float]:
    """Enumerate the clicks on a page for a fitted model, by an independent formula."""
    unseen = model.attraction[-1]
    attraction = [
        float(model.attraction[model.pairs[query, document]]) if (query, document) in model.pairs else unseen
        for document in documents
    ]

    def look(_: Sequence[int], place: int, looked: Sequence[int], clicked: Sequence[int]) -> float:
        if model.name == "dependent click":
            gone = place > 0 and not looked[-1]
            return 0.0 if gone else 1.0 - model.stop[place - 1, 0] if place and clicked[-1] else 1.0
        last = max((1 + i for i in range(place) if clicked[i]), default=0)
        return float(model.examination[place, 0 if model.name == "position-based" else last])

    return enumerate_clicks(look, attraction, range(len(documents)))


@every_fit
def test_likelihood_and_perplexity_sum_over_all_that_is_hidden(kind: str) -> None:
    # numbers of queries and documents differ between the two logs: names count
    model = FITS[kind](log_of(kind, 2_000))
    pages = [
        ("q0", ["d1", "new", "d0"], (1, 0, 1)),
        ("new", ["d2"], (0,)),
        ("q2", ["d7", "d0", "d1"], (0, 1, 0)),
    ]
    patterns = [patterns_of(model, query, documents) for query, documents, _ in pages]
    expected = [log(chances[clicked]) for chances, (_, _, clicked) in zip(patterns, pages, strict=True)]
    np.testing.assert_allclose(model.log_likelihood(SHORT), expected, rtol=1e-10)
    surprises: list[list[float]] = [[], [], []]
    for chances, (query, documents, clicked) in zip(patterns, pages, strict=True):
        found = model.chances(query, documents)
        for place, flag in enumerate(clicked):
            chance = sum(each for pattern, each in chances.items() if pattern[place])
            assert found[place] == pytest.approx(chance)
            surprises[place].append(-np.log2(chance if flag else 1.0 - chance))
    np.testing.assert_allclose(model.perplexity(SHORT), [2.0 ** np.mean(bits) for bits in surprises])


def test_exact_rounds_beat_the_papers_bound() -> None:
    clicks = log_of("dependent click", 2_000)
    exact = fit_dependent_click(clicks, prior=0.0)
    shown, clicked = np.zeros(24), np.zeros(24)
    last, all_clicks = np.zeros(3), np.zeros(3)
    for query, codes, flags in zip(clicks.queries, clicks.documents, clicks.clicked, strict=True):
        end = int(np.flatnonzero(flags)[-1]) if flags.any() else 3
        for place in range(end + 1):
            pair = exact.pairs[clicks.query_names[query], clicks.document_names[codes[place]]]
            shown[pair] += 1
            clicked[pair] += flags[place]
        for place in range(3):
            all_clicks[place] += flags[place]
            last[place] += flags[place] and place == end
    attraction = np.append(clicked / shown, 0.5)
    bound = replace(exact, attraction=attraction, stop=(last / all_clicks)[:, None])
    assert exact.log_likelihood(clicks).sum() > bound.log_likelihood(clicks).sum() + 1.0
    # the paper takes everyone for gone who clicks no more, so that documents look better than they are
    assert np.mean(attraction[:-1]) > np.mean(exact.attraction[:-1])


def test_pages_of_one_document_are_their_shares_of_clicks() -> None:
    clicks = ClickLog.from_records([("q", ["a"], [1])] * 3 + [("q", ["a"], [0])] + [("q", ["b"], [0])] * 4)
    for fit in FITS.values():
        model = fit(clicks, prior=0.0)
        assert model.chances("q", ["a"]) == pytest.approx([0.75])
        assert model.chances("q", ["b"]) == pytest.approx([0.0])
        # two looks beforehand, clicked like all documents: (3 + 0.5) / (8 + 1)
        model = fit(clicks, prior=2.0)
        usual = 3.5 / 9.0
        assert model.chances("q", ["a"]) == pytest.approx([(3 + 2 * usual) / 6])
        assert model.chances("q", ["unseen"]) == pytest.approx([usual])


@every_fit
def test_pages_of_different_lengths_are_one_log(kind: str) -> None:
    rng = np.random.default_rng(4)
    grades = {pair: grade for pair, grade in GRADES.items() if pair[0] != "q0" or pair[1] < "d2"}
    clicks = simulate_log(PEOPLE[kind], grades, 60_000, 4, rng)
    assert (clicks.documents[clicks.queries == 0, 2:] == -1).all()
    model = FITS[kind](clicks)
    found = [model.attraction[model.pairs[pair]] for pair in grades]
    np.testing.assert_allclose(found, [ATTRACTION[grade] for grade in grades.values()], atol=0.03)


@every_fit
def test_a_fitted_model_can_be_simulated_by_grade(kind: str) -> None:
    steps = np.array([0.1, 0.4, 0.8])
    person = replace(PEOPLE[kind], attraction=tuple(steps))
    grades = {pair: number % 3 for pair, number in GRADES.items()}
    model = FITS[kind](simulate_log(person, grades, 60_000, 4, np.random.default_rng(6)))
    copy = model.by_grade(grades)
    assert copy.name == person.name
    np.testing.assert_allclose(copy.attraction, steps, atol=0.01)
    np.testing.assert_allclose(copy.chances([2, 1, 0, 2]), person.chances([2, 1, 0, 2]), atol=0.01)


def test_attraction_by_grade_weighs_documents_by_their_evidence() -> None:
    clicks = ClickLog.from_records([("q", ["a"], [1])] * 9 + [("q", ["b"], [0]), ("q", ["c"], [0])])
    model = fit_position_based(clicks, prior=0.0)
    assert model.by_grade({("q", "a"): 0, ("q", "b"): 0, ("other", "c"): 5}).attraction == pytest.approx(
        (0.9,)
    )
    with refused(ParameterError, "grades", "grade 1"):
        model.by_grade({("q", "a"): 0, ("q", "b"): 2})
    with refused(ParameterError, "grades", "grade 0"):
        model.by_grade({})
    with refused(ParameterError, "grade", 0, -1):
        model.by_grade({("q", "a"): -1})


@every_fit
def test_rounds_that_do_not_suffice_are_told(kind: str) -> None:
    model = FITS[kind](log_of(kind, 2_000), rounds=3)
    assert not model.converged
    assert len(model.trace) == 3


@every_fit
@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"prior": -1.0}, ("prior", 0, -1.0)),
        ({"prior": float("nan")}, ("prior", "nan")),
        ({"rounds": 0}, ("rounds", 1, 0)),
        ({"tolerance": -1e-9}, ("tolerance", 0, -1e-9)),
    ],
)
def test_wrong_settings_are_refused(kind: str, settings: dict[str, float], facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        FITS[kind](SHORT, **settings)


@every_fit
def test_a_log_without_clicks_is_refused(kind: str) -> None:
    with refused(ParameterError, "log", "clicks"):
        FITS[kind](ClickLog.from_records([("q", ["a"], [0])]))
