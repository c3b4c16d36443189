"""Learning to rank from simulated clicks: the loop equals ask and tell, and clicks improve rankers."""

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from refusals import refused

from duelist import (
    DuelingGradientRanker,
    MultileavingGradientRanker,
    PairwiseGradientRanker,
    RankingProblem,
    clicks,
    simulate,
)
from duelist.errors import ParameterError
from duelist.menus import Documents
from duelist.ranking import RankingData, synthetic_ranking_data
from duelist.ranking.corpus import corpus_of, mean_quality
from duelist.simulation import Result

PDGD, DBGD, MGD = PairwiseGradientRanker, DuelingGradientRanker, MultileavingGradientRanker
DATA = synthetic_ranking_data(queries=25, documents=9, features=5, seed=2)
OTHERS = synthetic_ranking_data(queries=30, documents=9, features=5, seed=3)
LEARNERS: list[Any] = [
    PDGD(length=4),
    DBGD(exploitation=0.1, length=4),
    MGD(exploitation=0.1, neighbours=3, length=4),
]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
NOTHING = RankingData(np.zeros((2, 5)), [0, 0], ["q"], [0, 2])


def list_quality(grades: list[int], all_grades: list[int], depth: int) -> float:
    def gain(some: list[int]) -> float:
        return sum((2.0**grade - 1.0) / log2(place + 2) for place, grade in enumerate(some[:depth]))

    best = gain(sorted(all_grades, reverse=True))
    return gain(grades) / best if best > 0.0 else np.nan


@each_learner
def test_a_run_is_what_asking_and_telling_makes_of_the_same_luck(learner: Any) -> None:
    model, impressions, seed, depth = clicks.informational(3), 400, 7, 3
    marks = [1, 50, 399, impressions]
    result = simulate(
        {"it": learner},
        RankingProblem(DATA, model, held_out=OTHERS, depth=depth),
        impressions,
        runs=2,
        seed=seed,
        checkpoints=marks,
    )["it"]
    judge = corpus_of(OTHERS, depth)
    for run in range(2):
        rng, world_rng = (default_rng(child) for child in SeedSequence(seed, spawn_key=(run,)).spawn(2))
        state = learner.init(Documents(DATA.features), rng)
        shown = list[float]()
        for impression_number in range(1, impressions + 1):
            rows = DATA.rows(int(world_rng.random() * len(DATA)))
            impression = learner.ask(state, Documents(DATA.features[rows]), rng)
            grades = DATA.labels[rows][list(impression.documents)]
            clicked = model.click(grades, world_rng)
            state = learner.tell(state, impression, np.array(impression.documents)[clicked].tolist())
            shown.append(list_quality(grades.tolist(), DATA.labels[rows].tolist(), depth))
            if impression_number in marks:
                mark = marks.index(impression_number)
                weights = learner.weights(state)
                assert result.quality[run, mark] == mean_quality(judge, weights)
                if not np.isnan(shown).all():
                    assert result.shown_quality[run, mark] == pytest.approx(np.nanmean(shown), abs=1e-12)
        assert result.weights[run].tobytes() == learner.weights(state).tobytes()


@each_learner
def test_equal_seeds_give_equal_results_whatever_the_workers(learner: Any) -> None:
    one, other = (
        simulate({"it": learner}, RankingProblem(DATA, clicks.perfect(3)), 300, runs=runs, workers=workers)[
            "it"
        ]
        for runs, workers in ((3, 1), (4, 3))
    )
    assert one.weights.tobytes() == other.weights[:3].tobytes()
    assert one.quality.tobytes() == other.quality[:3].tobytes()
    assert len(np.unique(other.weights, axis=0)) == 4
    third = simulate({"it": learner}, RankingProblem(DATA, clicks.perfect(3)), 300, runs=1, seed=1)["it"]
    assert third.weights.tobytes() != one.weights[:1].tobytes()


