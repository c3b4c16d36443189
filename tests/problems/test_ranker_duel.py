"""Rankers as arms: live duels, the estimated matrix, and the true quality."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from draft_chances import TINY, exact_chances
from numpy.random import default_rng
from refusals import refused

from duelist import Duel, clicks
from duelist.errors import OutcomeError, ParameterError, PreferenceError
from duelist.interleaving import Balanced, Optimized, SampleOnly, Shown, TeamDraft
from duelist.problems import MatrixProblem, RankerDuel
from duelist.ranking import RankingData, synthetic_ranking_data
from duelist.ranking.linear import LinearRanker
from duelist.ranking.metrics import ndcg

DATA = synthetic_ranking_data(queries=40, documents=12, features=6, seed=5)


def outcomes(problem: RankerDuel, left: int, right: int, duels: int, seed: int = 0) -> np.ndarray:
    rng = default_rng(seed)
    return np.array([problem.play(Duel(left, right), rng) for _ in range(duels)])


@pytest.mark.parametrize(
    "model", [clicks.perfect(2), clicks.informational(2)], ids=["perfect", "informational"]
)
def test_outcomes_have_the_chances_of_queries_coins_and_clicks(model: Any) -> None:
    problem = RankerDuel(TINY, [0, 1, 2], clicks=model, length=2)
    for left, right in ((0, 1), (2, 0), (1, 2)):
        expected = exact_chances(problem, left, right, 2)
        assert sum(expected.values()) == pytest.approx(1.0)
        seen = outcomes(problem, left, right, 4000)
        for outcome, chance in expected.items():
            error = 4.0 * np.sqrt(chance * (1.0 - chance) / len(seen))
            assert abs(np.mean(seen == outcome) - chance) <= error, (left, right, outcome)


def test_sides_do_not_matter() -> None:
    problem = RankerDuel(TINY, [0, 1, 2], clicks=clicks.navigational(2), length=2)
    for left, right in ((0, 1), (1, 2)):
        one, other = exact_chances(problem, left, right, 2), exact_chances(problem, right, left, 2)
        seen, swapped = outcomes(problem, left, right, 4000), outcomes(problem, right, left, 4000, seed=1)
        for outcome in one:
            assert one[outcome] == pytest.approx(other[1.0 - outcome])
            assert abs(np.mean(seen == outcome) - np.mean(swapped == 1.0 - outcome)) < 0.045


def test_an_estimate_counts_every_meeting_and_ties_as_half() -> None:
    problem = RankerDuel(TINY, [0, 1, 2], clicks=clicks.informational(2), length=2)
    estimated = problem.estimate(comparisons=20_000, seed=3)
    assert isinstance(estimated, MatrixProblem)
    assert estimated.labels == problem.labels == ("feature 0", "feature 1", "feature 2")
    assert estimated.counts is not None
    assert estimated.counts.tolist() == [[0, 20_000, 20_000], [20_000, 0, 20_000], [20_000, 20_000, 0]]
    for left, right in ((0, 1), (0, 2), (1, 2)):
        chances = exact_chances(problem, left, right, 2)
        assert chances[0.5] > 0.1
        assert (
            abs(estimated.matrix[left, right] - (chances[1.0] + 0.5 * chances[0.5])) < 4.0 * 0.5 / 20_000**0.5
        )
    nobody = RankerDuel(TINY, [0, 1], clicks=clicks.random_clicks(0.0, 2)).estimate(7)
    assert nobody.matrix.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_an_estimate_does_not_depend_on_workers_but_on_its_seed() -> None:
    problem = RankerDuel(DATA, range(5), clicks=clicks.informational(3))
    one, three, other = (problem.estimate(50, seed, workers) for seed, workers in ((1, 1), (1, 3), (2, 1)))
    assert one.matrix.tobytes() == three.matrix.tobytes()
    assert one.matrix.tobytes() != other.matrix.tobytes()


def test_a_pairs_estimate_does_not_depend_on_the_other_rankers() -> None:
    few, many = (RankerDuel(DATA, range(k), clicks=clicks.informational(3)).estimate(50) for k in (3, 6))
    assert few.matrix.tobytes() == np.ascontiguousarray(many.matrix[:3, :3]).tobytes()


@pytest.mark.parametrize("length", [3, 10])
def test_quality_is_the_ndcg_of_lists_of_that_length(length: int) -> None:
    noise = default_rng(0).random(DATA.features.shape) * 1e-5  # so that no two scores are equal
    data = RankingData(DATA.features + noise, DATA.labels, DATA.queries, DATA.offsets)
    weights = np.array([1.0, -0.5, 0.2, 0.1, 0.0, 2.0])
    problem = RankerDuel(data, [0, 3, weights], length=length)
    scores = (data.features[:, 0], data.features[:, 3], LinearRanker(weights).score(data))
    expected = [float(np.nanmean(ndcg(score, data, length))) for score in scores]
    np.testing.assert_allclose(problem.quality, expected, atol=1e-12)
    np.testing.assert_allclose(problem.gaps, max(expected) - np.array(expected), atol=1e-12)
    assert problem.gaps.min() == 0.0


@pytest.mark.parametrize("method", [TeamDraft(), Balanced()], ids=lambda method: type(method).__name__)
def test_the_better_ranker_beats_the_worse(method: Any) -> None:
    truth = DATA.labels + 0.1 * default_rng(0).random(len(DATA.labels))

    class Oracle:
        def __init__(self, name: str, share: float) -> None:
            self.name, self.share = name, share

        def score(self, data: RankingData) -> Any:
            return self.share * truth + (1.0 - self.share) * default_rng(1).random(len(truth))

    problem = RankerDuel(DATA, [Oracle("bad", 0.0), Oracle("good", 0.9), Oracle("fair", 0.3)], method)
    assert np.argsort(problem.quality).tolist() == [0, 2, 1]
    matrix = problem.estimate(2000).matrix
    assert min(matrix[1, 0], matrix[2, 0], matrix[1, 2]) > 0.5 + 4.0 * 0.5 / 2000**0.5


def test_blind_clicks_prefer_no_ranker() -> None:
    matrix = RankerDuel(DATA, range(4), clicks=clicks.random_clicks(0.3, 3)).estimate(5000).matrix
    assert np.abs(matrix - 0.5).max() < 4.5 * 0.5 / 5000**0.5


def test_a_ranker_against_itself_ties() -> None:
    problem = RankerDuel(DATA, range(3))
    assert set(outcomes(problem, 1, 1, 50).tolist()) == {0.5}


def test_a_ranker_duel_describes_itself() -> None:
    problem = RankerDuel(DATA, range(3), names=["a", "b", "c"], clicks=clicks.navigational(3))
    assert problem.labels == ("a", "b", "c")
    assert (problem.k, problem.menu().k) == (3, 3)
    assert repr(problem).startswith("RankerDuel(3 rankers, 40 queries, ")
    assert RankerDuel(DATA, range(3)).clicks == clicks.perfect(3)


@pytest.mark.parametrize(
    ("duel", "side", "choice"),
    [
        (Duel(0, 3), "right", 3),
        (Duel(-1, 0), "left", -1),
        (Duel(0.0, 1), "left", 0.0),
        (Duel("a", 1), "left", "a"),
    ],
)
def test_a_duel_of_others_is_refused(duel: Duel, side: str, choice: object) -> None:
    with refused(OutcomeError, side, choice, 0, 2):
        RankerDuel(DATA, range(3)).play(duel, default_rng(0))


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"rankers": [0]}, ("rankers", 2, 1)),
        ({"rankers": [0, 6]}, ("ranker 6", 0, 5)),
        ({"rankers": [0, 1], "length": 0}, ("length", 0)),
        ({"rankers": [0, 1], "names": ["a"]}, ("names", "1 name", "2 rankers")),
        ({"rankers": [0, 1], "clicks": clicks.perfect(2)}, ("clicks", "2 grades", 3, "grades=3")),
        ({"rankers": [0, 1], "clicks": "perfect"}, ("clicks", "perfect")),
        ({"rankers": [0, 1], "interleaving": "team draft"}, ("interleaving", "team draft")),
        ({"rankers": [0, 1], "interleaving": SampleOnly()}, ("SampleOnly", "3 rankings", 2)),
    ],
)
def test_what_cannot_be_played_is_refused(settings: dict[str, Any], facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        RankerDuel(DATA, **settings)


@pytest.mark.parametrize(("name", "value"), [("comparisons", 0), ("seed", -1), ("workers", 0)])
def test_an_estimate_that_cannot_be_made_is_refused(name: str, value: int) -> None:
    settings: dict[str, Any] = {"comparisons": 5, name: value}
    with refused(ParameterError, name, value):
        RankerDuel(DATA, range(3)).estimate(**settings)


def test_names_must_differ_and_quality_needs_something_relevant() -> None:
    with refused(PreferenceError, "labels[1]", "feature 1"):
        RankerDuel(DATA, [1, 1])
    nothing = RankingData(np.zeros((2, 2)), [0, 0], ["q"], [0, 2])
    with refused(ParameterError, "data", "relevant"):
        _ = RankerDuel(nothing, [0, 1], clicks=clicks.perfect(2)).gaps


class InterpretedTeamDraft(TeamDraft):
    """Team draft without kernels that a compiled loop knows."""

    def rules(self) -> Any:
        return Unknown(super().rules())

    def interleave(self, *arguments: Any) -> Shown:
        return TeamDraft().interleave(*arguments)

    def credit(self, *arguments: Any) -> Any:
        return TeamDraft().credit(*arguments)


class Unknown(NamedTuple):
    rules: Any


def test_a_method_without_kernels_gives_the_same_preferences() -> None:
    data = synthetic_ranking_data(queries=40, seed=3)
    compiled = RankerDuel(data, [0, 1, 2]).estimate(comparisons=20_000)
    plain = RankerDuel(data, [0, 1, 2], InterpretedTeamDraft()).estimate(comparisons=4_000, workers=1)
    error = np.sqrt(0.25 / 4_000 + 0.25 / 20_000)
    np.testing.assert_allclose(plain.matrix, compiled.matrix, rtol=0.0, atol=4.0 * error)
    assert plain.counts is not None
    assert plain.counts[0, 1] == 4_000


def test_optimized_interleaving_prefers_the_better_ranker() -> None:
    data = synthetic_ranking_data(queries=5, documents=5, seed=3)
    problem = RankerDuel(data, range(6), Optimized(), length=4)
    better, worse = int(problem.quality.argmax()), int(problem.quality.argmin())
    rng = default_rng(0)
    outcomes = [problem.play(Duel(better, worse), rng) for _ in range(600)]
    assert np.mean(outcomes) > 0.5 + 4.0 * np.std(outcomes) / np.sqrt(600)
