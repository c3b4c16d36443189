"""A seed where a generator is expected."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from duelist import RUCB, Uniform
from duelist.duel import Duel
from duelist.errors import ParameterError
from duelist.menus import Arms
from duelist.problems import cyclic_contexts, worst_case

RNG = np.random.default_rng(0)
STATE = RUCB().init(Arms(3), RNG)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda seed: RUCB().init(Arms(3), seed),
        lambda seed: RUCB().ask(STATE, Arms(3), seed),
        lambda seed: Uniform().plan(Uniform().init(Arms(3), RNG), Arms(3), seed, 3),
        lambda seed: worst_case(3).play(Duel(0, 1), seed),
        lambda seed: cyclic_contexts(1, 1).log(10, seed),
        lambda seed: cyclic_contexts(1, 1).log(10, RNG).split(0.5, seed),
    ],
)
def test_a_seed_for_a_generator_is_refused_with_the_remedy(misuse: Callable[[Any], object]) -> None:
    with pytest.raises(
        ParameterError, match=r"rng must be a generator; got 7\. Give numpy\.random\.default_"
    ):
        misuse(7)