def test_learners_are_measured_on_queries_held_out_if_there_are_any() -> None:
    learners, model = {"it": PDGD()}, clicks.perfect(3)
    seen = simulate(learners, RankingProblem(DATA, model), 200, runs=1)
    unseen = simulate(learners, RankingProblem(DATA, model, held_out=OTHERS), 200, runs=1)
    assert (seen.held_out, unseen.held_out, seen.depth) == (False, True, 10)
    assert seen["it"].weights.tobytes() == unseen["it"].weights.tobytes()
    weights = seen["it"].weights[0]
    assert seen["it"].quality[0, -1] == mean_quality(corpus_of(DATA), weights)
    assert unseen["it"].quality[0, -1] == mean_quality(corpus_of(OTHERS), weights)


def test_results_survive_a_file(tmp_path: Path) -> None:
    result = simulate([PDGD(), DBGD()], RankingProblem(DATA, clicks.perfect(3), depth=5), 50, runs=2)
    back = Result.load(result.save(tmp_path / "result.npz"))
    assert (list(back), back.depth, back.held_out, back.seed) == (list(result), 5, False, 0)
    for name, one in result.items():
        for part in ("checkpoints", "quality", "shown_quality", "weights"):
            assert np.array_equal(getattr(one, part), getattr(back[name], part), equal_nan=True)


def test_clicks_teach_and_blind_clicks_do_not() -> None:
    data = synthetic_ranking_data(queries=80, features=10, seed=1)
    learners: dict[str, Any] = {"PDGD": PDGD(), "DBGD": DBGD(), "MGD": MGD()}
    taught = simulate(learners, RankingProblem(data, clicks.perfect(3)), 20_000, runs=3, checkpoints=[1])
    start = mean_quality(corpus_of(data), np.ones(10))
    for name, one in taught.items():
        assert (one.quality[:, -1] > start + 0.02).all(), name
    del learners["MGD"]
    blind = simulate(learners, RankingProblem(data, clicks.random_clicks(0.3, 3)), 20_000, runs=3)
    for name, one in blind.items():
        assert one.quality[:, -1].mean() < start, name


def test_learners_that_differ_only_in_settings_are_told_apart() -> None:
    result = simulate([PDGD(0.1), PDGD(0.2)], RankingProblem(DATA, clicks.perfect(3)), 20, runs=1)
    assert list(result) == [repr(PDGD(0.1)), repr(PDGD(0.2))]


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"horizon": 0}, ("horizon", 0)),
        ({"runs": 0}, ("runs", 0)),
        ({"seed": -1}, ("seed", -1)),
        ({"workers": 0}, ("workers", 0)),
        ({"depth": 0}, ("depth", 0)),
        ({"learners": []}, ("learners", [])),
        ({"learners": [PDGD(), PDGD()]}, ("learners", "names")),
        ({"learners": [PDGD(), "PDGD"]}, ("learners", "init", "ask", "tell", "best", "'PDGD'")),
        ({"data": NOTHING}, ("data", "relevant")),
        ({"held_out": NOTHING}, ("held_out", "relevant")),
        ({"held_out": synthetic_ranking_data(5, features=6)}, ("held_out", "6 features", "data", 5)),
        ({"clicks": clicks.perfect(2)}, ("clicks", "2 grades", 3, "grades=3")),
        ({"clicks": "perfect"}, ("clicks", "'perfect'")),
        ({"checkpoints": [0]}, ("checkpoints", 1, 10, 0)),
    ],
)
def test_what_cannot_be_trained_is_refused(settings: dict[str, Any], facts: tuple[object, ...]) -> None:
    given: dict[str, Any] = {"data": DATA, "clicks": clicks.perfect(3)}
    options: dict[str, Any] = {"learners": PDGD(), "horizon": 10}
    for name, value in settings.items():
        (given if name in {"data", "clicks", "held_out", "depth"} else options)[name] = value
    with refused(ParameterError, *facts):
        simulate(problem=RankingProblem(**given), **options)
