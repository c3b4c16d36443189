"""Problems over points: preferences, gaps, outcomes and errors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from refusals import refused
from scipy.stats import binomtest, norm

from duelist import Ball, Box, Duel, DuelingBanditGradientDescent, Sphere, UtilityProblem, simulate
from duelist.duel import FloatArray
from duelist.errors import OutcomeError, ParameterError, UnknownNameError
from duelist.menus import Space
from duelist.problems import Separable, p1, p2, p3, p4, p5
from duelist.protocols import KnownProblem, KnownUtility

PAPER: list[Callable[..., UtilityProblem]] = [p1, p2, p3, p4, p5]


def hill(point: FloatArray) -> float:
    return -float(np.sum((point - 0.25) ** 2))


def hill_problem(**options: Any) -> UtilityProblem:
    return UtilityProblem(Box((-1.0, -1.0), (1.0, 1.0)), hill, [0.25, 0.25], **options)


def share_of_wins(problem: UtilityProblem, left: list[float], right: list[float], duels: int) -> int:
    rng = np.random.default_rng(8)
    outcomes = [problem.play(Duel(left, right), rng) for _ in range(duels)]
    assert set(outcomes) <= {0.0, 1.0}
    return int(sum(outcomes))


@pytest.mark.parametrize("link", ["logistic", "gaussian", "linear"])
def test_preferences_are_the_link_of_the_difference_in_utility(link: str) -> None:
    problem = hill_problem(link=link)
    formulas = {
        "logistic": lambda x: 1 / (1 + np.exp(-x)),
        "gaussian": lambda x: norm.cdf(x / np.sqrt(2)),
        "linear": lambda x: np.clip((1 + x) / 2, 0, 1),
    }
    rng = np.random.default_rng(0)
    for left, right in rng.uniform(-1.0, 1.0, (50, 2, 2)):
        expected = formulas[link](hill(left) - hill(right))
        assert problem.preference(left, right) == pytest.approx(expected, abs=1e-12)
        assert problem.preference(left, right) + problem.preference(right, left) == pytest.approx(1.0)
        assert problem.gap(left) == pytest.approx(formulas[link](-hill(left)) - 0.5, abs=1e-12)
        assert problem.gap(left) > 0.0
    assert problem.gap([0.25, 0.25]) == 0.0
    assert problem.preference([0.5, 0.5], [0.5, 0.5]) == 0.5


@pytest.mark.parametrize("make", PAPER)
def test_the_papers_problems_lose_to_their_optimum(make: Callable[..., UtilityProblem]) -> None:
    problem = make(d=12)
    assert problem.gap(problem.optimum) == 0.0
    for point in problem.menu().sample(np.random.default_rng(0), 50):
        assert 0.0 < problem.gap(point) <= 0.5
    # the regret of a random point is about 1 in the paper's convention, the sum of both sides' gaps
    assert (
        np.mean([2 * make().gap(point) for point in make().menu().sample(np.random.default_rng(1), 5)]) > 0.98
    )


@pytest.mark.parametrize("link", ["logistic", "gaussian", "linear"])
def test_outcomes_come_as_often_as_preferences_say(link: str) -> None:
    problem = hill_problem(link=link)
    left, right = [0.0, 0.25], [0.75, -0.25]
    wins = share_of_wins(problem, left, right, 4000)
    assert binomtest(wins, 4000, problem.preference(left, right)).pvalue > 0.01
    assert wins not in (0, 4000)


def test_equal_seeds_give_equal_outcomes() -> None:
    problem = hill_problem()
    one, same, other = (
        [problem.play(Duel([0.0, 0.0], [0.5, 0.5]), rng) for _ in range(100)]
        for rng in map(np.random.default_rng, (1, 1, 2))
    )
    assert one == same != other


def test_an_exact_problem_answers_with_the_probability_and_needs_no_luck() -> None:
    problem = hill_problem(exact=True)
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    outcome = problem.play(Duel([0.0, 0.0], [0.5, 0.75]), rng)
    assert (
        outcome
        == problem.preference([0.0, 0.0], [0.5, 0.75])
        == hill_problem().preference([0, 0], [0.5, 0.75])
    )
    assert rng.bit_generator.state == before
    assert p3(exact=True).world is not None
    assert p3(exact=True).exact


def with_queries(**options: Any) -> UtilityProblem:
    def utility(point: FloatArray, query: float) -> float:
        return float(query * point[0])

    return UtilityProblem(Ball(2), utility, [1.0, 0.0], queries=[4.0, 1.0, -1.0], **options)


def test_with_queries_preferences_are_means_over_them() -> None:
    problem = with_queries()
    logistic = [1 / (1 + np.exp(-query * 0.75)) for query in (4.0, 1.0, -1.0)]
    assert problem.preference([0.5, 0.0], [-0.25, 0.0]) == pytest.approx(np.mean(logistic))
    assert problem.gap([0.25, 0.0]) == pytest.approx(np.mean(logistic) - 0.5)
    assert problem.world is None


def test_with_queries_every_duel_is_about_one_of_them() -> None:
    left, right = [0.5, 0.0], [-0.25, 0.0]
    rng = np.random.default_rng(0)
    exact = with_queries(exact=True)
    answers = [exact.play(Duel(left, right), rng) for _ in range(3000)]
    known = sorted(1 / (1 + np.exp(-query * 0.75)) for query in (4.0, 1.0, -1.0))
    seen, counts = np.unique(answers, return_counts=True)
    np.testing.assert_allclose(seen, known)
    assert (abs(counts - 1000) < 100).all()
    wins = share_of_wins(with_queries(), left, right, 4000)
    assert binomtest(wins, 4000, with_queries().preference(left, right)).pvalue > 0.01


def test_queries_may_be_anything() -> None:
    weights = {"short": 1.0, "long": 2.0}
    problem = UtilityProblem(
        Sphere(2), lambda point, query: weights[query] * point[1], [0.0, 1.0], queries=tuple(weights)
    )
    assert problem.gap([0.0, -1.0]) == pytest.approx((1 / (1 + np.exp(-2)) + 1 / (1 + np.exp(-4))) / 2 - 0.5)


@pytest.mark.parametrize("worth", [float("nan"), float("inf"), float("-inf")])
def test_a_utility_that_is_no_number_is_refused_with_the_point(worth: float) -> None:
    def cliff(point: FloatArray) -> float:
        return worth if point[0] > 0.5 else 0.0

    problem = UtilityProblem(Ball(2), cliff, [0.0, 0.0])
    facts = ([0.75, 0.0], worth)
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    for left, right in (([0.75, 0.0], [0.0, 0.0]), ([0.0, 0.0], [0.75, 0.0])):
        with refused(OutcomeError, *facts):
            problem.play(Duel(left, right), rng)
        with refused(OutcomeError, *facts):
            problem.preference(left, right)
    with refused(OutcomeError, *facts):
        problem.gap([0.75, 0.0])
    assert rng.bit_generator.state == before


def test_after_a_refused_outcome_the_learner_is_where_it_was() -> None:
    problem = UtilityProblem(Ball(2), lambda point: float("nan"), [0.0, 0.0])
    learner = DuelingBanditGradientDescent(0.5, 0.1)
    state = learner.init(problem.menu(), np.random.default_rng(0))
    duel = learner.ask(state, problem.menu(), np.random.default_rng(1))
    with refused(OutcomeError, [0.0, 0.0], "nan"):
        state = learner.tell(state, duel, problem.play(duel, np.random.default_rng(2)))
    assert learner.best(state, problem.menu()).tolist() == [0.0, 0.0]
    with refused(OutcomeError, "nan"):
        simulate(learner, problem, 10, runs=2)


OUTSIDE: list[tuple[Space, list[float]]] = [
    (Ball(2), [1.0, 1.0]),
    (Sphere(2), [0.0, 0.5]),
    (Box((0.0, 0.0), (1.0, 1.0)), [0.5, -0.5]),
]


@pytest.mark.parametrize(("space", "point"), OUTSIDE, ids=repr)
def test_a_start_an_optimum_or_a_duel_outside_is_refused(space: Space, point: list[float]) -> None:
    inside = space.center
    with refused(ParameterError, "optimum", "outside"):
        UtilityProblem(space, hill, point)
    with refused(ParameterError, "start", "outside"):
        UtilityProblem(space, hill, inside, start=point)
    problem = UtilityProblem(space, hill, inside)
    for duel in (Duel(inside, point), Duel(point, inside)):
        with refused(ParameterError, "outside"):
            problem.play(duel, np.random.default_rng(0))


def test_an_unknown_link_and_no_queries_are_refused() -> None:
    with refused(UnknownNameError, "link", "logit", "logistic"):
        hill_problem(link="logit")
    with refused(ParameterError, "queries"):
        hill_problem(queries=[])


def test_the_start_is_the_center_unless_told_otherwise() -> None:
    assert np.asarray(hill_problem().start).tolist() == [0.0, 0.0]
    assert np.asarray(hill_problem(start=[0.5, -0.5]).start).tolist() == [0.5, -0.5]
    assert np.asarray(p1(d=2, start=[3.0, 0.0]).start).tolist() == [3.0, 0.0]
    assert np.asarray(p1(d=5).start).tolist() == [1.0] * 5


def test_a_separable_utility_spreads_its_terms() -> None:
    utility = Separable(
        d=3, square=[1.0, 0.0, 0.0], absolute=2.0, hyperbolic=0.5, above=[0, 1, 0], below=[0, 0, 3]
    )
    x, y, z = 0.5, 1.5, -2.0
    expected = -(
        x**2
        + 2 * (abs(x) + abs(y) + abs(z))
        + 0.5 * sum(np.exp(w) + np.exp(-w) for w in (x, y, z))
        + np.exp(y)
        + 3 * np.exp(2.0)
    )
    assert utility([x, y, z]) == pytest.approx(expected)


@pytest.mark.parametrize("make", PAPER)
@pytest.mark.parametrize("link", ["logistic", "gaussian", "linear"])
def test_the_world_knows_the_problem(make: Callable[..., UtilityProblem], link: str) -> None:
    paper = make(d=4)
    problem = UtilityProblem(paper.space, paper.utility, [0.1, 0.0, 0.0, 0.0], link=link, exact=True)
    world = problem.world
    assert world is not None
    assert (world.link, world.exact) == (["logistic", "gaussian", "linear"].index(link), True)
    assert world.highest == paper.utility([0.1, 0.0, 0.0, 0.0])
    assert hill_problem().world is None


@pytest.mark.parametrize("make", PAPER)
@pytest.mark.parametrize(("d", "radius"), [(1, 3.0), (7, 3.0), (50, 10.0)])
def test_no_slope_exceeds_the_lipschitz_constant(
    make: Callable[..., UtilityProblem], d: int, radius: float
) -> None:
    problem = make(d=d, radius=radius)
    slope = problem.lipschitz
    assert slope is not None
    rng = np.random.default_rng(0)
    # corners and rims are where the slopes are steepest
    ends = np.concatenate([radius * np.eye(d), -radius * np.eye(d), problem.space.sample(rng, 100)])
    for near in ends:
        for far in (0.999 * near, 0.5 * near, problem.space.project(near + 0.01 * rng.normal(size=d))):
            rise = abs(problem.utility(near) - problem.utility(far))
            assert rise <= slope * np.linalg.norm(near - far) * (1 + 1e-9)


def test_the_lipschitz_constants_of_p1_p2_and_p4_are_the_least_possible() -> None:
    tip = np.eye(4)[0] * 3.0
    ends: list[tuple[UtilityProblem, FloatArray]] = [
        (p1(d=4, radius=3.0), tip),
        (p2(d=4, radius=3.0), np.ones(4)),
        (p4(d=4, radius=3.0), tip),
    ]
    for problem, near in ends:
        far = (1 - 1e-6) * near
        rise = abs(problem.utility(near) - problem.utility(far)) / np.linalg.norm(near - far)
        assert rise == pytest.approx(problem.lipschitz, rel=1e-4)


def test_it_is_a_problem_of_points_not_of_arms() -> None:
    assert isinstance(p1(), KnownUtility)
    assert not isinstance(p1(), KnownProblem)
    assert p1(d=3, radius=4.0).menu() == Ball(3, radius=4.0)


def test_a_utility_of_other_dimensions_than_the_space_is_refused() -> None:
    with refused(ParameterError, "utility", "2 dimensions", "space", 3):
        UtilityProblem(Ball(3), Separable(2, square=1.0), [0.0, 0.0, 0.0])
    with refused(ParameterError, "point", 2):
        Separable(2, square=1.0)([1.0, 2.0, 3.0])
    with refused(ParameterError, "point", 2):
        p1(d=2).gap([0.0, 0.0, 0.0])


@pytest.mark.parametrize("square", [[1.0, 2.0, 3.0], float("nan")])
def test_coefficients_must_be_finite_and_as_many_as_dimensions(square: Any) -> None:
    with refused(ParameterError, "square", 2, square):
        Separable(2, square=square)


def test_a_slope_that_is_not_positive_is_refused_before_anything_is_played() -> None:
    with refused(ParameterError, "lipschitz", 0):
        UtilityProblem(Ball(2), Separable(2, square=1.0), [0.0, 0.0], lipschitz=0)


def test_a_utility_that_changes_its_argument_changes_nothing_else() -> None:
    def doubling(point: FloatArray) -> float:
        point *= 2.0
        return -float(point @ point)

    problem = UtilityProblem(Ball(2), doubling, [0.5, 0.0])
    assert [problem.gap([0.5, 0.0]) for _ in range(3)] == [0.0, 0.0, 0.0]
    with refused(ValueError, "read-only"):
        np.asarray(problem.optimum)[0] = 1.0


def test_a_compiled_utility_that_is_not_finite_is_refused_too() -> None:
    steep = UtilityProblem(Ball(2, 5000.0), Separable(2, hyperbolic=1.0), [0.0, 0.0], start=[2000.0, 2000.0])
    learner = DuelingBanditGradientDescent(1.0, 0.1, start=(2000.0, 2000.0))
    with refused(OutcomeError, [2000.0, 2000.0], "-inf"):
        simulate(learner, steep, 100, runs=1)
