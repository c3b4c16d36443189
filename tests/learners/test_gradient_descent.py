"""Gradient descent against an uncompiled reference, and the meaning of its states and answers."""

from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_learners.gradient_descent import ReferenceGradientDescent
from refusals import refused
from scipy.stats import beta, kstest

from duelist import (
    Arms,
    Ball,
    Box,
    Duel,
    DuelingBanditGradientDescent,
    Sphere,
    UtilityProblem,
    simulate,
)
from duelist.duel import FloatArray
from duelist.errors import OutcomeError, ParameterError
from duelist.learners import BGD1, BGD2
from duelist.learners.continuous.base import PointLearner
from duelist.learners.continuous.gradient_descent import GradientDescent, State, draw_direction
from duelist.menus import Space
from duelist.problems import Separable
from duelist.study.live_fold import packed, unpacked

KINDS: list[type[GradientDescent]] = [DuelingBanditGradientDescent, BGD1, BGD2]
every_kind = pytest.mark.parametrize("kind", KINDS)

# Small spaces, which neighbours and sometimes the point itself would leave without projection.
PLACES: dict[str, tuple[Space, list[float]]] = {
    "ball": (Ball(4, radius=0.6), [0.0, 0.0, 0.0, 0.0]),
    "box": (Box((-1.0, 0.0, -0.2, 0.1), (3.0, 2.0, 0.2, 0.3)), [0.0, 0.0, 0.0, 0.1]),
    "sphere": (Sphere(4), [0.0, 0.0, 0.0, 1.0]),
}
every_place = pytest.mark.parametrize("place", PLACES)
UTILITY = Separable(4, square=[3.0, 2.0, 1.0, 0.1], absolute=[0.0, 1.0, 0.5, 0.0], above=[0.0, 0.0, 0.1, 0.0])


def problem_at(place: str, exact: bool) -> UtilityProblem:
    space, optimum = PLACES[place]
    start = space.project(space.center + np.array([0.4, 0.4, -0.4, -0.4]))
    return UtilityProblem(space, UTILITY, optimum, start=start, exact=exact)


def reference_of(learner: GradientDescent, space: Space) -> ReferenceGradientDescent:
    start = space.center if learner.start is None else np.array(learner.start)
    return ReferenceGradientDescent(
        type(learner).__name__, space, start, learner.exploitation, learner.exploration, learner.comparisons
    )


def build(kind: type[GradientDescent], problem: UtilityProblem, comparisons: int) -> GradientDescent:
    return kind(0.5, 0.05, comparisons, tuple(np.asarray(problem.start).tolist()))


def point_of(duel: Duel, side: str) -> FloatArray:
    return np.asarray(getattr(duel, side))


@every_kind
@every_place
@pytest.mark.parametrize("comparisons", [1, 2, 5])
def test_duels_equal_the_papers(kind: type[GradientDescent], place: str, comparisons: int) -> None:
    problem = problem_at(place, exact=kind is not DuelingBanditGradientDescent)
    space = problem.menu()
    learner = build(kind, problem, comparisons)
    reference = reference_of(learner, space)
    rng, same, world_rng = (np.random.default_rng(seed) for seed in (3, 3, 4))
    state = learner.init(space, rng)
    played, expected = [], []
    for _ in range(200 * min(comparisons, 3)):
        duel = learner.ask(state, space, rng)
        left, right = reference.ask(same)
        outcome = problem.play(Duel(left, right), world_rng)
        state = learner.tell(state, duel, outcome)
        reference.tell(outcome)
        played.append([duel.left, duel.right, duel.note, learner.best(state, space)])
        expected.append([left, right, reference.u, reference.w])
    np.testing.assert_allclose(np.array(played), np.array(expected), rtol=0, atol=1e-10)
    assert rng.bit_generator.state == same.bit_generator.state
    # otherwise the comparison would be trivial
    lefts, rights, directions, _ = np.array(expected).swapaxes(0, 1)
    projected = np.abs(lefts + learner.exploration * directions - rights).max(axis=1) > 1e-9
    assert projected.sum() > 60
    assert reference.updates > 40


MARKS, HORIZON = [1, 2, 10, 77, 200], 300


