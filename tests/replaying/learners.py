"""Learners as a plug-in's author would write them: plain Python, no kernels."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import Duel, IntArray
from duelist.menus import Arms


class ScriptedState(NamedTuple):
    votes: IntArray


@dataclass(frozen=True)
class Scripted:
    """Names arms in a fixed order and then repeats the last; asks for the same two arms."""

    names: tuple[int, ...]
    asks: tuple[int, int] = (0, 1)

    def init(self, menu: Arms, rng: Generator) -> ScriptedState:
        return ScriptedState(np.zeros(1, np.int64))

    def ask(self, state: ScriptedState, menu: Arms, rng: Generator) -> Duel:
        return Duel(*self.asks)

    def tell(self, state: ScriptedState, duel: Duel, outcome: float) -> ScriptedState:
        assert duel.left != duel.right
        return ScriptedState(state.votes + 1)

    def best(self, state: ScriptedState, menu: Arms) -> int:
        return self.names[min(int(state.votes[0]), len(self.names)) - 1]


@dataclass(frozen=True)
class WithoutKernels:
    """Another learner, of which only the protocol can be seen."""

    learner: Any

    def init(self, menu: Arms, rng: Generator) -> Any:
        return self.learner.init(menu, rng)

    def ask(self, state: Any, menu: Arms, rng: Generator) -> Duel:
        duel: Duel = self.learner.ask(state, menu, rng)
        return duel

    def tell(self, state: Any, duel: Duel, outcome: float) -> Any:
        return self.learner.tell(state, duel, outcome)

    def best(self, state: Any, menu: Arms) -> int:
        return int(self.learner.best(state, menu))
