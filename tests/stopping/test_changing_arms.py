"""Verdicts of live studies hold while arms come and go, whoever decides which."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from stopping.worlds import LONG, NAMES, above, answer_one, in_circle, in_order, most_wrong

from duelist import Study
from duelist.duel import FloatArray
from duelist.kernels.live import BACKGROUND
from duelist.stopping import Verdict
from duelist.winners import condorcet

STUDIES, LONGEST = (1_000, 500) if LONG else (8, 200)
DELTA = 0.1
LOOK_EVERY = 5

Change = Callable[[Study], None]


def add_e(study: Study) -> None:
    study.add_arm("e")


def retire(name: str) -> Change:
    return lambda study: study.retire_arm(name)


def retire_least_proven(study: Study) -> None:
    """Retire the arm that stands most in the way of a verdict: one who wants one would do so."""
    study.retire_arm(study.verdict(DELTA).unproven[0])


class World(NamedTuple):
    """The chances of all arms, what changes after how many votes, and how long a study may take."""

    chances: FloatArray
    changes: dict[int, Change]
    limit: int = LONGEST
    stops: bool = False
    initial_arms: str = "abcd"


CLOSING = above(in_circle(3, 0.75), in_order(0.0, -0.4), 0.8)
WORLDS = {
    "the added arm is as good as the best": World(
        in_order(0.6, 0.0, -0.5, -0.8, 0.6), {40: add_e, 80: retire("c")}
    ),
    "two equal arms are left": World(in_order(1.0, 0.0, -0.5, -0.8, 0.0), {40: add_e, 80: retire("a")}),
    "equal arms, of which one retires those in the way": World(
        in_order(0.0, 0.0, 0.0, 0.0, 0.0), {60: retire_least_proven, 120: retire_least_proven}
    ),
    "the added arm is the best": World(
        in_order(0.4, 0.0, -0.5, -0.8, 1.6), {30: add_e, 60: retire("d")}, 2_000, True
    ),
    "one of two equal arms retires": World(
        in_order(1.0, 1.0, 0.0, -0.4, -0.2), {30: add_e, 60: retire("b")}, 2_000, True
    ),
    "the added arm closes a circle": World(
        CLOSING[np.ix_([0, 1, 3, 4, 2], [0, 1, 3, 4, 2])], {15: add_e, 40: retire("c")}, 2_000, True
    ),
}


def play(world: World, seed: int) -> tuple[Study, Verdict]:
    """Play a study until the first verdict, or as long as it may take."""
    study, rng = Study(arms=list(world.initial_arms), seed=seed), np.random.default_rng([seed, 1])
    for vote in range(world.limit):
        if vote in world.changes:
            world.changes[vote](study)
        answer_one(study, world.chances, rng)
        if vote % LOOK_EVERY == 0 and study.done(DELTA):
            break
    return study, study.verdict(DELTA)


def true_winner(world: World, study: Study) -> str | None:
    """Return the Condorcet winner of the arms that are there."""
    there = [NAMES.index(name) for name in study.arms]
    winner = condorcet(world.chances[np.ix_(there, there)])
    return None if winner is None else NAMES[there[winner]]


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Wait for the compiler: a study goes on without, with the same duels, but more slowly."""
    play(next(iter(WORLDS.values())), 0)
    BACKGROUND.finish()


@pytest.mark.parametrize("name", WORLDS)
def test_at_most_a_share_delta_is_wrong_while_arms_come_and_go(name: str) -> None:
    world, wrong, right = WORLDS[name], 0, 0
    for seed in range(STUDIES):
        study, verdict = play(world, seed)
        if verdict.finding != "undecided":
            if verdict.winner == true_winner(world, study):
                right += 1
            else:
                wrong += 1
    assert wrong <= most_wrong(STUDIES, DELTA)
    if world.stops:
        assert right >= (1.0 - DELTA) * STUDIES