def reference_run(learner: GradientDescent, problem: UtilityProblem, seed: int, run: int) -> dict[str, Any]:
    """Play a reference like the engine, and measure it with the problem's gaps."""
    children = np.random.SeedSequence(seed, spawn_key=(run,)).spawn(2)
    rng, world_rng = (np.random.default_rng(child) for child in children)
    reference = reference_of(learner, problem.menu())
    strong, weak, gap = [0.0], [0.0], [0.0]
    for _ in range(HORIZON):
        left, right = reference.ask(rng)
        reference.tell(problem.play(Duel(left, right), world_rng))
        gaps = problem.gap(left), problem.gap(right)
        strong.append(strong[-1] + sum(gaps) / 2)
        weak.append(weak[-1] + min(gaps))
        gap.append(problem.gap(reference.w))
    marks = [*MARKS, HORIZON]
    return {
        "regret": np.array(strong)[marks],
        "weak_regret": np.array(weak)[marks],
        "gap_at": np.array(gap)[marks],
        "best": reference.w,
    }


@every_kind
@every_place
def test_whole_compiled_runs_equal_the_reference_and_the_protocol(
    kind: type[GradientDescent], place: str
) -> None:
    problem = problem_at(place, exact=kind is not DuelingBanditGradientDescent)
    plain = UtilityProblem(
        problem.space, lambda point: UTILITY(point), problem.optimum, start=problem.start, exact=problem.exact
    )
    learner = build(kind, problem, comparisons=3)
    compiled, uncompiled = (
        simulate({"it": learner}, world, HORIZON, runs=2, seed=11, checkpoints=MARKS)["it"]
        for world in (problem, plain)
    )
    assert problem.world is not None
    assert plain.world is None
    for run in range(2):
        for field, expected in reference_run(learner, problem, 11, run).items():
            np.testing.assert_allclose(getattr(compiled, field)[run], expected, rtol=0, atol=1e-9)
            np.testing.assert_allclose(getattr(uncompiled, field)[run], expected, rtol=0, atol=1e-9)


@every_kind
@given(
    horizon=st.integers(1, 10**9),
    d=st.integers(1, 400),
    radius=st.floats(0.1, 100.0),
    unknown=st.floats(0.01, 100.0),
)
def test_step_sizes_are_the_papers(
    kind: type[GradientDescent], horizon: int, d: int, radius: float, unknown: float
) -> None:
    ball = Ball(d, radius)
    by_factor = kind.for_horizon(horizon, ball, factor=unknown)
    corollary_2 = kind.for_horizon(horizon, ball, lipschitz=unknown)
    theorem_2 = kind.for_horizon(horizon, ball, lipschitz=unknown, convex=False)
    quarter = horizon**0.25
    assert by_factor.exploration == pytest.approx(unknown * sqrt(0.4 * radius * d) / quarter)
    assert corollary_2.exploration == pytest.approx(sqrt(2 * radius * d) / (sqrt(5 * unknown) * quarter))
    assert theorem_2.exploration == pytest.approx(sqrt(2 * radius * d) / (sqrt(13 * unknown) * quarter))
    for learner in (by_factor, corollary_2, theorem_2):
        assert learner.exploitation == pytest.approx(radius / sqrt(horizon))
        assert learner.comparisons == 1
        assert type(learner) is kind


@pytest.mark.parametrize("space", [Ball(3, 2.0), Sphere(3), Box((0.0, 0.0), (6.0, 8.0))], ids=repr)
def test_without_a_factor_it_is_1_and_the_radius_is_the_spaces(space: Space) -> None:
    learner = DuelingBanditGradientDescent.for_horizon(10_000, space)
    assert learner == DuelingBanditGradientDescent.for_horizon(10_000, space, factor=1.0)
    assert learner.exploration == pytest.approx(sqrt(0.4 * space.radius * space.d) / 10)
    assert learner.exploitation == pytest.approx(space.radius / 100)
    assert learner.init(space, np.random.default_rng(0)).point.tolist() == space.center.tolist()


@every_kind
def test_the_start_may_be_any_point(kind: type[GradientDescent]) -> None:
    for start in ([0.5, -0.5], (0.5, -0.5), np.array([0.5, -0.5])):
        learner = kind.for_horizon(100, Ball(2), start=start)
        assert learner.start == (0.5, -0.5)
        assert learner.init(Ball(2), np.random.default_rng(0)).point.tolist() == [0.5, -0.5]


