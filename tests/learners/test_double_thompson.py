"""Double Thompson Sampling against full samples: it draws fewer numbers, with the same distribution."""

from functools import cache
from math import floor
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learners.test_plans import DIFFERENT, SAME, p_values, same_kinds, same_numbers
from numpy.random import Generator, default_rng
from scipy.special import rel_entr

from duelist import RUCB, Arms, DoubleThompsonSampling, Duel, MatrixProblem, Runs, simulate
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.kernels.arms import ArmWorld, arm_menu, open_arm_ledger
from duelist.kernels.duels import arm_buffer
from duelist.kernels.loop import Run
from duelist.learners.armed.double_thompson import rounds_alike
from duelist.learners.armed.proofs import NEVER, State
from duelist.problems import bradley_terry, condorcet_cycle, cycle, random_bradley_terry
from duelist.protocols import Learner

DRAWS = 5000


class Paper(NamedTuple):
    """Algorithm 1 with full samples; each flag other than its default introduces a mistake."""

    plus: bool = False
    looks_at_candidates: bool = True
    samples_twice: bool = True
    leaves_out_the_proven: bool = True
    breaks_ties_at_random: bool = True

    def duels(self, wins: FloatArray, t: int, rng: Generator, *, self_duels: bool = True) -> IntArray:
        """Return many duels drawn after these wins, each as its first arm times K plus its second."""
        k, runs, n = len(wins), np.arange(DRAWS), wins + wins.T
        some = np.where(n > 0, n, 1.0)
        share, radius = (
            np.where(n > 0, wins / some, 1.0),
            np.sqrt(np.where(n > 0, 0.51 * np.log(t) / some, 1.0)),
        )
        others = ~np.eye(k, dtype=np.bool_)
        scores = ((share + radius > 0.5) & others).sum(axis=1)
        candidates = scores == scores.max() if self.looks_at_candidates else np.ones(k, np.bool_)
        theta = np.triu(rng.beta(wins + 1, wins.T + 1, size=(DRAWS, k, k)), 1)
        theta += np.tril(1 - theta.transpose(0, 2, 1), -1) + 0.5 * np.eye(k)
        first = self.first(theta, candidates, rng)
        again = rng.beta(wins + 1, wins.T + 1, size=(DRAWS, k, k)) if self.samples_twice else theta
        against = again[runs, :, first]
        against[runs, first] = 0.5 if self_duels else -1.0
        if self.leaves_out_the_proven:
            against[((share - radius > 0.5) & others).T[first]] = -2.0
        duels: IntArray = first * k + against.argmax(axis=1)
        return duels

    def first(self, theta: FloatArray, candidates: BoolArray, rng: Generator) -> IntArray:
        scores = (theta > 0.5).sum(axis=2)
        merit = np.where(candidates, scores.astype(np.float64), -np.inf)
        tied = merit == merit.max(axis=1, keepdims=True)
        if self.plus:
            costs = scores.max(axis=1)[:, None, None] - (scores[:, :, None] + scores[:, None, :]) / 2
            divergence = rel_entr(theta, 0.5) + rel_entr(1 - theta, 0.5)
            regret = np.divide(costs, divergence, out=np.zeros_like(theta), where=divergence > 0).sum(axis=2)
            regret[~tied] = np.inf
            tied = regret == regret.min(axis=1, keepdims=True)
        lots = rng.random(scores.shape) if self.breaks_ties_at_random else -np.arange(scores.shape[1])
        chosen: IntArray = np.where(tied, lots, -np.inf).argmax(axis=1)
        return chosen


