"""Contextual duels of linear utilities behind a logistic link: online regression, two ways to explore.

What is believed of the weights is a normal distribution. After each answer it is replaced by the normal
distribution with the mode and the curvature of the exact posterior (Laplace's approximation; Spiegelhalter,
Lauritzen 1990). The new mode lies on a known line, so it is found exactly with one unknown, and the
covariance changes by rank one.
"""

from dataclasses import dataclass
from math import e, log, sqrt, tanh
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Positive, check_fields
from duelist.duel import Duel, FloatArray, IntArray, require_arm
from duelist.errors import OutcomeError, ParameterError, require_generator, require_outcome
from duelist.kernels.compile import compiled
from duelist.learners.contextual.different import draw_different
from duelist.logs import DuelLog
from duelist.menus import Actions
from duelist.policies.mixture import PolicyMixture
from duelist.policies.models import LinearModel
from duelist.policies.scored import CheapestPolicy

Choice: TypeAlias = Literal["thompson", "optimistic"]
"""How the two actions of a duel are chosen."""

SETTLED = 1e-15  # a relative step of Newton's method as short as this has arrived

NEWTON_STEPS = 100  # more than are ever needed

FEATURED = -1  # stands for the number of columns of a context where actions have features of their own


class Belief(NamedTuple):
    """What is believed of the weights: normal, with a mean and the covariance `root @ root.T`.

    Kept as a root, the covariance stays positive whatever the rounding (Potter's square-root filter).
    """

    mean: FloatArray
    root: FloatArray


def features_of(menu: Actions) -> FloatArray:
    """Return the features of every action, a row each.

    Where the menu has none, an action's features are the context and a 1, in columns of the action's own, so
    that every action has weights of its own: any contextual problem is linear in this sense.
    """
    if not isinstance(menu, Actions):
        raise ParameterError(f"this learner needs Actions, in a context, to choose from; got {menu!r}.")
    if menu.features is not None:
        return menu.features
    crossed = np.zeros((menu.k, menu.k, len(menu.context) + 1))
    actions = np.arange(menu.k)
    crossed[actions, actions] = np.append(menu.context, 1.0)
    return crossed.reshape(menu.k, -1)


def width_of(menu: Actions) -> int:
    """Return the number of columns of a context that is weighed, or FEATURED."""
    return len(menu.context) if menu.features is None else FEATURED


@compiled
def cross_difference(context: FloatArray, left: int, right: int, difference: FloatArray) -> None:
    """Write the left action's features minus the right's, where an action's are the context and a 1."""
    d = len(context)
    difference[:] = 0.0
    for i in range(d + 1):
        known = context[i] if i < d else 1.0
        difference[left * (d + 1) + i] += known
        difference[right * (d + 1) + i] -= known


@compiled
def multiply(table: FloatArray, vector: FloatArray, product: FloatArray) -> None:
    d = len(vector)
    whole = d - d % 4
    for i in range(len(product)):
        # four sums that do not wait for each other
        a, b, c, e = 0.0, 0.0, 0.0, 0.0
        for j in range(0, whole, 4):
            a += table[i, j] * vector[j]
            b += table[i, j + 1] * vector[j + 1]
            c += table[i, j + 2] * vector[j + 2]
            e += table[i, j + 3] * vector[j + 3]
        for j in range(whole, d):
            a += table[i, j] * vector[j]
        product[i] = (a + b) + (c + e)


@compiled
def unroot(belief: Belief, direction: FloatArray, spread: FloatArray) -> float:
    """Write `root.T @ direction`, and return its squared length: the variance along the direction."""
    spread[:] = 0.0
    for i in range(len(direction)):
        share = direction[i]
        if share != 0.0:
            for j in range(len(spread)):
                spread[j] += share * belief.root[i, j]
    variance = 0.0
    for j in range(len(spread)):
        variance += spread[j] * spread[j]
    return variance


@compiled
def find_pull(lead: float, variance: float, surprise: float) -> float:
    """Return how far the mode moves along the covariance times the features' difference.

    That is the pull for which `pull + tanh((lead + variance * pull) / 2) / 2 == surprise`, where the lead is
    that of the left action before, and the surprise the outcome minus 1/2.
    """
    # In the new lead, x + variance * tanh(x / 2) / 2 is to be `target`. It is concave above 0 and convex
    # below, so that Newton's method from 0 goes one way; a step back is rounding.
    target = lead + variance * surprise
    x, expected = 0.0, 0.0
    for _ in range(NEWTON_STEPS):
        step = (target - x - variance * expected) / (1.0 + variance * (0.25 - expected * expected))
        x += step
        expected = 0.5 * tanh(0.5 * x)
        if abs(step) <= SETTLED * abs(x) or (step > 0.0) != (target > 0.0):
            break
    return surprise - expected


