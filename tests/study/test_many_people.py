"""Many people at once: what is still open spreads what is asked next."""

from collections import Counter
from typing import Any

import pytest
from study.world import answer, known

from duelist import RUCB, BeatTheMean, CondorcetSavage, InterleavedFilter2, Study, Uniform

NAMES = [f"arm {place:02d}" for place in range(16)]
LEARNERS: list[Any] = [
    RUCB(),
    Uniform(),
    BeatTheMean(horizon=1000),
    CondorcetSavage(horizon=1000),
    InterleavedFilter2(horizon=1000),
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)


def pairs_of(duels: list[Any]) -> "Counter[frozenset[str]]":
    return Counter(frozenset(duel[:2]) for duel in duels)


@every_learner
@pytest.mark.parametrize("answers", [0, 200])
def test_a_hundred_asks_before_a_tell_are_spread(learner: Any, answers: int) -> None:
    study = Study(learner, NAMES, seed=2)
    for _ in range(answers):
        duel = study.ask()
        study.tell(duel, answer(duel))
    pairs = pairs_of([study.ask(voter=f"voter {place}") for place in range(100)])
    # one leader has 15 rivals
    assert len(pairs) >= 15
    assert max(pairs.values()) <= 100 // 15 + 1 + 5 * isinstance(learner, RUCB | Uniform | BeatTheMean)


@every_learner
def test_a_batch_is_as_different_as_can_be(learner: Any) -> None:
    pairs = pairs_of(Study(learner, NAMES, seed=2).ask(n=15))
    assert len(pairs) == 15


def test_answers_from_many_people_find_the_winner() -> None:
    study = Study(RUCB(), NAMES, seed=5)
    waiting: list[Any] = []
    for turn in range(600):
        waiting.append(study.ask(voter=f"voter {turn % 40}"))
        if len(waiting) == 40:
            duel = waiting.pop(0)
            study.tell(duel, answer(duel))
    assert study.best() == "arm 00"
    assert sum(study.steps._asker._open_duels.pairs.values()) == 39
    assert known(study).tally.answers == 561