# Three arms in a proven cycle; the first of four is not yet compared enough to be ruled out.
CIRCLE = np.array([[0, 3, 2, 2], [1, 0, 20, 2], [1, 2, 0, 20], [1, 20, 2, 0]], np.float64)
STATES: dict[str, tuple[FloatArray, int]] = {
    "nothing told": (np.zeros((4, 4)), 1),
    "little told": (np.array([[0, 2, 0.5, 3], [1, 0, 2, 2], [1.5, 1, 0, 0], [2, 0, 4, 0]]), 20),
    "a sole candidate": (CIRCLE, 90),
    "a sole candidate until round 1366": (CIRCLE, 1350),
    "a cycle of proofs": (CIRCLE[1:, 1:], 80),
    "a strong arm that is ruled out": (
        np.array([[0, 30, 0, 0], [4, 0, 9, 9], [0, 5, 0, 1], [0, 5, 2, 0]], np.float64),
        70,
    ),
    "one arm with clear results": (
        np.array(
            [[0, 9, 20, 20, 2], [9, 0, 30, 30, 30], [2, 30, 0, 9, 9], [2, 30, 9, 0, 9], [20, 30, 9, 9, 0]],
            np.float64,
        ),
        5000,
    ),
    "much told": (np.array([[0, 60, 70], [50, 0, 66], [45, 52, 0]], np.float64), 5000),
}


def told(wins: FloatArray, t: int, learner: DoubleThompsonSampling) -> State:
    """Return the state before round t with these wins; in all other rounds, an arm met itself."""
    k, duels, outcomes = len(wins), list[Duel](), list[float]()
    for i in range(k):
        for j in range(k):
            duels += [Duel(i, j)] * floor(wins[i, j])
            outcomes += [1.0] * floor(wins[i, j])
            if j < i and wins[i, j] % 1 == 0.5:
                duels.append(Duel(i, j))
                outcomes.append(0.5)
    assert len(duels) < t
    duels += [Duel(0, 0)] * (t - 1 - len(duels))
    state = learner.init(Arms(k), default_rng(0))
    learner.fold(state, duels, outcomes + [0.5] * (t - 1 - len(outcomes)))
    return state


def asked(state: State, menu: Arms, learner: DoubleThompsonSampling, seed: int) -> IntArray:
    rng, duel, rules = default_rng(seed), arm_buffer(), learner.rules_for(state)
    kernel_menu, found = arm_menu(menu), np.empty(DRAWS, np.int64)
    for draw in range(DRAWS):
        learner.kernels.ask(rules, state, kernel_menu, duel, rng)
        found[draw] = duel.sides[0] * menu.k + duel.sides[1]
    return found


@cache
def ours(name: str, *, plus: bool = False, self_duels: bool = True) -> IntArray:
    wins, t = STATES[name]
    learner, menu = DoubleThompsonSampling(plus=plus), Arms(len(wins), self_duels=self_duels)
    return asked(told(wins, t, learner), menu, learner, seed=1)


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("plus", [False, True])
@pytest.mark.parametrize("self_duels", [True, False])
def test_duels_have_the_papers_distribution(name: str, plus: bool, self_duels: bool) -> None:
    wins, t = STATES[name]
    papers = Paper(plus=plus).duels(wins, t, default_rng(2), self_duels=self_duels)
    assert same_kinds(ours(name, plus=plus, self_duels=self_duels), papers) > SAME


@pytest.mark.parametrize(
    ("mistake", "name"),
    [
        (Paper(looks_at_candidates=False), "a strong arm that is ruled out"),
        (Paper(looks_at_candidates=False), "a sole candidate"),
        (Paper(samples_twice=False), "little told"),
        (Paper(samples_twice=False), "much told"),
        (Paper(leaves_out_the_proven=False), "a cycle of proofs"),
        (Paper(breaks_ties_at_random=False), "nothing told"),
        (Paper(breaks_ties_at_random=False), "a cycle of proofs"),
        (Paper(plus=True), "one arm with clear results"),
    ],
)
def test_mistakes_are_noticed(mistake: Paper, name: str) -> None:
    assert same_kinds(ours(name), mistake.duels(*STATES[name], default_rng(2))) < DIFFERENT


@pytest.mark.parametrize("plus", [False, True])
@pytest.mark.parametrize("self_duels", [True, False])
def test_a_retired_arm_is_as_if_it_had_never_been(plus: bool, self_duels: bool) -> None:
    learner, active = DoubleThompsonSampling(plus=plus), [0, 2, 3]
    for name in ("little told", "a sole candidate", "a strong arm that is ruled out"):
        wins, t = STATES[name]
        menu = Arms(4, active=tuple(active), self_duels=self_duels)
        left, right = np.divmod(asked(told(wins, t, learner), menu, learner, seed=3), 4)
        assert set(left) | set(right) <= set(active)
        found = np.searchsorted(active, left) * 3 + np.searchsorted(active, right)
        among = wins[np.ix_(active, active)]
        assert same_kinds(found, Paper(plus).duels(among, t, default_rng(4), self_duels=self_duels)) > SAME


