"""Linear rankers as points: duels by quality and by clicks, and the compiled loop against the protocol."""

from typing import Any

import numpy as np
import pytest
from draft_chances import TINY, exact_chances
from numpy.random import Generator, SeedSequence, default_rng
from refusals import refused

from duelist import Duel, DuelingBanditGradientDescent, Sphere, clicks, simulate
from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.interleaving import SampleOnly
from duelist.problems import LinearRankerSpace, RankerDuel
from duelist.ranking import RankingData, synthetic_ranking_data
from duelist.ranking.linear import LinearRanker
from duelist.ranking.metrics import ndcg

DATA = synthetic_ranking_data(queries=40, documents=12, features=6, seed=5)
DBGD = DuelingBanditGradientDescent


def directions(count: int, seed: int = 0) -> FloatArray:
    return Sphere(DATA.d).sample(default_rng(seed), count)


def qualities(data: RankingData, weights: FloatArray, depth: int) -> FloatArray:
    """Return the NDCG of every query's list, nan where nothing is relevant."""
    return ndcg(LinearRanker(weights).score(data), data, depth)


class Bare:
    """A space as the author of a plug-in would write it, without kernels."""

    def __init__(self, space: LinearRankerSpace) -> None:
        self.space = space

    def menu(self, rng: Generator | None = None) -> Sphere:
        return self.space.menu(rng)

    def play(self, duel: Duel, rng: Generator) -> float:
        return self.space.play(duel, rng)

    def gap(self, point: FloatArray) -> float:
        return self.space.gap(point)


@pytest.mark.parametrize("depth", [2, 10])
def test_a_gap_is_what_the_mean_ndcg_lacks_to_1(depth: int) -> None:
    space = LinearRankerSpace(DATA, depth=depth)
    assert np.isnan(qualities(DATA, directions(1)[0], depth)).any()
    for weights in directions(5):
        assert space.quality(weights) == pytest.approx(np.nanmean(qualities(DATA, weights, depth)), abs=1e-12)
        assert space.gap(weights) == pytest.approx(1.0 - space.quality(weights))
        assert space.quality(7.0 * weights) == space.quality(weights)


@pytest.mark.parametrize(("scale", "depth"), [(10.0, 10), (3.0, 2)])
def test_a_duel_by_quality_is_a_toss_behind_a_logistic(scale: float, depth: int) -> None:
    space, rng, duels = LinearRankerSpace(DATA, scale=scale, depth=depth), default_rng(1), 6000
    left = np.full(6, 6**-0.5)
    right = -left
    ahead = np.nan_to_num(qualities(DATA, left, depth) - qualities(DATA, right, depth))
    chance = float(np.mean(1.0 / (1.0 + np.exp(-scale * ahead))))
    assert chance > 0.6
    seen = [space.play(Duel(left, right), rng) for _ in range(duels)]
    assert set(seen) == {0.0, 1.0}
    assert abs(np.mean(seen) - chance) < 4.0 * np.sqrt(chance * (1.0 - chance) / duels)


def test_a_duel_by_clicks_is_one_of_the_two_rankers_lists() -> None:
    model, duels, rng = clicks.informational(2), 4000, default_rng(2)
    left, right = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.8, 0.6])
    space = LinearRankerSpace(TINY, model, depth=2)
    expected = exact_chances(RankerDuel(TINY, [left, right], clicks=model, length=2), 0, 1, 2)
    seen = np.array([space.play(Duel(left, right), rng) for _ in range(duels)])
    for outcome, chance in expected.items():
        assert abs(np.mean(seen == outcome) - chance) < 4.0 * np.sqrt(chance * (1.0 - chance) / duels), (
            outcome
        )


