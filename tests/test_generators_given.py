"""A seed where a generator is expected."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from catalogue import example
from refusals import refused

from duelist import RUCB, Uniform
from duelist.clicks import perfect, simulate_log
from duelist.duel import Duel
from duelist.errors import ParameterError
from duelist.menus import Actions, Arms, Ball, Documents
from duelist.problems import (
    LinearRankerSpace,
    QueryContexts,
    RankerDuel,
    cyclic_contexts,
    p1,
    worst_case,
)
from duelist.ranking import synthetic_ranking_data
from duelist.registry import LEARNERS

RNG = np.random.default_rng(0)
STATE = RUCB().init(Arms(3), RNG)
RANKED = synthetic_ranking_data(queries=4, features=2)
FEATURES = np.zeros((3, 2))
POINTS = Duel(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
CONTEXT = Actions(3, np.zeros(1))
MENUS: dict[str, Any] = {
    "arms": Arms(3),
    "points of a space": Ball(2),
    "rankings": Documents(FEATURES),
    "contexts": CONTEXT,
}


def init_again(name: str) -> Callable[[Any], object]:
    learner = example(LEARNERS[name])
    return lambda seed: learner.init(MENUS[learner.card.setting], seed)


def ask_again(name: str) -> Callable[[Any], object]:
    learner = example(LEARNERS[name])
    menu = MENUS[learner.card.setting]
    state = learner.init(menu, RNG)
    return lambda seed: learner.ask(state, menu, seed)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda seed: RUCB().init(Arms(3), seed),
        lambda seed: RUCB().ask(STATE, Arms(3), seed),
        lambda seed: Uniform().plan(Uniform().init(Arms(3), RNG), Arms(3), seed, 3),
        lambda seed: worst_case(3).play(Duel(0, 1), seed),
        lambda seed: cyclic_contexts(1, 1).log(10, seed),
        lambda seed: cyclic_contexts(1, 1).log(10, RNG).split(0.5, seed),
        lambda seed: cyclic_contexts(1, 1).menu(seed),
        lambda seed: p1(2).play(POINTS, seed),
        lambda seed: RankerDuel(RANKED, [0, 1]).play(Duel(0, 1), seed),
        lambda seed: LinearRankerSpace(RANKED).play(POINTS, seed),
        lambda seed: QueryContexts(RankerDuel(RANKED, [0, 1])).menu(seed),
        lambda seed: QueryContexts(RankerDuel(RANKED, [0, 1])).play(Duel(0, 1), seed),
        lambda seed: perfect(3).click([1, 0], seed),
        lambda seed: simulate_log(perfect(3), {("q", "d"): 1}, 10, 2, seed),
        lambda seed: simulate_log(perfect(3), {("q", "d"): 1}, 10, 2, RNG).split(0.5, seed),
        *map(init_again, LEARNERS),
        *map(ask_again, LEARNERS),
    ],
)
def test_a_seed_for_a_generator_is_refused_with_the_remedy(misuse: Callable[[Any], object]) -> None:
    with refused(ParameterError, "rng", 7, "numpy.random.default_rng(seed)"):
        misuse(7)
