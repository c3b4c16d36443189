"""A leaderboard of all arms: intervals are narrower than with random pairs, also with new arms."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from numpy.random import default_rng
from study.world import fresh, known, same_folds

from benchmarks.leaderboard import measured
from duelist import Arms, Auto, Duel, Study, Uniform, WidestInterval
from duelist.learners.armed.widest_interval import State
from duelist.problems import bradley_terry

SEEN = 1_000_000
"""Used as a number of open duels, by which a study excludes pairs that a voter has seen."""


def told(votes: list[tuple[int, int, float]], k: int) -> State:
    learner = WidestInterval()
    state = learner.init(Arms(k), default_rng(0))
    for left, right, outcome in votes:
        state = learner.tell(state, Duel(left, right), outcome)
    return state


def some_votes(k: int, n: int, seed: int = 0) -> list[tuple[int, int, float]]:
    rng, problem = default_rng(seed), bradley_terry(2.0 ** np.arange(k))
    pairs = [Duel(*rng.choice(k, 2, replace=False).tolist()) for _ in range(n)]
    return [(duel.left, duel.right, problem.play(duel, rng)) for duel in pairs]


# few votes on close arms: here, choosing pairs by the information of a vote alone is worse than random
@pytest.mark.parametrize(("spread", "votes", "runs"), [(0.5, 200, 8), (2.0, 500, 8)])
def test_ratings_are_more_precise_than_with_random_pairs_or_those_that_find_the_winner(
    spread: float, votes: int, runs: int
) -> None:
    ours, random, winner = (
        measured(learner, spread, votes, runs).mean(axis=0)
        for learner in (WidestInterval(), Uniform(), Auto())
    )
    assert ours[0] < 0.96 * random[0]
    assert ours[0] < 0.65 * winner[0]
    assert ours[1] < 1.2 * random[1]
    assert ours[1] < winner[1]
    assert ours[2] > winner[2]
    assert ours[3] > random[3] - 0.06


@pytest.mark.parametrize("n", [0, 7, 60])
def test_the_asked_pair_is_the_one_that_a_vote_tells_most_about(n: int) -> None:
    k, learner, state = 5, WidestInterval(), told(some_votes(5, n), 5)
    curvature = np.linalg.inv(state.covariance)
    drops = {}
    for i, j in combinations(range(k), 2):
        step = np.eye(k)[i] - np.eye(k)[j]
        chance = 1.0 / (1.0 + np.exp(-step @ state.mode))
        later = np.linalg.inv(curvature + chance * (1.0 - chance) * np.outer(step, step))
        drops[i, j] = float(step @ (state.covariance - later) @ step)
    most = {pair for pair, drop in drops.items() if drop > max(drops.values()) * (1.0 - 1e-6)}
    asked = {learner.ask(state, Arms(k), default_rng(seed))[:2] for seed in range(200)}
    assert asked == most
    assert len(most) == 10 if n == 0 else len(most) < 10


def test_a_voter_is_shown_the_one_pair_that_is_left() -> None:
    learner, state = WidestInterval(), told(some_votes(6, 80), 6)
    pairs = list(combinations(range(6), 2))
    for left in pairs:
        menu = Arms(6, self_duels=False, open={pair: SEEN for pair in pairs if pair != left})
        assert learner.ask(state, menu, default_rng(0))[:2] == left


def test_open_duels_are_weighed_and_a_crowd_is_spread_over_all_pairs() -> None:
    learner, rng, counts = WidestInterval(), default_rng(0), Counter[tuple[int, int]]()
    state = learner.init(Arms(5), rng)
    for _ in range(63):
        duel = learner.ask(state, Arms(5, self_duels=False, open=counts), rng)
        counts[duel.left, duel.right] += 1
    assert len(counts) == 10
    assert max(counts.values()) - min(counts.values()) == 1
    # five open duels of an unknown arm do not make it known
    known_well = told([(0, 1, float(n % 2)) for n in range(2_000)], 3)
    crowded = Arms(3, open={(0, 2): 5, (1, 2): 5})
    assert 2 in learner.ask(known_well, crowded, rng)[:2]


def test_a_new_arm_is_compared_until_it_is_known_as_well_as_the_others_and_a_retired_one_never() -> None:
    study = Study(arms=["a", "b", "c", "d"], learner=WidestInterval(), seed=3)

    def vote() -> tuple[str, str]:
        duel = study.ask()
        study.tell(duel, "left" if duel.left < duel.right else "right")
        return duel.left, duel.right

    for _ in range(60):
        vote()
    study.add_arm("e")
    assert all("e" in vote() for _ in range(3))
    later = Counter(arm for _ in range(90) for arm in vote())
    assert 15 < later["e"] < 70
    study.retire_arm("b")
    assert "b" not in {arm for _ in range(30) for arm in vote()}
    assert study.best() == "a"
    assert same_folds(fresh(study._journal), known(study))


def test_the_covariance_between_two_fits_is_that_of_all_votes() -> None:
    k = 48  # fitted after every third vote
    votes = [*some_votes(k, 28), (0, 1, 1.0)]
    fitted, state = told(votes[:-1], k), told(votes, k)
    assert np.array_equal(fitted.mode, state.mode)
    step = np.eye(k)[0] - np.eye(k)[1]
    chance = 1.0 / (1.0 + np.exp(-step @ state.mode))
    curvature = np.linalg.inv(fitted.covariance) + chance * (1.0 - chance) * np.outer(step, step)
    np.testing.assert_allclose(state.covariance, np.linalg.inv(curvature), atol=1e-10)
