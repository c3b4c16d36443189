"""Preferential Bayesian optimisation: the model of Chu and Ghahramani (2005), asked by knowledge gradient."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from duelist.card import Card
from duelist.constraints import Count, Range, check_fields
from duelist.duel import Duel, FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError, require_generator, require_outcome
from duelist.kernels.points import SHAPES, region_of
from duelist.learners.continuous.preference_model import Posterior, fit, win_probability
from duelist.menus import Ball, Box, Space, Sphere, require_inside

MOST_DIMENSIONS = 10

RIVALS = 16  # points drawn for each side of the first duels; the one farthest from all shown before is taken

PROMISING, ANYWHERE = 60, 100
"""How many candidates are paired with one another: of the highest promise, and of any."""

AT_ONCE = 512
"""Pairs compared at once: with all of their promises in a processor's cache, it takes half the time."""

CLOUD, ROUNDS = 64, 20  # points tried in each round of the search for the highest mean, and its rounds

REACH = 0.2  # the widest deviation, in widths of the space, at which points near the best are drawn

FOR_FEW = "it is made for tens of answers, not for the thousands of rounds that this check plays"


class State(NamedTuple):
    """Every answer, and the space they speak of."""

    pairs: FloatArray  # pairs[i]: the points of duel i, in the order of their coordinates
    outcomes: FloatArray  # outcomes[i]: 1 if the first of them won, 0 if the second did
    low: FloatArray  # the bounds of the space
    high: FloatArray
    shape: IntArray  # which of SHAPES the space is


def space_of(state: State) -> Space:
    """Return the space that the state began with."""
    shape = SHAPES[state.shape[0]]
    if shape is Box:
        return Box(tuple(state.low.tolist()), tuple(state.high.tolist()))
    return Sphere(len(state.low)) if shape is Sphere else Ball(len(state.low), float(state.high[0]))


def unit(state: State, points: FloatArray) -> FloatArray:
    """Return points in the coordinates of the unit box, which the model speaks."""
    return np.asarray((points - state.low) / (state.high - state.low))


def project(menu: Space, points: FloatArray) -> FloatArray:
    """Return the nearest points of the space, one a row."""
    if isinstance(menu, Box):
        return np.clip(points, menu.low, menu.high)
    return np.array([menu.project(point) for point in points])


def lonely_point(state: State, shown: FloatArray, menu: Space, rng: Generator) -> FloatArray:
    """Return a point far from all that were shown (Mitchell's best candidate)."""
    rivals = menu.sample(rng, RIVALS)
    gaps = unit(state, rivals)[:, None] - unit(state, shown)
    distance = np.min(np.linalg.norm(gaps, axis=-1), axis=1, initial=np.inf)
    return np.asarray(rivals[np.argmax(distance)])


def summit(state: State, posterior: Posterior, menu: Space) -> FloatArray:
    """Return the point of the highest mean: from the best point shown, by clouds that shrink when they fail.

    The generator is fixed, so that the point depends on the answers alone.
    """
    rng, reach = default_rng(0), REACH
    cloud = project(menu, np.vstack([menu.center, state.pairs.reshape(-1, menu.d)]))
    best, height = menu.center, -np.inf
    for _ in range(ROUNDS):
        means = posterior.mean(unit(state, cloud))
        top = np.argmax(means)
        if means[top] > height:
            best, height = cloud[top], means[top]
        else:
            reach /= 2.0
        steps = reach * rng.standard_normal((CLOUD, menu.d))
        cloud = project(menu, best + steps * (state.high - state.low))
    return best


