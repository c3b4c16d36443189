"""Whoever looks after every vote, and stops at the first verdict, is rarely wrong: at most a share delta."""

import math
from typing import NamedTuple

import pytest
from stopping.worlds import LONG, above, in_circle, in_order, most_wrong, votes_with

from duelist import Auto, Uniform, Votes, replay
from duelist.duel import FloatArray
from duelist.replaying import engine
from duelist.replaying.result import ReplayRuns
from duelist.stopping.thresholds import log_thresholds

RUNS, LONGEST = (1_000, 10_000) if LONG else (100, 600)


class World(NamedTuple):
    """Votes, and how long they are played where nothing can be proven in time."""

    votes: Votes
    limit: int
    stops: bool
    """Whether the truth is easy to prove."""


WORLDS = {
    "two equal arms": World(votes_with(in_order(0.0, 0.0)), LONGEST, False),
    "the two best are equal": World(votes_with(in_order(0.0, 0.0, -0.8, -1.2, -1.6)), LONGEST, False),
    "the two best are equal, 60% ties": World(
        votes_with(in_order(0.0, 0.0, -0.8, -1.2, -1.6), ties=0.6), LONGEST, False
    ),
    "the best leads by 0.01": World(votes_with(in_order(0.04, 0.0, -0.8, -1.2, -1.6)), LONGEST, False),
    "a winner by a hair over a circle": World(
        votes_with(above(in_order(0.0), in_circle(5, 0.9), 0.501)), LONGEST, False
    ),
    "a clear winner": World(votes_with(in_order(1.0, 0.0, -0.2, -0.4, -0.6)), 10_000, True),
    "a clear winner, 60% ties": World(
        votes_with(in_order(1.0, 0.0, -0.2, -0.4, -0.6), ties=0.6), 10_000, True
    ),
    "a circle of three": World(votes_with(in_circle(3, 0.7)), 10_000, True),
    "a circle of three above three arms": World(
        votes_with(above(in_circle(3, 0.7), in_order(0.0, -0.4, -0.8), 0.8)), 10_000, True
    ),
}


def runs_of(learner: Auto | Uniform, world: World, delta: float, runs: int = RUNS) -> ReplayRuns:
    result = replay(learner, world.votes, runs=runs, delta=delta, limit=world.limit, progress=False)
    return next(iter(result.values()))


@pytest.mark.parametrize("learner", [Auto(), Uniform()], ids=["Auto", "Uniform"])
@pytest.mark.parametrize("name", WORLDS)
def test_at_most_a_share_delta_is_wrong_and_easy_worlds_stop(name: str, learner: Auto | Uniform) -> None:
    world, delta = WORLDS[name], 0.1
    runs = runs_of(learner, world, delta)
    assert round(runs.stopped_wrong * RUNS) <= most_wrong(RUNS, delta)
    if world.stops:
        assert runs.stopped_right >= 0.99


def test_thresholds_that_forget_the_number_of_arms_are_wrong_too_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, delta, runs = WORLDS["a winner by a hair over a circle"]._replace(limit=4_000), 0.1, 300

    def too_low(k: int, delta: float) -> FloatArray:
        return log_thresholds(k, delta) - math.log(k)

    monkeypatch.setattr(engine, "log_thresholds", too_low)
    wrong = runs_of(Auto(), world, delta, runs).stopped_wrong
    assert round(wrong * runs) > most_wrong(runs, delta)