def test_a_run_by_quality_equals_a_slow_one() -> None:
    learner, horizon, seed = DBGD(exploration=1.0, exploitation=0.1), 300, 6
    space = LinearRankerSpace(DATA)
    one = simulate({"it": learner}, space, horizon, runs=2, seed=seed, checkpoints=[100])["it"]
    for run in range(2):
        rng, world_rng = (default_rng(child) for child in SeedSequence(seed, spawn_key=(run,)).spawn(2))
        state = learner.init(space.menu(), rng)
        strong, weak, gaps = [0.0], [0.0], [0.0]
        for _ in range(horizon):
            duel = learner.ask(state, space.menu(), rng)
            query = int(world_rng.random() * len(DATA))
            lacks = [1.0 - qualities(DATA, side, 10)[query] for side in (duel.left, duel.right)]
            lacks = np.nan_to_num(lacks).tolist()  # where nothing is relevant, nothing is lost
            wins = world_rng.random() < 1.0 / (1.0 + np.exp(-10.0 * (lacks[1] - lacks[0])))
            state = learner.tell(state, duel, 1.0 if wins else 0.0)
            strong.append(strong[-1] + 0.5 * sum(lacks))
            weak.append(weak[-1] + min(lacks))
            gaps.append(1.0 - float(np.nanmean(qualities(DATA, learner.best(state, space.menu()), 10))))
        marks = [100, horizon]
        np.testing.assert_allclose(one.best[run], learner.best(state, space.menu()), atol=1e-12)
        np.testing.assert_allclose(one.regret[run], np.array(strong)[marks], atol=1e-9)
        np.testing.assert_allclose(one.weak_regret[run], np.array(weak)[marks], atol=1e-9)
        np.testing.assert_allclose(one.gap_at[run], np.array(gaps)[marks], atol=1e-9)


@pytest.mark.parametrize("model", [None, clicks.informational(3)], ids=["quality", "clicks"])
def test_the_compiled_loop_takes_the_same_path_as_the_protocol(model: Any) -> None:
    space = LinearRankerSpace(DATA, model)
    learner = DBGD(exploration=1.0, exploitation=0.1)
    compiled = simulate({"it": learner}, space, 400, runs=2, seed=3)["it"]
    protocol = simulate({"it": learner}, Bare(space), 400, runs=2, seed=3)["it"]
    assert compiled.best.tobytes() == protocol.best.tobytes()
    np.testing.assert_allclose(compiled.gap_at, protocol.gap_at, atol=1e-12)
    assert (compiled.best != space.menu().center).all()


@pytest.mark.parametrize("model", [None, clicks.perfect(3)], ids=["quality", "clicks"])
def test_gradient_descent_finds_better_rankers(model: Any) -> None:
    learner = DBGD(1.0, 0.02, start=(-(6**-0.5),) * 6)
    result = simulate({"it": learner}, LinearRankerSpace(DATA, model), 10_000, runs=3)["it"]
    assert (result.gap_at[:, -1] < result.gap_at[:, 0] - 0.2).all()


def test_a_space_describes_itself() -> None:
    assert repr(LinearRankerSpace(DATA)) == "LinearRankerSpace(6 features, 40 queries, by NDCG)"
    assert repr(LinearRankerSpace(DATA, clicks.perfect(3))).endswith("by perfect)")
    assert LinearRankerSpace(DATA).menu() == Sphere(6)


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"scale": 0.0}, ("scale", 0.0)),
        ({"depth": 0}, ("depth", 0)),
        ({"clicks": clicks.perfect(2)}, ("clicks", "2 grades", 3)),
        ({"clicks": 3}, ("clicks", 3)),
        ({"interleaving": SampleOnly()}, ("SampleOnly", "3 rankings", 2)),
        ({"data": RankingData(np.zeros((2, 2)), [0, 0], ["q"], [0, 2])}, ("data", "relevant")),
    ],
)
def test_what_cannot_be_compared_is_refused(settings: dict[str, Any], facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        LinearRankerSpace(**{"data": DATA, **settings})


def test_points_outside_are_refused() -> None:
    inside = directions(1)[0]
    for outside in (2.0 * inside, inside[:3], np.full(6, np.nan)):
        with pytest.raises(ParameterError):
            LinearRankerSpace(DATA).play(Duel(inside, outside), default_rng(0))