def most_telling(posterior: Posterior, points: FloatArray, hopeful: int) -> tuple[int, int]:
    """Return the two points whose duel promises most: the highest mean to be expected after its answer.

    The gap between the two is Gaussian; given the answer, its mean shifts by an integral over the logistic
    link, and takes along every other mean as far as it covaries. The highest mean is looked for among the
    first `hopeful` points only.
    """
    mean, covariance = posterior.mean(points), posterior.covariance(points, points)
    left, right = np.triu_indices(len(points), 1)
    variance = covariance[left, left] + covariance[right, right] - 2.0 * covariance[left, right]
    deviation = np.sqrt(np.maximum(variance, 1e-12))
    nodes, weights = np.polynomial.hermite_e.hermegauss(15)
    weights /= weights.sum()
    wins = win_probability((mean[left] - mean[right])[:, None] + deviation[:, None] * nodes)
    chance = wins @ weights
    tilt = wins @ (weights * nodes) / deviation
    hope, shared = mean[:hopeful], np.ascontiguousarray(covariance[:hopeful].T)
    promise = np.empty(len(left))
    for start in range(0, len(left), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        shift = (shared[left[some]] - shared[right[some]]) * tilt[some, None]
        won, lost = hope * chance[some, None] + shift, hope * (1.0 - chance[some, None]) - shift
        promise[some] = won.max(axis=1) + lost.max(axis=1)
    top = np.argmax(promise)
    return int(left[top]), int(right[top])


@dataclass(frozen=True)
class PreferentialOptimization:
    """Find the best point of a space of few dimensions from few answers.

    Utility is a Gaussian process, known through the duels alone. After a few duels spread over the space,
    each next one is that whose answer is expected to raise the utility of `best` the most, even if it shows
    two middling points. Needs a utility that varies smoothly; there is no guarantee.

    Parameters
    ----------
    candidates : int, default 2000
        Points considered for the next duel: half of them anywhere, half near the best.
    initial : int, default 5
        Duels spread over the space before the model is asked.

    Notes
    -----
    Deviations from Chu and Ghahramani: the link is logistic rather than probit, which forgives a slip
    sooner; the kernel is Matern 5/2 with a length for each coordinate; scales maximise the evidence times a
    log-normal prior. They do not say which duel to ask: this is the knowledge gradient of Frazier, Powell and
    Dayanik over all pairs of a shortlist, with the outcome of a duel in place of a measurement. A tie counts
    as half a win for each side; a point against itself teaches nothing. The state keeps every answer, and
    `ask` and `best` take time cubic in their number: a few hundred are fine. For more than 10 dimensions,
    use DuelingBanditGradientDescent.

    References
    ----------
    Chu, Ghahramani (2005). Preference Learning with Gaussian Processes. ICML.
    Frazier, Powell, Dayanik (2009). The Knowledge-Gradient Policy for Correlated Normal Beliefs. INFORMS
    Journal on Computing 21(4).
    Rasmussen, Williams (2006). Gaussian Processes for Machine Learning. MIT Press. Algorithms 3.1, 5.1.

    Examples
    --------
    >>> menu, rng = Box((0.0, 0.0), (1.0, 10.0)), default_rng(0)
    >>> def prefer(left, right):
    ...     return float(abs(left[0] - 0.3) + abs(left[1] - 6.0) < abs(right[0] - 0.3) + abs(right[1] - 6.0))
    >>> learner = PreferentialOptimization()
    >>> state = learner.init(menu, rng)
    >>> for _ in range(20):
    ...     duel = learner.ask(state, menu, rng)
    ...     state = learner.tell(state, duel, prefer(duel.left, duel.right))
    >>> bool(abs(learner.best(state, menu)[1] - 6.0) < 1.0)
    True
    """

    candidates: Annotated[int, Range(least=2)] = 2000
    initial: Count = 5

    card = Card(
        setting="points of a space",
        seeks="best point",
        assumes="a utility that varies smoothly over at most ten dimensions",
        regret="none proven: it spares answers, not bad showings",
        citation="Chu, Ghahramani (2005). Preference Learning with Gaussian Processes",
        unmet={
            "state_does_not_grow": "the model is a function of every answer, without a fixed-size summary",
            "finds_the_winner": FOR_FEW,
            "late_regret": FOR_FEW,
            "relabelling": FOR_FEW,
            "compiled_equals_interpreted": FOR_FEW,
        },
        rounds=16,
        example={"candidates": 40},
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def init(self, menu: Space, rng: Generator) -> State:
        """Return the state before the first duel."""
        require_generator(rng)
        if not isinstance(menu, SHAPES):
            raise ParameterError(f"menu must be a Box, a Ball or a Sphere; got {menu!r}. For arms, try RUCB.")
        if menu.d > MOST_DIMENSIONS:
            raise ParameterError(
                f"menu must have at most {MOST_DIMENSIONS} dimensions, because the model needs answers in "
                f"proportion; got {menu.d}. Use DuelingBanditGradientDescent."
            )
        region = region_of(menu)
        return State(np.empty((0, 2, menu.d)), np.empty(0), region.low, region.high, region.shape)

    def ask(self, state: State, menu: Space, rng: Generator) -> Duel:
        """Return the duel to show next, on sides drawn at random; the state stays as it is."""
        require_generator(rng)
        shown = state.pairs.reshape(-1, menu.d)
        if len(state.outcomes) < self.initial:
            left = lonely_point(state, shown, menu, rng)
            return Duel(left, lonely_point(state, np.vstack([shown, left]), menu, rng))
        posterior = self.learn(state)
        points = self.shortlist(state, posterior, menu, rng)
        pair = most_telling(posterior, unit(state, points), hopeful=1 + PROMISING)
        left, right = rng.permutation(points[list(pair)])
        return Duel(left, right)

    def shortlist(self, state: State, posterior: Posterior, menu: Space, rng: Generator) -> FloatArray:
        best, many = summit(state, posterior, menu), self.candidates // 2
        anywhere = menu.sample(rng, many)
        steps = REACH * rng.random((many, 1)) * rng.standard_normal((many, menu.d))
        near = project(menu, best + steps * (state.high - state.low))
        others, rest = anywhere[:ANYWHERE], np.vstack([anywhere[ANYWHERE:], near])
        scaled = unit(state, rest)
        promise = posterior.mean(scaled) + np.sqrt(posterior.variance(scaled))
        return np.vstack([best, rest[np.argsort(-promise)[:PROMISING]], others])

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome: 1 left wins, 0 right wins, 0.5 a tie."""
        outcome = require_outcome(outcome)
        points, space = [], space_of(state)
        for side, point in (("left", duel.left), ("right", duel.right)):
            try:
                points.append(require_inside(space, point))
            except ParameterError as error:
                raise OutcomeError(f"duel.{side} cannot be learned from: {error}") from error
        first, second = points
        if np.array_equal(first, second):
            return state
        # one order for both ways to tell a duel, so that swapped sides give the same state
        if first.tolist() > second.tolist():
            first, second, outcome = second, first, 1.0 - outcome
        pairs = np.concatenate([state.pairs.reshape(-1, 2, space.d), [[first, second]]])
        return state._replace(pairs=pairs, outcomes=np.append(state.outcomes, outcome))

    def best(self, state: State, menu: Space) -> FloatArray:
        """Return the point of the highest expected utility; the center before the first answer."""
        return summit(state, self.learn(state), menu) if len(state.outcomes) else menu.center

    def learn(self, state: State) -> Posterior:
        """Return the model of the answers so far."""
        return fit(unit(state, state.pairs), state.outcomes)
