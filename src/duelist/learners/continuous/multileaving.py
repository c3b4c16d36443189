"""Multileaving Gradient Descent (Schuth, Oosterhuis, Whiteson, de Rijke, WSDM 2016)."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.constraints import Count, Positive
from duelist.duel import FloatArray, IntArray
from duelist.errors import require_generator
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer, duel_at
from duelist.kernels.loop import Kernels
from duelist.kernels.points import project_into, region_of
from duelist.learners.base import first_field, folding, playing
from duelist.learners.continuous.base import PointLearner, as_start, first_point
from duelist.learners.continuous.gradient_descent import (
    DuelingBanditGradientDescent,
    draw_direction,
    pair_with_neighbour,
)
from duelist.menus import Space


class Rules(NamedTuple):
    exploration: float
    exploitation: float
    points: int


class State(NamedTuple):
    point: FloatArray
    pull: FloatArray  # the sum of the directions whose neighbours won
    won: IntArray  # one number: neighbours that won
    answered: IntArray  # one number: neighbours compared
    shape: IntArray  # the kind of space (`SHAPES`), with its radius and bounds
    radius: FloatArray
    low: FloatArray
    high: FloatArray


@borrowing
def ask(rules: Rules, state: State, menu: Any, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the current point and a neighbour in a new random direction."""
    draw_direction(duel.note, rng)
    pair_with_neighbour(state, rules.exploration, duel)


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Add up the directions of winners; after all neighbours are compared, step along their mean."""
    state.answered[0] += 1
    if outcome < 0.5:
        state.won[0] += 1
        for i in range(len(state.point)):
            state.pull[i] += duel.note[i]
    if state.answered[0] < rules.points:
        return
    if state.won[0] > 0:
        for i in range(len(state.point)):
            state.point[i] += rules.exploitation * state.pull[i] / state.won[0]
        project_into(state.shape[0], state.radius[0], state.low, state.high, state.point)
    state.pull[:] = 0.0
    state.won[0] = 0
    state.answered[0] = 0


@compiled
def plan(rules: Rules, state: State, menu: Any, duels: DuelBuffer, rng: Generator) -> int:
    """Fill in the duels with all neighbours before the next step; return their number."""
    planned = min(rules.points - state.answered[0], len(duels.sides))
    for index in range(planned):
        ask(rules, state, menu, duel_at(duels, index), rng)
    return int(planned)


play = playing(ask, tell, first_field)
fold = folding(tell)


@dataclass(frozen=True)
class MultileavingGradientDescent(PointLearner[State]):
    """Maximise a concave utility over a space, comparing several neighbours before each step.

    Like `DuelingBanditGradientDescent`, with the same assumptions, but a step goes along the mean direction
    of all neighbours that beat the current point: steps are fewer and more reliable.

    Parameters
    ----------
    exploration : float
        The distance of the neighbours.
    exploitation : float
        The length of a step if all winners have the same direction.
    points : int, default 9
        Number of neighbours compared before a step.
    start : tuple of float, optional
        The first point; by default the center of the space.

    Notes
    -----
    Deviations from the paper: neighbours meet the current point one by one, in duels, instead of in a single
    multileaved list. The update is the paper's mean of winners (MGD-M). A tie does not count as a win for the
    neighbour.

    References
    ----------
    Schuth, Oosterhuis, Whiteson, de Rijke (2016). Multileave Gradient Descent for Fast Online Learning to
    Rank. WSDM.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import p1
    >>> problem = p1(d=5)
    >>> learner = MultileavingGradientDescent(exploration=1.0, exploitation=0.3, start=tuple(problem.start))
    >>> result = simulate(learner, problem, horizon=20_000, runs=2)["MultileavingGradientDescent"]
    >>> bool((result.gap_at[:, -1] < result.gap_at[:, 0]).all())
    True
    """

    exploration: Positive
    exploitation: Positive
    points: Count = 9
    start: tuple[float, ...] | None = None

    card = replace(
        DuelingBanditGradientDescent.card,
        regret="not proven",
        citation="Schuth, Oosterhuis, Whiteson, de Rijke (2016). Multileave Gradient Descent for Fast "
        "Online Learning to Rank",
    )
    kernels = Kernels(ask, tell, first_field, play, fold, plan)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "start", as_start(self.start))

    def rules(self) -> Rules:
        return Rules(float(self.exploration), float(self.exploitation), int(self.points))

    def init(self, menu: Space, rng: Generator) -> State:
        require_generator(rng)
        won, answered = np.zeros((2, 1), np.int64)
        return State(first_point(menu, self.start), np.zeros(menu.d), won, answered, *region_of(menu))