@every_kind
@pytest.mark.parametrize("flaw", [0.0, -1.0, float("nan"), float("inf")])
def test_step_sizes_must_be_positive(kind: type[GradientDescent], flaw: float) -> None:
    with refused(ParameterError, "exploration", flaw):
        kind(flaw, 0.1)
    with refused(ParameterError, "exploitation", flaw):
        kind(0.1, flaw)
    with refused(ParameterError, "lipschitz", flaw):
        kind.for_horizon(10, Ball(2), lipschitz=flaw)
    with refused(ParameterError, "factor", flaw):
        kind.for_horizon(10, Ball(2), factor=flaw)


@every_kind
def test_other_hyperparameters_that_cannot_work_are_refused(kind: type[GradientDescent]) -> None:
    with refused(ParameterError, "comparisons", 1, 0):
        kind(0.1, 0.1, comparisons=0)
    with refused(ParameterError, "horizon", 1, 0):
        kind.for_horizon(0, Ball(2))
    with refused(ParameterError, "factor", "lipschitz", 1.0, 2.0):
        kind.for_horizon(10, Ball(2), factor=1.0, lipschitz=2.0)


@every_kind
def test_a_start_outside_and_a_menu_of_arms_are_refused(kind: type[GradientDescent]) -> None:
    rng = np.random.default_rng(0)
    with refused(ParameterError, "start", "[3. 4.]", 4, Ball(2)):
        kind(0.1, 0.1, start=(3.0, 4.0)).init(Ball(2), rng)
    with refused(ParameterError, "2 finite numbers", (0.0,)):
        kind(0.1, 0.1, start=(0.0,)).init(Ball(2), rng)
    arms: Any = Arms(3)
    with refused(ParameterError, "Ball", "Sphere", "Box", arms):
        kind(0.1, 0.1).init(arms, rng)


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_every_direction_is_as_likely(d: int) -> None:
    rng = np.random.default_rng(d)
    directions = np.empty((20_000, d))
    for direction in directions:
        draw_direction(direction, rng)
    assert np.linalg.norm(directions, axis=1) == pytest.approx(np.ones(20_000), abs=1e-12)
    assert (np.abs(directions.mean(axis=0)) < 4 / sqrt(20_000 * d)).all()
    if d == 1:
        assert abs(np.sum(directions > 0) - 10_000) < 300
        return
    np.testing.assert_allclose(directions.T @ directions / 20_000, np.eye(d) / d, atol=0.02)
    slanted = np.random.default_rng(0).normal(size=d)
    for axis in (*np.eye(d), slanted / np.linalg.norm(slanted)):
        # (1 + x)/2 of a coordinate x is Beta((d - 1)/2, (d - 1)/2)
        half = (d - 1) / 2
        assert kstest((1 + directions @ axis) / 2, beta(half, half).cdf).pvalue > 0.005


def test_the_neighbour_lies_in_a_random_direction_at_distance_delta() -> None:
    learner = DuelingBanditGradientDescent(0.5, 0.1)
    rng = np.random.default_rng(0)
    state = learner.init(Ball(3, radius=5.0), rng)
    duels = [learner.ask(state, Ball(3, radius=5.0), rng) for _ in range(3000)]
    ways = np.array([point_of(duel, "right") - point_of(duel, "left") for duel in duels])
    np.testing.assert_allclose(ways, [0.5 * point_of(duel, "note") for duel in duels], atol=1e-15)
    for axis in range(3):
        assert kstest(ways[:, axis], "uniform", (-0.5, 1.0)).pvalue > 0.01


def duels_at(learner: GradientDescent, state: State, space: Space, count: int, seed: int = 0) -> list[Duel]:
    rng = np.random.default_rng(seed)
    return [learner.ask(state, space, rng) for _ in range(count)]


def assert_same_state(one: State, other: State) -> None:
    for name, mine, yours in zip(State._fields, one, other, strict=True):
        assert np.array_equal(mine, yours), name
        assert mine.dtype == yours.dtype, name


def copy_of(state: State) -> State:
    return State(**{name: field.copy() for name, field in state._asdict().items()})