@compiled
def learn(belief: Belief, difference: FloatArray, outcome: float) -> None:
    """Learn from one duel: the left action's features minus the right's, and the outcome."""
    f = len(difference)
    spread = np.empty(f)
    variance = unroot(belief, difference, spread)
    if variance == 0.0:
        return
    lead = 0.0
    for i in range(f):
        lead += belief.mean[i] * difference[i]
    pull = find_pull(lead, variance, outcome - 0.5)
    expected = 0.5 * tanh(0.5 * (lead + variance * pull))
    curvature = 0.25 - expected * expected
    shrink = (1.0 - 1.0 / sqrt(1.0 + curvature * variance)) / variance
    along = np.empty(f)
    multiply(belief.root, spread, along)
    for i in range(f):
        belief.mean[i] += pull * along[i]
        less = shrink * along[i]
        for j in range(f):
            belief.root[i, j] -= less * spread[j]


@compiled
def draw_weights(
    belief: Belief, width: float, noise: FloatArray, weights: FloatArray, rng: Generator
) -> None:
    """Write weights drawn from the belief, its deviation multiplied by the width; `noise` is a buffer."""
    for i in range(len(noise)):
        noise[i] = rng.standard_normal()
    multiply(belief.root, noise, weights)
    for i in range(len(weights)):
        weights[i] = belief.mean[i] + width * weights[i]


class State(NamedTuple):
    mean: FloatArray  # of the weights
    root: FloatArray  # of their covariance, which is root @ root.T
    told: IntArray  # one number: answers so far
    columns: IntArray  # one number: those of a context, or FEATURED


@compiled
def best_of_draw(width: float, belief: Belief, features: FloatArray, rng: Generator) -> int:
    """Return the best action under weights drawn from the belief."""
    f = len(belief.mean)
    weights, noise, utilities = np.empty(f), np.empty(f), np.empty(len(features))
    draw_weights(belief, width, noise, weights, rng)
    multiply(features, weights, utilities)
    return int(np.argmax(utilities))


@compiled
def optimistic_pair(
    width: float, told: int, belief: Belief, features: FloatArray, least: float
) -> tuple[int, int]:
    """Return the best action, and the one that may beat it by most, and more than `least`; else itself."""
    # growing with time, so that no action is given up for ever after bad luck
    deviations = width * sqrt(log(e + told))
    k, f = features.shape
    utilities, difference, spread = np.empty(k), np.empty(f), np.empty(f)
    multiply(features, belief.mean, utilities)
    left = right = int(np.argmax(utilities))
    highest = least
    for rival in range(k):
        if rival != left:
            for i in range(f):
                difference[i] = features[rival, i] - features[left, i]
            reach = deviations * sqrt(unroot(belief, difference, spread))
            lead = utilities[rival] - utilities[left] + reach
            if lead > highest:
                highest, right = lead, rival
    return left, right


@compiled
def learn_log(
    belief: Belief, contexts: FloatArray, left: IntArray, right: IntArray, outcomes: FloatArray
) -> None:
    """Learn from duels of actions that have the context for features, in their order."""
    difference = np.empty(len(belief.mean))
    for duel in range(len(left)):
        cross_difference(contexts[duel], left[duel], right[duel], difference)
        learn(belief, difference, outcomes[duel])


