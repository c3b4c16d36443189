"""Dueling Bandit Gradient Descent: Yue, Joachims (2009), Algorithm 1; BGD1 and BGD2: section 5.1."""

from collections.abc import Callable

import numpy as np

from duelist import Ball, Box, Sphere
from duelist.duel import FloatArray
from duelist.menus import Space


def nearest(space: Space, w: FloatArray) -> FloatArray:
    """Return P_W(w)."""
    length = float(np.sqrt(np.sum(w**2)))
    if isinstance(space, Ball):
        return w if length <= space.radius else np.asarray(space.radius * w / length)
    if isinstance(space, Sphere):
        return np.asarray(w / length)
    assert isinstance(space, Box)
    return np.array([min(max(x, low), high) for x, low, high in zip(w, space.lows, space.highs, strict=True)])


def step_of_dbgd(wins: list[float], gamma: float, u: FloatArray) -> FloatArray:
    """Return gamma u if w' won most comparisons (section 5.2), that is, if w did not."""
    return gamma * u if np.mean(wins) < 0.5 else 0.0 * u


def step_of_bgd1(wins: list[float], gamma: float, u: FloatArray) -> FloatArray:
    """Descend along P(w beats w')."""
    return -gamma * np.mean(wins) * u


def step_of_bgd2(wins: list[float], gamma: float, u: FloatArray) -> FloatArray:
    """Descend along epsilon(w, w') = P(w beats w') - 1/2."""
    return -gamma * (np.mean(wins) - 0.5) * u


STEPS: dict[str, Callable[[list[float], float, FloatArray], FloatArray]] = {
    "DuelingBanditGradientDescent": step_of_dbgd,
    "BGD1": step_of_bgd1,
    "BGD2": step_of_bgd2,
}


class ReferenceGradientDescent:
    def __init__(
        self, name: str, space: Space, w1: FloatArray, gamma: float, delta: float, comparisons: int = 1
    ) -> None:
        self.space, self.gamma, self.delta, self.comparisons = space, gamma, delta, comparisons  # line 1
        self.step = STEPS[name]
        self.w = w1
        self.u = np.zeros(len(w1))
        self.wins: list[float] = []
        self.updates = 0

    def ask(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        if not self.wins:
            normal = np.array([rng.standard_normal() for _ in self.w])
            self.u = normal / np.sqrt(np.sum(normal**2))  # line 3
        return self.w, nearest(self.space, self.w + self.delta * self.u)  # lines 4 and 5

    def tell(self, outcome: float) -> None:
        self.wins.append(outcome)
        if len(self.wins) == self.comparisons:
            step = self.step(self.wins, self.gamma, self.u)
            if np.any(step):  # line 6
                self.w = nearest(self.space, self.w + step)  # line 7
                self.updates += 1
            self.wins = []  # line 9: w stays where it is
