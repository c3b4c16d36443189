"""A study shows two different arms, always, and goes on learning where the papers would show one twice."""

import os

import numpy as np
import pytest
from scipy.stats import binom
from study.world import known

from duelist import RUCB, Study, simulate
from duelist.problems import MatrixProblem

LONG = "DUELIST_LONG" in os.environ
"""Whether to play at full length: `make long`."""


def vote(study: Study, better: float, n: int, rng: np.random.Generator) -> None:
    """Vote n times on two arms, of which a beats b with a probability."""
    for luck in rng.random(n):
        duel = study.ask()
        assert {duel.left, duel.right} == {"a", "b"}
        study.tell(duel, "left" if (duel.left == "a") == (luck < better) else "right")


def test_two_arms_are_never_stuck_on_the_wrong_one() -> None:
    studies, votes = (1000, 200) if LONG else (150, 80)
    rng = np.random.default_rng(1)
    wrong = 0
    for seed in range(studies):
        study = Study(RUCB(), ["a", "b"], seed=seed)
        vote(study, 0.6, votes, rng)
        wrong += study.best() == "b"
        assert known(study).tally.scores.sum() == votes
    # as many informative duels, and so as many mistakes, as coins of 0.6 make; a tie may go either way
    chance = binom.cdf(votes // 2 - 1, votes, 0.6) + 0.5 * binom.pmf(votes // 2, votes, 0.6)
    assert wrong <= binom.ppf(0.999, studies, chance)
    # the simulator keeps the papers' rounds, some of which compare nothing, and errs no less often
    runs = 2000
    simulated = simulate(RUCB(), MatrixProblem([[0.5, 0.6], [0.4, 0.5]]), votes, runs=runs, progress=False)
    assert (1.0 - simulated["RUCB"].accuracy) * runs >= binom.ppf(0.001, runs, chance)


def test_a_clear_winner_is_compared_for_ever() -> None:
    study, votes = Study(RUCB(), ["a", "b"], seed=3), 10_000 if LONG else 1_500
    vote(study, 0.9, votes, np.random.default_rng(2))
    assert study.best() == "a"
    state = known(study).player.state
    share = known(study).tally.scores[0, 1] / votes
    # alpha ln t has reached n (p - 1/2)^2, far beyond what could be counted
    assert -state.told[0] == pytest.approx(votes * (share - 0.5) ** 2 / 0.51, rel=0.02)
    assert -state.told[0] > 400.0


def test_fifty_open_duels_do_not_add_up_in_time() -> None:
    study = Study(RUCB(), ["a", "b"], seed=3)
    vote(study, 0.9, 30, np.random.default_rng(2))
    duels = study.ask(n=50)
    before = known(study).player.state.told[0]
    rounds = {study.steps._ticket(duel).round for duel in duels}
    for duel in duels:
        study.tell(duel, "left" if duel.left == "a" else "right")
    asked = max(found for found in rounds if found is not None)
    assert known(study).player.state.told[0] == max(before, asked) + 50