@dataclass(frozen=True)
class LogisticDuels:
    """Choose by features: an action's utility is a weighted sum of them, for weights to be learned.

    Action a beats b with probability 1 / (1 + e^-x), where x is the difference of their utilities. One table
    of weights serves all contexts and actions, also those never seen. Where the menu has no features, every
    action weighs the context with weights of its own.

    Parameters
    ----------
    choice : {"thompson", "optimistic"}, default "thompson"
        "thompson": each action is the best under weights of its own, drawn from what is believed of them.
        "optimistic": the action believed best meets the one that may beat it by most.
    prior : float, default 1.0
        The deviation of each weight before the first duel; 1 / prior² is the penalty on squared weights.
    width : float, default 1.0
        How much to explore: a factor of the deviation of the weights; in optimism, also grows with the root
        of the logarithm of time.

    Notes
    -----
    The two actions may be the same: such a duel costs nothing if the action is best, and to demand two would
    cost the gap of the second best for ever. Two draws differ as long as it is in doubt which action is best.
    On a menu without self-duels they are drawn until they differ, 100 times at most; then the best action
    meets the one that may beat it by most.

    What is believed is Laplace's approximation, renewed after each answer (see `learn`), in time
    that is quadratic in the number of weights. Answers may come late; their order matters only as much as the
    approximation does. A duel's `note` is the difference of the two actions' features.

    "thompson" draws both actions, as Wu and Liu do without contexts. "optimistic" takes the rival from
    CoLSTIM and the first action from the mean weights, without CoLSTIM's perturbation. It repeats a duel
    until it is told an answer, so "thompson" is for many duels that are open at once.

    References
    ----------
    Saha (2021). Optimal algorithms for stochastic contextual preference bandits. NeurIPS.
    Bengs, Saha, Hüllermeier (2022). Stochastic contextual dueling bandits under linear stochastic
    transitivity models. ICML. CoLSTIM.
    Wu, Liu (2016). Double Thompson sampling for dueling bandits. NeurIPS.
    Spiegelhalter, Lauritzen (1990). Sequential updating of conditional probabilities on directed graphical
    structures. Networks.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> learner, menu = LogisticDuels(), Actions(3, [], features=[[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    >>> state = learner.init(menu, rng)
    >>> for _ in range(200):
    ...     duel = learner.ask(state, menu, rng)
    ...     lead = menu.features[duel.left, 0] - menu.features[duel.right, 0]
    ...     state = learner.tell(state, duel, float(rng.random() < 1.0 / (1.0 + np.exp(-4.0 * lead))))
    >>> learner.best(state, menu)
    1
    """

    choice: Choice = "thompson"
    prior: Positive = 1.0
    width: Positive = 1.0

    card = Card(
        setting="contexts",
        seeks="best action in each context",
        assumes="utilities that are linear in known features, behind a logistic link",
        regret="none proven for these choices of actions",
        citation="Saha (2021). Optimal algorithms for stochastic contextual preference bandits",
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def init(self, menu: Actions, rng: Generator) -> State:
        """Return the state before the first duel: no action is better."""
        require_generator(rng)
        f = features_of(menu).shape[1]
        told, columns = np.zeros(1, np.int64), np.full(1, width_of(menu), np.int64)
        return State(np.zeros(f), np.eye(f) * float(self.prior), told, columns)

    def ask(self, state: State, menu: Actions, rng: Generator) -> Duel:
        """Return the duel to show next; the state stays as it is."""
        require_generator(rng)
        features = known_features(state, menu)
        belief, width = Belief(state.mean, state.root), float(self.width)

        def draw() -> Duel:
            left = best_of_draw(width, belief, features, rng)
            return Duel(left, best_of_draw(width, belief, features, rng))

        duel = Duel(0, 0)
        if self.choice == "thompson":
            duel = draw() if menu.self_duels else draw_different(draw)
        if self.choice == "optimistic" or (duel.left == duel.right and not menu.self_duels):
            least = 0.0 if menu.self_duels else -np.inf
            duel = Duel(*optimistic_pair(width, int(state.told[0]), belief, features, least))
        return duel._replace(note=features[duel.left] - features[duel.right], context=menu.context)

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome: 1 left wins, 0 right wins, 0.5 a tie."""
        value = require_outcome(outcome)
        told = State(state.mean.copy(), state.root.copy(), state.told + 1, state.columns.copy())
        learn(Belief(told.mean, told.root), difference_in(state, duel), value)
        return told

    def best(self, state: State, menu: Actions) -> int:
        """Return the action believed to be best in the menu's context."""
        return int(np.argmax(known_features(state, menu) @ state.mean))

    def fit(self, log: DuelLog) -> PolicyMixture:
        """Return what is believed to be best in every context, learned from a log: one policy, linear.

        The log's propensities are not needed: which pair was shown does not change who of them wins.
        """
        f = log.k * (log.d + 1)
        belief = Belief(np.zeros(f), np.eye(f) * float(self.prior))
        learn_log(belief, log.contexts, log.left, log.right, log.outcomes)
        costs = -belief.mean.reshape(log.k, -1)
        policy = CheapestPolicy(LinearModel(costs[:, :-1], costs[:, -1]))
        made = {"learner": type(self).__name__, "prior": float(self.prior), "duels": len(log)}
        return PolicyMixture([policy], np.ones(1), log.actions, log.columns, made)


def known_features(state: State, menu: Actions) -> FloatArray:
    """Return the features of a menu's actions, or say that they are not those of the first menu."""
    features = features_of(menu)
    if features.shape[1] != len(state.mean) or width_of(menu) != state.columns[0]:
        kind = "features of their own" if state.columns[0] == FEATURED else "no features of their own"
        raise ParameterError(
            f"the actions must have {kind} and {len(state.mean)} weights, as at the start; got {menu!r}."
        )
    return features


def difference_in(state: State, duel: Duel) -> FloatArray:
    """Return the difference of features in a duel: noted, or made from the context where that is enough."""
    f, columns = len(state.mean), int(state.columns[0])
    if duel.note is not None:
        difference = np.ascontiguousarray(duel.note, np.float64)
        if difference.shape != (f,) or not np.isfinite(difference).all():
            raise OutcomeError(
                f"duel.note must be {f} finite numbers, the difference of two actions' features; got "
                f"{duel.note!r}."
            )
        return difference
    if duel.context is None or columns == FEATURED:
        raise OutcomeError("the duel has no note of its actions' features; tell the duel that was asked.")
    context = np.ascontiguousarray(duel.context, np.float64)
    if context.shape != (columns,) or not np.isfinite(context).all():
        raise OutcomeError(f"duel.context must be {columns} finite numbers; got {duel.context!r}.")
    k = f // (columns + 1)
    left, right = require_arm("left", duel.left, k), require_arm("right", duel.right, k)
    difference = np.empty(f)
    cross_difference(context, left, right, difference)
    return difference
