"""Preferential Bayesian optimisation: Chu and Ghahramani's model (2005) with the knowledge gradient."""

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

RIVALS = 16  # points drawn for each side of the first duels; the one farthest from all earlier points is used

PROMISING, ANYWHERE = 60, 100
"""Number of candidates on the shortlist: the most promising ones, and random ones."""

AT_ONCE = 512
"""Pairs compared at once: if all of their values fit into the processor's cache, it takes half the time."""

CLOUD, ROUNDS = 64, 20  # points per round of the search for the highest mean, and number of rounds

REACH = 0.2  # the largest deviation, in widths of the space, of points drawn near the best one

FOR_FEW = "it is designed for tens of answers, not for the thousands of rounds that this check plays"


class State(NamedTuple):
    """All answers, and the space."""

    pairs: FloatArray  # pairs[i]: the points of duel i, sorted by their coordinates
    outcomes: FloatArray  # outcomes[i]: 1 if the first of them won, 0 if the second did
    low: FloatArray  # the bounds of the space
    high: FloatArray
    shape: IntArray  # the kind of space, an index into SHAPES


def space_of(state: State) -> Space:
    """Return the space for which the state was initialised."""
    shape = SHAPES[state.shape[0]]
    if shape is Box:
        return Box(tuple(state.low.tolist()), tuple(state.high.tolist()))
    return Sphere(len(state.low)) if shape is Sphere else Ball(len(state.low), float(state.high[0]))


def unit(state: State, points: FloatArray) -> FloatArray:
    """Return points in the coordinates of the unit box, which the model uses."""
    return np.asarray((points - state.low) / (state.high - state.low))


def project(menu: Space, points: FloatArray) -> FloatArray:
    """Return the nearest points of the space, one per row."""
    if isinstance(menu, Box):
        return np.clip(points, menu.low, menu.high)
    return np.array([menu.project(point) for point in points])


def distant_point(state: State, shown: FloatArray, menu: Space, rng: Generator) -> FloatArray:
    """Return a point far from all points shown so far (Mitchell's best candidate)."""
    rivals = menu.sample(rng, RIVALS)
    gaps = unit(state, rivals)[:, None] - unit(state, shown)
    distance = np.min(np.linalg.norm(gaps, axis=-1), axis=1, initial=np.inf)
    return np.asarray(rivals[np.argmax(distance)])


