"""Studies with votes of made-up crowds, for tests of what pages say of them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist import Study
from duelist.journal import Answered
from duelist.learners import Uniform
from duelist.votes import Texts, Votes

BEGIN = 1_700_000_000.0
Choose = Callable[[int, int, Generator], float]
"""What someone answers, given the arms on the left and on the right."""


def honest(strengths: Sequence[float], ties: float = 0.1) -> Choose:
    """Return someone who votes by strengths, as the others do."""

    def choose(left: int, right: int, rng: Generator) -> float:
        if rng.random() < ties:
            return 0.5
        return float(rng.random() < 1.0 / (1.0 + np.exp(strengths[right] - strengths[left])))

    return choose


def careless(left: int, right: int, rng: Generator) -> float:
    return float(rng.random() < 0.5)


def always(arm: int, otherwise: Choose) -> Choose:
    """Return someone who votes for an arm whenever it is shown."""

    def choose(left: int, right: int, rng: Generator) -> float:
        return 1.0 if left == arm else 0.0 if right == arm else otherwise(left, right, rng)

    return choose


def left_side(left: int, right: int, rng: Generator) -> float:
    return 1.0


def vote(
    study: Study,
    voter: str | None,
    choose: Choose,
    votes: int,
    rng: Generator,
    pause: float = 8.0,
    items: int = 50,
) -> None:
    """Record votes of one voter on random pairs and items, with pauses of about so many seconds."""
    k, time = len(study.arms), BEGIN + 10_000.0 * rng.random()
    events: list[Any] = []
    for _ in range(votes):
        left, right = (int(arm) for arm in rng.choice(k, 2, replace=False))
        time += pause * (0.7 + 0.6 * rng.random())
        events.append(
            Answered(
                time=round(time, 3),
                ticket=rng.bytes(8).hex(),
                left=left,
                right=right,
                outcome=choose(left, right, rng),
                voter=voter,
                item=f"item {rng.integers(items)}" if items else None,
            )
        )
    study._journal.append(events)


def crowd_study(
    seed: int, k: int = 6, people: int = 18, votes: int = 60, spread: float = 0.7, **named: Any
) -> tuple[Study, Choose, Generator]:
    """Return a study on which honest people have voted, with what they are like and the luck that is left."""
    rng = np.random.default_rng(seed)
    study = Study(Uniform(), arms=[f"arm {place}" for place in range(k)], seed=seed)
    person = honest([spread * (k - place) for place in range(k)])
    for number in range(people):
        vote(study, f"person {number}", person, votes, rng, **named)
    return study, person, rng


def honest_votes(
    seed: int, k: int = 6, people: int = 12, votes: int = 40, items: int = 8, taste: float = 0.0
) -> Votes:
    """Return the votes of an honest crowd without a study; `taste` is how much strengths differ by person."""
    rng = np.random.default_rng(seed)
    voters = np.repeat(np.arange(people), votes)
    left = rng.integers(k, size=len(voters))
    right = (left + rng.integers(1, k, len(voters))) % k
    strengths = -0.7 * np.arange(k) + taste * rng.standard_normal((people, k))
    lead = strengths[voters, left] - strengths[voters, right]
    outcomes = (rng.random(len(voters)) < 1.0 / (1.0 + np.exp(-lead))).astype(np.float64)
    outcomes[rng.random(len(voters)) < 0.1] = 0.5
    return Votes(
        [f"arm {place}" for place in range(k)],
        left,
        right,
        outcomes,
        voters=Texts(tuple(f"person {number}" for number in range(people)), voters),
        items=Texts(tuple(map(str, range(items))), rng.integers(items, size=len(voters))),
        times=np.linspace(BEGIN, BEGIN + 8.0 * len(voters), len(voters)),
    )
