"""Multileaving Gradient Descent (Schuth, Oosterhuis, Whiteson, de Rijke, WSDM 2016)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.duel import FloatArray, IntArray
from duelist.errors import require_positive, require_whole
from duelist.kernels import loop
from duelist.kernels.compile import compiled
from duelist.kernels.duels import DuelBuffer, duel_at
from duelist.kernels.loop import Kernels, Run
from duelist.kernels.projection import Region, project_into, region_of
from duelist.learners.base import first_field
from duelist.learners.continuous.base import PointLearner, as_start, first_point
from duelist.learners.continuous.gradient_descent import draw_direction, pair_with_neighbour
from duelist.menus import Space


class Rules(NamedTuple):
    """Hyperparameters, as the kernels read them."""

    exploration: float
    exploitation: float
    points: int


class State(NamedTuple):
    """What has been learned."""

    point: FloatArray
    pull: FloatArray  # the sum of the directions whose neighbours won
    won: IntArray  # one number: how many did
    answered: IntArray  # one number: how many were compared
    shape: IntArray  # of the space, with its radius and bounds
    radius: FloatArray
    low: FloatArray
    high: FloatArray


@compiled
def ask(rules: Rules, state: State, menu: Region, duel: DuelBuffer, rng: Generator) -> None:
    """Set the current point against a neighbour in a fresh direction."""
    draw_direction(duel.note, rng)
    pair_with_neighbour(state.point, rules.exploration, duel)
    project_into(state.shape[0], state.radius[0], state.low, state.high, duel.sides[1])


@compiled
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Remember a winner's direction; after all candidates, step along the winners' mean."""
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
def plan(rules: Rules, state: State, menu: Region, duels: DuelBuffer, rng: Generator) -> int:
    """Fill in the current point's duels with all neighbours before the next step; return how many."""
    planned = min(rules.points - state.answered[0], len(duels.sides))
    for place in range(planned):
        ask(rules, state, menu, duel_at(duels, place), rng)
    return int(planned)


@compiled
def play(rules: Rules, state: State, run: Run) -> None:
    """Play one run."""
    loop.play(ask, tell, first_field, loop.skip_nothing, loop.skip_nothing, rules, state, run)


@compiled
def fold(rules: Rules, state: State, duels: DuelBuffer, outcomes: FloatArray) -> None:
    """Tell a batch of duels."""
    loop.fold(tell, rules, state, duels, outcomes)


@dataclass(frozen=True)
class MultileavingGradientDescent(PointLearner[State]):
    """Climb a concave utility over a space, comparing several neighbours before every step.

    The current point meets several neighbours in random directions and steps along the mean direction of
    those that beat it: steps are surer and fewer. Needs what Dueling Bandit Gradient Descent needs.

    Parameters
    ----------
    exploration, exploitation, start
        As in `DuelingBanditGradientDescent`; a step is as long if the winners agree on its direction.
    points : int, default 9
        Neighbours compared before a step.

    Notes
    -----
    Deviations from the paper: neighbours meet the current point one after another, in duels, where the paper
    multileaves the rankings of all of them in one list; the update is its mean of winners (MGD-M). A tie is
    no win for the neighbour.

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

    exploration: float
    exploitation: float
    points: int = 9
    start: tuple[float, ...] | None = None

    card = Card(
        setting="points of a space",
        seeks="best point",
        assumes="a space that is convex and a utility that is concave, behind a smooth link",
        regret="none proven",
        citation="Schuth, Oosterhuis, Whiteson, de Rijke (2016). Multileave Gradient Descent for Fast "
        "Online Learning to Rank",
        unmet={"swapped_sides": "the left point is the current one, from which a step is taken"},
        example={"exploration": 0.3, "exploitation": 0.02},
    )
    kernels = Kernels(ask, tell, first_field, play, fold, plan)

    def __post_init__(self) -> None:
        """Refuse hyperparameters that cannot work."""
        require_positive("exploration", self.exploration)
        require_positive("exploitation", self.exploitation)
        require_whole("points", self.points, 1)
        object.__setattr__(self, "start", as_start(self.start))

    def rules(self) -> Rules:
        """Return the numbers the kernels need."""
        return Rules(float(self.exploration), float(self.exploitation), int(self.points))

    def init(self, menu: Space, rng: Generator) -> State:
        """Return the state before the first duel."""
        point = first_point(menu, self.start)
        zero = np.zeros(1, np.int64)
        return State(point, np.zeros(menu.d), zero, zero.copy(), *region_of(menu))