def highest_mean(state: State, posterior: Posterior, menu: Space) -> FloatArray:
    """Return the point with the highest mean: a random search around the best point found so far.

    The search radius is halved whenever a round finds no better point. The seed is fixed, so the result
    depends on the answers only.
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


def most_valuable_pair(posterior: Posterior, points: FloatArray, promising: int) -> tuple[int, int]:
    """Return the two points whose duel has the largest expected value of the highest mean after its answer.

    The gap between the two points is Gaussian. Given the answer, its mean shifts by an integral over the
    logistic link, and all other means shift according to their covariance with it. The highest mean is taken
    over the first `promising` points only.
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
    means, shared = mean[:promising], np.ascontiguousarray(covariance[:promising].T)
    value = np.empty(len(left))
    for start in range(0, len(left), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        shift = (shared[left[some]] - shared[right[some]]) * tilt[some, None]
        won, lost = means * chance[some, None] + shift, means * (1.0 - chance[some, None]) - shift
        value[some] = won.max(axis=1) + lost.max(axis=1)
    top = np.argmax(value)
    return int(left[top]), int(right[top])


@dataclass(frozen=True)
class PreferentialOptimization:
    """Find the best point of a low-dimensional space with few answers.

    Utility is modelled as a Gaussian process and observed only through duels. After a few duels spread over
    the space, each next duel is the one whose answer is expected to raise the utility of `best` the most,
    even if both of its points are mediocre. Needs a smooth utility; there is no guarantee.

    Parameters
    ----------
    candidates : int, default 2000
        Number of points considered for the next duel: half of them anywhere, half near the best point.
    initial : int, default 5
        Number of duels spread over the space before the model is used.

    Notes
    -----
    Deviations from Chu and Ghahramani: the link is logistic instead of probit, which is more robust to wrong
    answers; the kernel is Matern 5/2 with one length per coordinate; the scales maximise the evidence times a
    log-normal prior. Their paper does not say which duel to ask next: this is the knowledge gradient of
    Frazier, Powell and Dayanik over all pairs of a shortlist, with the outcome of a duel as the measurement.
    A tie counts as half a win for each side; a duel of a point with itself is ignored. The state keeps all
    answers, and the time of `ask` and `best` is cubic in their number: a few hundred are fine. For more than
    10 dimensions, use DuelingBanditGradientDescent.

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
        assumes="a smooth utility over at most ten dimensions",
        regret="not proven: it minimises the number of answers, not the number of bad choices shown",
        citation="Chu, Ghahramani (2005). Preference Learning with Gaussian Processes",
        unmet={
            "state_does_not_grow": "the model depends on all answers, and has no fixed-size summary",
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
        """Return the state before the first duel.

        Parameters
        ----------
        menu : Ball, Sphere or Box
            The space, of at most 10 dimensions.
        rng : numpy.random.Generator
            Not used, because the initial state is not random.

        Returns
        -------
        State
            A NamedTuple of arrays, which grows with every answer.

        Raises
        ------
        ParameterError
            If the menu is not a space, or has too many dimensions.
        """
        require_generator(rng)
        if not isinstance(menu, SHAPES):
            raise ParameterError(f"menu must be a Box, Ball or Sphere; got {menu!r}. For arms, use RUCB.")
        if menu.d > MOST_DIMENSIONS:
            raise ParameterError(
                f"menu must have at most {MOST_DIMENSIONS} dimensions, because more dimensions need too many "
                f"answers; got {menu.d}. Use DuelingBanditGradientDescent."
            )
        region = region_of(menu)
        return State(np.empty((0, 2, menu.d)), np.empty(0), region.low, region.high, region.shape)

    def ask(self, state: State, menu: Space, rng: Generator) -> Duel:
        """Return the duel to show next, with random sides; the state does not change.

        Parameters
        ----------
        state : State
            The answers so far.
        menu : Ball, Sphere or Box
            The space.
        rng : numpy.random.Generator
            Random number generator for this duel.

        Returns
        -------
        Duel
            Two points of the space.
        """
        require_generator(rng)
        shown = state.pairs.reshape(-1, menu.d)
        if len(state.outcomes) < self.initial:
            left = distant_point(state, shown, menu, rng)
            return Duel(left, distant_point(state, np.vstack([shown, left]), menu, rng))
        posterior = self.learn(state)
        points = self.shortlist(state, posterior, menu, rng)
        pair = most_valuable_pair(posterior, unit(state, points), promising=1 + PROMISING)
        left, right = rng.permutation(points[list(pair)])
        return Duel(left, right)

    def shortlist(self, state: State, posterior: Posterior, menu: Space, rng: Generator) -> FloatArray:
        best, many = highest_mean(state, posterior, menu), self.candidates // 2
        anywhere = menu.sample(rng, many)
        steps = REACH * rng.random((many, 1)) * rng.standard_normal((many, menu.d))
        near = project(menu, best + steps * (state.high - state.low))
        others, rest = anywhere[:ANYWHERE], np.vstack([anywhere[ANYWHERE:], near])
        scaled = unit(state, rest)
        promise = posterior.mean(scaled) + np.sqrt(posterior.variance(scaled))
        return np.vstack([best, rest[np.argsort(-promise)[:PROMISING]], others])

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome; the old state does not change.

        Parameters
        ----------
        state : State
            The answers so far.
        duel : Duel
            The duel, as returned by `ask`.
        outcome : float
            1 if the left point won, 0 if the right point won, 0.5 for a tie.

        Returns
        -------
        State
            The new state.

        Raises
        ------
        OutcomeError
            If a point lies outside the space, or the outcome is invalid.
        """
        outcome = require_outcome(outcome)
        points, space = [], space_of(state)
        for side, point in (("left", duel.left), ("right", duel.right)):
            try:
                points.append(require_inside(space, point))
            except ParameterError as error:
                raise OutcomeError(f"duel.{side} is invalid: {error}") from error
        first, second = points
        if np.array_equal(first, second):
            return state
        # sorted, so that swapping the sides gives the same state
        if first.tolist() > second.tolist():
            first, second, outcome = second, first, 1.0 - outcome
        pairs = np.concatenate([state.pairs.reshape(-1, 2, space.d), [[first, second]]])
        return state._replace(pairs=pairs, outcomes=np.append(state.outcomes, outcome))

    def best(self, state: State, menu: Space) -> FloatArray:
        """Return the point with the highest expected utility, or the center before the first answer.

        Parameters
        ----------
        state : State
            The answers so far.
        menu : Ball, Sphere or Box
            The space.

        Returns
        -------
        array of shape (d,)
            A point of the space.
        """
        return highest_mean(state, self.learn(state), menu) if len(state.outcomes) else menu.center

    def learn(self, state: State) -> Posterior:
        return fit(unit(state, state.pairs), state.outcomes)