@given(
    order=st.permutations(range(6)), outcomes=st.lists(st.sampled_from([0.0, 1.0]), min_size=6, max_size=6)
)
def test_late_and_shuffled_answers_each_move_in_their_own_direction(
    order: list[int], outcomes: list[float]
) -> None:
    learner, space = DuelingBanditGradientDescent(0.5, 0.1), Ball(3, radius=5.0)
    state = learner.init(space, np.random.default_rng(0))
    duels = duels_at(learner, state, space, 6)
    for place in order:
        state = learner.tell(state, duels[place], outcomes[place])
    steps = [0.1 * point_of(duel, "note") * (1 - won) for duel, won in zip(duels, outcomes, strict=True)]
    np.testing.assert_allclose(learner.best(state, space), np.sum(steps, axis=0), atol=1e-14)


@every_kind
def test_with_several_comparisons_an_answer_about_another_direction_is_out_of_date(
    kind: type[GradientDescent],
) -> None:
    learner, space = kind(0.5, 0.1, comparisons=3), Ball(3, radius=5.0)
    first = learner.init(space, np.random.default_rng(0))
    duel, other = duels_at(learner, first, space, 2)
    begun = learner.tell(first, duel, 0.0)
    assert begun.answered.tolist() == [1]
    assert_same_state(learner.tell(begun, other, 0.0), begun)
    # the remaining comparisons show the same two points, without random numbers
    rng = np.random.default_rng(9)
    before = rng.bit_generator.state
    again = learner.ask(begun, space, rng)
    assert rng.bit_generator.state == before
    for side in ("left", "right", "note"):
        assert np.array_equal(point_of(again, side), point_of(duel, side))
    done = learner.tell(learner.tell(begun, duel, 0.0), duel, 1.0)
    pull = {"DuelingBanditGradientDescent": 1.0, "BGD1": -1 / 3, "BGD2": 1 / 6}[kind.__name__]
    np.testing.assert_allclose(done.point, 0.1 * pull * point_of(duel, "note"), atol=1e-15)
    assert (done.answered.tolist(), done.lost.tolist()) == ([0], [0.0])
    # after the last comparison, any direction is accepted
    assert learner.tell(done, other, 0.0).answered.tolist() == [1]


@pytest.mark.parametrize(
    ("outcomes", "moves"),
    [
        ([0.0], True),
        ([1.0], False),
        ([0.5], False),
        ([0.0, 1.0], False),
        ([0.0, 0.5], True),
        ([1.0, 0.5], False),
        ([0.0, 1.0, 0.0], True),
        ([0.0, 1.0, 1.0], False),
        ([0.5, 0.5, 0.5], False),
    ],
)
def test_the_majority_decides_and_a_tie_moves_nothing(outcomes: list[float], moves: bool) -> None:
    learner, space = DuelingBanditGradientDescent(0.5, 0.1, comparisons=len(outcomes)), Ball(2, radius=3.0)
    state = learner.init(space, np.random.default_rng(0))
    (duel,) = duels_at(learner, state, space, 1)
    for outcome in outcomes:
        assert learner.best(state, space).tolist() == [0.0, 0.0]
        state = learner.tell(state, duel, outcome)
    expected = 0.1 * point_of(duel, "note") if moves else np.zeros(2)
    np.testing.assert_allclose(learner.best(state, space), expected, atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "lost", "pull"),
    [
        (BGD1, 0.0, 0.0),
        (BGD1, 0.3, -0.3),
        (BGD1, 1.0, -1.0),
        (BGD2, 0.0, 0.5),
        (BGD2, 0.5, 0.0),
        (BGD2, 0.9, -0.4),
    ],
)
def test_a_baselines_step_is_in_proportion_to_the_probability(
    kind: type[GradientDescent], lost: float, pull: float
) -> None:
    learner, space = kind(0.5, 0.1), Ball(2, radius=3.0)
    state = learner.init(space, np.random.default_rng(0))
    (duel,) = duels_at(learner, state, space, 1)
    moved = learner.best(learner.tell(state, duel, lost), space)
    np.testing.assert_allclose(moved, 0.1 * pull * point_of(duel, "note"), atol=1e-15)