def played(name: str, rounds: int, seed: int, *, plus: bool, stepwise: bool) -> dict[str, IntArray]:
    """Continue many runs from a state; return the duels of different arms, and the plays."""
    wins, t = STATES[name]
    learner, k, runs = DoubleThompsonSampling(plus=plus), len(wins), 600
    start, world = told(wins, t, learner), ArmWorld(random_bradley_terry(k).matrix, np.zeros((1, k)))
    informative, plays = np.empty(runs, np.int64), np.empty((runs, k), np.int64)
    for number in range(runs):
        state = State._make(part.copy() for part in start)
        ledger = open_arm_ledger(np.array([rounds]), k, np.zeros(1, np.bool_))
        rng, world_rng = default_rng([seed, number, 0]), default_rng([seed, number, 1])
        run = Run(world, ledger, arm_menu(Arms(k)), arm_buffer(), rng, world_rng, stepwise)
        learner.kernels.play(learner.rules_for(state), state, run)
        assert state.told[0] == t - 1 + rounds
        informative[number], plays[number] = ledger.counts[0], ledger.plays[0]
    return {"informative": informative} | {f"plays of {arm}": plays[:, arm] for arm in range(k)}


@pytest.mark.parametrize(
    ("name", "rounds"),
    [
        ("little told", 30),
        ("a sole candidate until round 1366", 25),
        ("a cycle of proofs", 40),
        ("much told", 100),
    ],
)
@pytest.mark.parametrize("plus", [False, True])
def test_jumps_from_a_state_change_no_distribution(name: str, rounds: int, plus: bool) -> None:
    jumping = played(name, rounds, 1, plus=plus, stepwise=False)
    stepping = played(name, rounds, 2, plus=plus, stepwise=True)
    found = {what: same_numbers(jumping[what], stepping[what]) for what in jumping}
    assert min(found.values()) > SAME, found


PROBLEMS = {
    "ladder": bradley_terry([5.0, 3.5, 2.5, 1.8, 1.0]),
    "cycle below a winner": condorcet_cycle(5, 0.2),
    "cycle": cycle(3, 0.3),
}


def runs_on(problem: MatrixProblem, seed: int, *, stepwise: bool) -> Runs:
    learner, marks = {"it": DoubleThompsonSampling()}, [100, 1000]
    return simulate(learner, problem, 4000, 400, seed, checkpoints=marks, stepwise=stepwise)["it"]


@cache
def stepping_on(name: str) -> Runs:
    return runs_on(PROBLEMS[name], 2, stepwise=True)


@pytest.mark.parametrize("name", PROBLEMS)
def test_jumps_change_no_distribution(name: str) -> None:
    found = p_values(runs_on(PROBLEMS[name], 1, stepwise=False), stepping_on(name))
    assert min(found.values()) > SAME, found


def test_slightly_different_preferences_are_noticed() -> None:
    flatter = MatrixProblem(0.5 + 0.8 * (PROBLEMS["ladder"].matrix - 0.5))
    found = p_values(runs_on(flatter, 1, stepwise=False), stepping_on("ladder"))
    assert found["informative"] < DIFFERENT


TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.integers(0, 60), min_size=k * k, max_size=k * k).map(
        lambda counts: np.array(counts, np.float64).reshape(k, k) * (1 - np.eye(k))
    )
)


def proven_losses(wins: FloatArray, t: float, alpha: float) -> IntArray:
    """Return the number of upper bounds of each arm that do not exceed 1/2, computed as in the paper."""
    n = wins + wins.T
    upper = np.full_like(wins, 2.0)
    np.divide(wins, n, out=upper, where=n > 0)
    upper += np.sqrt(np.divide(alpha * np.log(t), n, out=np.zeros_like(n), where=n > 0))
    losses: IntArray = (upper <= 0.5).sum(axis=1) - (np.diag(upper) <= 0.5)
    return losses


