"""Dueling Bandit Gradient Descent (Yue, Joachims, ICML 2009, Algorithm 1), and its baselines.

BGD1 and BGD2 are gradient descent that observes probabilities (Flaxman, Kalai, McMahan, SODA 2005).
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.card import Card
from duelist.constraints import Count, Positive
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, require_generator, require_positive, require_whole
from duelist.kernels.compile import borrowing
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels
from duelist.kernels.points import project_into, region_of
from duelist.learners.base import first_field, folding, playing
from duelist.learners.continuous.base import PointLearner, as_start, first_point, require_space
from duelist.menus import Space

TOSS, PROBABILITY, MARGIN = 0, 1, 2
"""The feedback that scales a step: a win or loss, the probability to lose, or that probability minus 1/2."""


class Rules(NamedTuple):
    exploration: float  # delta
    exploitation: float  # gamma
    comparisons: int
    feedback: int


class State(NamedTuple):
    point: FloatArray  # w_t
    direction: FloatArray  # u_t, until all its comparisons are answered
    lost: FloatArray  # sum of the outcomes of the comparisons of u_t so far
    answered: IntArray  # number of comparisons of u_t so far
    shape: IntArray  # the kind of space (`SHAPES`), with its radius and bounds
    radius: FloatArray
    low: FloatArray
    high: FloatArray


@borrowing
def ask(rules: Rules, state: State, menu: Any, duel: DuelBuffer, rng: Generator) -> None:
    """Lines 3-5: the current point against its neighbour in a random direction, projected."""
    if state.answered[0] > 0:
        for i in range(len(state.direction)):
            duel.note[i] = state.direction[i]
    else:
        draw_direction(duel.note, rng)
    pair_with_neighbour(state, rules.exploration, duel)


@borrowing
def draw_direction(direction: FloatArray, rng: Generator) -> None:
    """Write a uniformly random unit vector into the array."""
    square = 0.0
    while square == 0.0:
        for i in range(len(direction)):
            direction[i] = rng.standard_normal()
            square += direction[i] * direction[i]
    scale = 1.0 / sqrt(square)
    for i in range(len(direction)):
        direction[i] *= scale


@borrowing
def pair_with_neighbour(state: Any, reach: float, duel: DuelBuffer) -> None:
    """Fill in the current point and its neighbour, `reach` away in the duel's direction and projected."""
    for i in range(len(state.point)):
        duel.sides[0, i] = state.point[i]
        duel.sides[1, i] = state.point[i] + reach * duel.note[i]
    project_into(state.shape[0], state.radius[0], state.low, state.high, duel.sides[1])


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Lines 6-10: step towards the neighbour if it wins; answers about other directions are ignored."""
    if state.answered[0] > 0 and not same_direction(state.direction, duel.note):
        return
    for i in range(len(state.direction)):
        state.direction[i] = duel.note[i]
    state.lost[0] += outcome
    state.answered[0] += 1
    if state.answered[0] < rules.comparisons:
        return
    step = rules.exploitation * pull(rules.feedback, state.lost[0] / state.answered[0])
    if step != 0.0:
        for i in range(len(state.point)):
            state.point[i] += step * duel.note[i]
        project_into(state.shape[0], state.radius[0], state.low, state.high, state.point)
    state.lost[0] = 0.0
    state.answered[0] = 0


@borrowing
def same_direction(one: FloatArray, other: FloatArray) -> bool:
    same = True
    for i in range(len(one)):
        same = same and one[i] == other[i]
    return same


@borrowing
def pull(feedback: int, lost: float) -> float:
    """Return the length of a step in units of gamma, given the share of duels the current point won."""
    if feedback == TOSS:
        return 1.0 if lost < 0.5 else 0.0
    return -lost if feedback == PROBABILITY else 0.5 - lost


play = playing(ask, tell, first_field)
fold = folding(tell)


@dataclass(frozen=True)
class GradientDescent(PointLearner[State]):
    """Base class of `DuelingBanditGradientDescent`, `BGD1` and `BGD2`."""

    exploration: Positive
    exploitation: Positive
    comparisons: Count = 1
    start: tuple[float, ...] | None = None
    feedback: ClassVar[int]
    kernels = Kernels(ask, tell, first_field, play, fold)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "start", as_start(self.start))

    @classmethod
    def for_horizon(
        cls,
        horizon: int,
        menu: Space,
        factor: float | None = None,
        lipschitz: float | None = None,
        convex: bool = True,
        start: ArrayLike | None = None,
    ) -> Self:
        """Return a learner with the step sizes for which the paper proves its bounds.

        Parameters
        ----------
        horizon : int
            Number of rounds T.
        menu : Ball, Sphere or Box
            The space, of dimension d and radius R.
        factor : float, optional
            The paper's delta_L (section 5.1), 1 by default: exploration is T^(-1/4) factor sqrt(0.4 R d).
        lipschitz : float, optional
            The Lipschitz constant L of the preferences, if known; it determines the factor.
        convex : bool, default True
            With `lipschitz`: use Corollary 2, which assumes that the smoothed loss is convex, instead of
            Theorem 2.
        start : array, optional
            The first point; by default the center of the space.

        Returns
        -------
        GradientDescent
            A learner of this class.

        Raises
        ------
        ParameterError
            If a value is out of range, or both `factor` and `lipschitz` are given.
        """
        require_whole("horizon", horizon, 1)
        require_space(menu)
        if factor is not None and lipschitz is not None:
            raise ParameterError(
                f"factor and lipschitz cannot be combined; got {factor!r} and {lipschitz!r}. Omit one."
            )
        if lipschitz is not None:
            require_positive("lipschitz", lipschitz)
            factor = sqrt((1.0 if convex else 5.0 / 13.0) / lipschitz)
        factor = 1.0 if factor is None else factor
        require_positive("factor", factor)
        return cls(
            exploration=horizon**-0.25 * factor * sqrt(0.4 * menu.radius * menu.d),
            exploitation=menu.radius / sqrt(horizon),
            start=as_start(start),
        )

    def rules(self) -> Rules:
        return Rules(float(self.exploration), float(self.exploitation), int(self.comparisons), self.feedback)

    def init(self, menu: Space, rng: Generator) -> State:  # line 1
        require_generator(rng)
        point, undirected = first_point(menu, self.start), np.zeros(menu.d)
        return State(point, undirected, np.zeros(1), np.zeros(1, np.int64), *region_of(menu))


@dataclass(frozen=True)
class DuelingBanditGradientDescent(GradientDescent):
    """Maximise a concave utility over a space by duels with random neighbours.

    The current point duels a neighbour in a random direction, and takes a small step towards it if it loses.
    Needs a convex space and a concave utility with a smooth link; regret is O(T^(3/4)) (Theorem 2). In
    practice it also works on the sphere, where projection means normalisation, and with utilities that change
    from query to query.

    Parameters
    ----------
    exploration : float
        Delta, the distance of the neighbour; see `for_horizon`.
    exploitation : float
        Gamma, the length of a step.
    comparisons : int, default 1
        Number of duels in the same direction per step, which is decided by majority (section 5.2).
    start : tuple of float, optional
        The first point; by default the center of the space.

    Notes
    -----
    Deviations from the paper: none. A tie does not count as a win for the neighbour. A late answer moves the
    point in the direction of its own duel; with several comparisons, answers about an earlier direction are
    ignored.

    References
    ----------
    Yue, Joachims (2009). Interactively Optimizing Information Retrieval Systems as a Dueling Bandits Problem.
    ICML. Algorithm 1, Theorem 2, Corollary 2.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import p1
    >>> problem = p1(d=5)
    >>> learner = DuelingBanditGradientDescent.for_horizon(20_000, problem.menu(), start=problem.start)
    >>> result = simulate(learner, problem, horizon=20_000, runs=2)["DuelingBanditGradientDescent"]
    >>> bool((result.gap_at[:, -1] < result.gap_at[:, 0]).all())
    True
    """

    card = Card(
        setting="points of a space",
        seeks="best point",
        assumes="a convex space, and a concave utility with a smooth link",
        regret="O(T^(3/4)) in expectation",
        citation="Yue, Joachims (2009). Interactively Optimizing Information Retrieval Systems as a "
        "Dueling Bandits Problem",
        unmet={"swapped_sides": "steps start from the left point, which is the current one"},
        example={"exploration": 0.3, "exploitation": 0.02},
    )
    feedback = TOSS


@dataclass(frozen=True)
class BGD1(GradientDescent):
    """Bandit gradient descent on win probabilities: a baseline with more information than a learner has.

    Like `DuelingBanditGradientDescent`, with the same parameters, but it observes the probability that the
    current point wins, and steps away from the neighbour in proportion to it. Needs a problem that answers
    with probabilities, such as `p1(exact=True)`.

    Parameters
    ----------
    exploration : float
        Delta, the distance of the neighbour; see `for_horizon`.
    exploitation : float
        Gamma, the length of a step for a probability of 1.
    comparisons : int, default 1
        Number of duels in the same direction per step.
    start : tuple of float, optional
        The first point; by default the center of the space.

    Notes
    -----
    Deviations from the paper: none. The step sizes are those of DBGD, as in its Figure 2.

    References
    ----------
    Flaxman, Kalai, McMahan (2005). Online convex optimization in the bandit setting. SODA.
    Yue, Joachims (2009). ICML. Section 5.1.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import p1
    >>> problem = p1(d=5, exact=True)
    >>> learner = BGD1.for_horizon(20_000, problem.menu(), start=problem.start)
    >>> bool(simulate(learner, problem, horizon=20_000, runs=1)["BGD1"].gap_at[0, -1] < 0.3)
    True
    """

    card = replace(
        DuelingBanditGradientDescent.card,
        assumes="a problem that answers with probabilities, such as `p1(exact=True)`",
        regret="not proven: a baseline that observes probabilities",
        citation="Flaxman, Kalai, McMahan (2005). Online convex optimization in the bandit setting",
    )
    feedback = PROBABILITY


@dataclass(frozen=True)
class BGD2(GradientDescent):
    """Bandit gradient descent on the margin, the win probability minus 1/2: the best-informed baseline.

    Like `BGD1`, with the same parameters, but the sign of the margin tells whether the neighbour is better.

    Parameters
    ----------
    exploration : float
        Delta, the distance of the neighbour; see `for_horizon`.
    exploitation : float
        Gamma, the length of a step for a margin of 1.
    comparisons : int, default 1
        Number of duels in the same direction per step.
    start : tuple of float, optional
        The first point; by default the center of the space.

    Notes
    -----
    Deviations from the papers: none.

    References
    ----------
    See `BGD1`.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import p1
    >>> problem = p1(d=5, exact=True)
    >>> learner = BGD2.for_horizon(20_000, problem.menu(), start=problem.start)
    >>> bool(simulate(learner, problem, horizon=20_000, runs=1)["BGD2"].gap_at[0, -1] < 0.3)
    True
    """

    card = BGD1.card
    feedback = MARGIN