@every_kind
@every_place
@pytest.mark.parametrize("comparisons", [1, 3])
def test_ask_is_pure_and_tell_keeps_the_old_state(
    kind: type[GradientDescent], place: str, comparisons: int
) -> None:
    learner, space = kind(0.5, 0.1, comparisons), PLACES[place][0]
    rng = np.random.default_rng(0)
    state = learner.init(space, rng)
    for outcome in (0.0, 1.0, 0.2, 0.0, 0.5):
        kept = copy_of(state)
        one, same = (learner.ask(state, space, np.random.default_rng(5)) for _ in range(2))
        for side in ("left", "right", "note"):
            assert np.array_equal(point_of(one, side), point_of(same, side))
        duel = learner.ask(state, space, rng)
        # changes that the caller makes to a duel must not affect the state
        best = learner.best(state, space)
        best[:] = 99.0
        told, again = (learner.tell(state, duel, outcome) for _ in range(2))
        assert_same_state(state, kept)
        assert_same_state(told, again)
        point_of(duel, "left")[:] = 99.0
        point_of(duel, "note")[:] = 99.0
        assert_same_state(state, kept)
        assert_same_state(told, again)
        state = told


@every_kind
@every_place
def test_states_survive_json_and_go_on_alike(kind: type[GradientDescent], place: str) -> None:
    learner, space = kind(0.5, 0.1, comparisons=3), PLACES[place][0]
    rng = np.random.default_rng(0)
    state = learner.init(space, rng)
    for t in range(20):
        state = learner.tell(state, learner.ask(state, space, rng), [0.0, 1.0, 0.1][t % 3])
    restored = State(*[unpacked(packed(array)) for array in state])
    assert state.answered.tolist() == [2]
    assert_same_state(restored, state)
    one, other = (duels_at(learner, either, space, 1)[0] for either in (state, restored))
    assert np.array_equal(point_of(one, "right"), point_of(other, "right"))
    assert_same_state(learner.tell(state, one, 0.0), learner.tell(restored, other, 0.0))


@every_kind
@pytest.mark.parametrize("outcome", [-0.1, 1.1, float("nan"), float("inf")])
def test_an_outcome_that_is_none_is_refused(kind: type[GradientDescent], outcome: float) -> None:
    learner, space = kind(0.5, 0.1), Ball(2)
    state = learner.init(space, np.random.default_rng(0))
    (duel,) = duels_at(learner, state, space, 1)
    with refused(OutcomeError, "outcome", [0, 1], outcome):
        learner.tell(state, duel, outcome)
    assert_same_state(state, learner.init(space, np.random.default_rng(0)))


@pytest.mark.parametrize("side", ["left", "right", "note"])
@pytest.mark.parametrize(
    ("wrong", "wanted"),
    [([0.0], "2 finite numbers"), ([0.0, float("nan")], "2 finite numbers"), ("arm", "2 numbers")],
)
def test_a_duel_that_is_none_is_refused(side: str, wrong: Any, wanted: str) -> None:
    learner, space = DuelingBanditGradientDescent(0.5, 0.1), Ball(2)
    state = learner.init(space, np.random.default_rng(0))
    (duel,) = duels_at(learner, state, space, 1)
    with refused(OutcomeError, f"duel.{side}", wanted, repr(wrong)):
        learner.tell(state, duel._replace(**{side: wrong}), 0.0)
    assert learner.best(state, space).tolist() == [0.0, 0.0]


def test_without_a_note_the_direction_is_the_way_from_left_to_right() -> None:
    learner, space = DuelingBanditGradientDescent(0.5, 0.1), Ball(2, radius=3.0)
    state = learner.init(space, np.random.default_rng(0))
    assert learner.tell(state, Duel([0.0, 0.0], [3.0, 4.0]), 0.0).point == pytest.approx([0.06, 0.08])
    assert learner.tell(state, Duel([1.0, 1.0], [1.0, 1.0]), 0.0).point.tolist() == [0.0, 0.0]


def test_points_never_leave_the_space() -> None:
    for place, (space, _) in PLACES.items():
        learner = DuelingBanditGradientDescent(5.0, 1.0)
        rng = np.random.default_rng(0)
        state = learner.init(space, rng)
        for _ in range(300):
            duel = learner.ask(state, space, rng)
            state = learner.tell(state, duel, 0.0)
            for point in (point_of(duel, "right"), state.point):
                assert np.linalg.norm(space.project(point) - point) < 1e-12, place


def test_a_learner_must_say_its_rules() -> None:
    class Careless(PointLearner[State]):
        pass

    with refused(TypeError, "Careless", "rules"):
        Careless().rules()