@given(TABLES, st.integers(1, 3000), st.sampled_from([0.51, 1.3]))
@settings(max_examples=60)
def test_proven_losses_are_counted_as_long_as_they_hold(wins: FloatArray, idle: int, alpha: float) -> None:
    learner = DoubleThompsonSampling(alpha)
    state = told(wins, int(wins.sum()) + 1 + idle, learner)
    t = int(state.told[0]) + 1
    assert state.losses.tolist() == proven_losses(wins, t, alpha).tolist()
    alike = int(rounds_alike(learner.rules(len(wins)), state))
    if alike:
        assert state.losses.tolist() == proven_losses(wins, t + alike - 1, alpha).tolist()
    if state.fall.min() < NEVER and t < 1e9:
        later = (t + alike) * (1 + 1e-9) + 1
        assert state.losses.sum() > proven_losses(wins, later, alpha).sum()
    for _ in range(alike + 1 if alike < 100 else 0):
        state = learner.tell(state, Duel(0, 0), 0.5)
        assert state.losses.tolist() == proven_losses(wins, int(state.told[0]) + 1, alpha).tolist()


@given(TABLES, st.integers(0, 2**32))
@settings(max_examples=60)
def test_without_self_duels_there_is_always_a_rival_that_is_not_proven(wins: FloatArray, seed: int) -> None:
    learner, k = DoubleThompsonSampling(), len(wins)
    t = int(wins.sum()) + 2
    state, rng = told(wins, t, learner), default_rng(seed)
    duel = learner.ask(state, Arms(k, self_duels=False), rng)
    first, second = duel.left, duel.right
    losses = proven_losses(wins, t, 0.51)
    assert first != second
    assert losses[first] == losses.min()
    pair = wins[np.ix_([first, second], [first, second])]
    assert proven_losses(pair, t, 0.51)[0] == 0


def test_a_new_arm_finds_all_that_was_learned() -> None:
    learner, rng, world_rng = DoubleThompsonSampling(), default_rng(0), default_rng(1)
    problem = bradley_terry([8.0, 4.0, 2.0, 1.0, 16.0])
    small, large = learner.init(Arms(4), rng), learner.init(Arms(5), rng)
    for _ in range(500):
        duel = learner.ask(small, Arms(4), rng)
        outcome = problem.play(duel, world_rng)
        small, large = learner.tell(small, duel, outcome), learner.tell(large, duel, outcome)
    large = large._replace(order=np.arange(5))
    grown = learner.grown(small, np.arange(5.0))
    for seed in range(200):
        assert all(map(np.array_equal, grown, large))
        duel = learner.ask(grown, Arms(5), default_rng(seed))
        assert duel == learner.ask(large, Arms(5), default_rng(seed))
        outcome = problem.play(duel, world_rng)
        grown, large = learner.tell(grown, duel, outcome), learner.tell(large, duel, outcome)
    assert learner.best(grown, Arms(5)) == 4


@pytest.mark.parametrize(
    "problem", [random_bradley_terry(10, rng=3), condorcet_cycle(6), random_bradley_terry(16, 0.05)]
)
@pytest.mark.parametrize("plus", [False, True])
def test_regret_is_less_than_half_of_rucbs(problem: MatrixProblem, plus: bool) -> None:
    learners: dict[str, Learner[Any]] = {"ours": DoubleThompsonSampling(plus=plus), "rucb": RUCB()}
    result = simulate(learners, problem, 100_000, runs=20, seed=5)
    assert result["ours"].accuracy == result["rucb"].accuracy == 1.0
    assert result["ours"].regret[:, -1].mean() < 0.5 * result["rucb"].regret[:, -1].mean()


def test_a_million_idle_rounds_are_passed_in_few_steps() -> None:
    result = simulate({"it": DoubleThompsonSampling()}, bradley_terry([9.0, 1.0]), 10**12, runs=5, seed=0)[
        "it"
    ]
    assert (result.plays.sum(axis=1) == 2 * 10**12).all()
    assert result.informative.max() < 1000
