"""Contextual duels with linear utilities and a logistic link: online regression, and two ways to explore.

The belief about the weights is a normal distribution. After each answer it is replaced by the normal
distribution that has the mode and the curvature of the exact posterior (Laplace approximation; Spiegelhalter,
Lauritzen 1990). The new mode lies on a known line, so finding it is a one-dimensional problem, and the
covariance changes by a matrix of rank one.
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

CONVERGED = 1e-15  # relative step of Newton's method at which it has converged

NEWTON_STEPS = 100  # more than are ever needed

FEATURED = -1  # used instead of the number of columns of a context if actions have their own features


class Belief(NamedTuple):
    """The belief about the weights: a normal distribution with a mean and the covariance `root @ root.T`.

    Storing a root keeps the covariance positive definite despite rounding (Potter's square-root filter).
    """

    mean: FloatArray
    root: FloatArray


def features_of(menu: Actions) -> FloatArray:
    """Return the features of every action, one row each.

    If the menu has no features, an action's features are the context and a 1, in columns that belong to the
    action alone. Every action then has separate weights; any contextual problem is linear in this sense.
    """
    if not isinstance(menu, Actions):
        raise ParameterError(f"LogisticDuels needs a menu of Actions; got {menu!r}.")
    if menu.features is not None:
        return menu.features
    crossed = np.zeros((menu.k, menu.k, len(menu.context) + 1))
    actions = np.arange(menu.k)
    crossed[actions, actions] = np.append(menu.context, 1.0)
    return crossed.reshape(menu.k, -1)


def width_of(menu: Actions) -> int:
    """Return the number of columns of the context, or FEATURED if the menu has features."""
    return len(menu.context) if menu.features is None else FEATURED


@compiled
def cross_difference(context: FloatArray, left: int, right: int, difference: FloatArray) -> None:
    """Write the left action's features minus the right's, for a menu without features (`features_of`)."""
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
        # four independent sums, which the processor computes in parallel
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
    """Write `root.T @ direction` into `spread`; return its squared length, the variance in this direction."""
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
    """Return how far the mode moves, as a multiple of the covariance times the difference of features.

    This is the solution of `pull + tanh((lead + variance * pull) / 2) / 2 == surprise`, where `lead` is the
    left action's lead in utility before the duel, and `surprise` is the outcome minus 1/2.
    """
    # Solve x + variance * tanh(x / 2) / 2 == target for the new lead x. The function is concave above 0 and
    # convex below, so Newton's method from 0 approaches the root from one side; a step back is rounding.
    target = lead + variance * surprise
    x, expected = 0.0, 0.0
    for _ in range(NEWTON_STEPS):
        step = (target - x - variance * expected) / (1.0 + variance * (0.25 - expected * expected))
        x += step
        expected = 0.5 * tanh(0.5 * x)
        if abs(step) <= CONVERGED * abs(x) or (step > 0.0) != (target > 0.0):
            break
    return surprise - expected


@compiled
def learn(belief: Belief, difference: FloatArray, outcome: float) -> None:
    """Update the belief after one duel, given the left action's features minus the right's."""
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
    """Write weights drawn from the belief, with its deviation multiplied by `width`; `noise` is a buffer."""
    for i in range(len(noise)):
        noise[i] = rng.standard_normal()
    multiply(belief.root, noise, weights)
    for i in range(len(weights)):
        weights[i] = belief.mean[i] + width * weights[i]


class State(NamedTuple):
    mean: FloatArray  # of the weights
    root: FloatArray  # square root of their covariance, root @ root.T
    told: IntArray  # one number: answers so far
    columns: IntArray  # one number: columns of a context, or FEATURED


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
    """Return the best action and the rival with the largest upper bound on its lead, if above `least`.

    If no rival's bound exceeds `least`, return the best action twice.
    """
    # the width grows with time, so no action is given up permanently after a few unlucky duels
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
    """Update the belief after each duel of a log, in order; actions have the context as features."""
    difference = np.empty(len(belief.mean))
    for duel in range(len(left)):
        cross_difference(contexts[duel], left[duel], right[duel], difference)
        learn(belief, difference, outcomes[duel])


@dataclass(frozen=True)
class LogisticDuels:
    """Learn a utility that is linear in the features of actions, from contextual duels.

    Action a beats b with probability 1 / (1 + e^-x), where x is the difference of their utilities. The same
    weights apply to all contexts and actions, including new ones. If the menu has no features, every action
    has separate weights for the columns of the context.

    Parameters
    ----------
    choice : {"thompson", "optimistic"}, default "thompson"
        How the two actions are chosen. "thompson": each is the best action under weights drawn from the
        posterior. "optimistic": the action with the highest mean utility meets the rival with the largest
        upper bound on its lead.
    prior : float, default 1.0
        Standard deviation of each weight before the first duel; 1 / prior² is the penalty on squared weights.
    width : float, default 1.0
        Exploration: a factor of the standard deviation of the weights. With "optimistic" it also grows with
        the root of the logarithm of time.

    Notes
    -----
    The two actions may be the same: such a duel costs nothing if the action is the best one, whereas two
    different actions would always cost the gap of the second best. Two draws differ as long as the best
    action is uncertain. On a menu without self-duels, they are drawn until they differ, at most 100 times;
    after that, the two actions are chosen as with "optimistic".

    The posterior is a Laplace approximation, updated after each answer in time quadratic in the number of
    weights (see `learn`). Answers may come late: their order affects only the error of the approximation. A
    duel's `note` is the difference of the two actions' features.

    "thompson" draws both actions, as Wu and Liu do without contexts. "optimistic" takes the rival from
    CoLSTIM and the first action from the mean weights, without CoLSTIM's perturbation. It repeats a duel
    until it is told the answer, so use "thompson" if many duels are open at once.

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
        regret="not proven for these choices of actions",
        citation="Saha (2021). Optimal algorithms for stochastic contextual preference bandits",
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def init(self, menu: Actions, rng: Generator) -> State:
        """Return the state before the first duel, in which all weights have mean 0.

        Parameters
        ----------
        menu : Actions
            The actions and a first context; only the number of features matters.
        rng : numpy.random.Generator
            Not used, because the initial state is not random.

        Returns
        -------
        State
            A NamedTuple of arrays.

        Raises
        ------
        ParameterError
            If the menu is not `Actions`.
        """
        require_generator(rng)
        f = features_of(menu).shape[1]
        told, columns = np.zeros(1, np.int64), np.full(1, width_of(menu), np.int64)
        return State(np.zeros(f), np.eye(f) * float(self.prior), told, columns)

    def ask(self, state: State, menu: Actions, rng: Generator) -> Duel:
        """Return the duel to show next; the state does not change.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Actions
            The actions and the context.
        rng : numpy.random.Generator
            Random number generator for this duel.

        Returns
        -------
        Duel
            Two numbers of actions; the note is the difference of their features.

        Raises
        ------
        ParameterError
            If the menu does not fit the state.
        """
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
        """Return the state after an outcome; the old state does not change.

        Parameters
        ----------
        state : State
            What the learner knows.
        duel : Duel
            The duel, as returned by `ask`.
        outcome : float
            1 if the left action won, 0 if the right action won, 0.5 for a tie.

        Returns
        -------
        State
            The new state.

        Raises
        ------
        OutcomeError
            If the duel or the outcome is invalid.
        """
        value = require_outcome(outcome)
        told = State(state.mean.copy(), state.root.copy(), state.told + 1, state.columns.copy())
        learn(Belief(told.mean, told.root), difference_in(state, duel), value)
        return told

    def best(self, state: State, menu: Actions) -> int:
        """Return the action with the highest mean utility in the menu's context.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Actions
            The actions and the context.

        Returns
        -------
        int
            The number of an action.
        """
        return int(np.argmax(known_features(state, menu) @ state.mean))

    def fit(self, log: DuelLog) -> PolicyMixture:
        """Learn from a log, and return the policy that chooses the best action in every context.

        The log's propensities are not used, because the choice of a pair does not affect which one wins.

        Parameters
        ----------
        log : DuelLog
            Duels with their contexts and outcomes.

        Returns
        -------
        PolicyMixture
            A mixture of one linear policy.
        """
        f = log.k * (log.d + 1)
        belief = Belief(np.zeros(f), np.eye(f) * float(self.prior))
        learn_log(belief, log.contexts, log.left, log.right, log.outcomes)
        costs = -belief.mean.reshape(log.k, -1)
        policy = CheapestPolicy(LinearModel(costs[:, :-1], costs[:, -1]))
        made = {"learner": type(self).__name__, "prior": float(self.prior), "duels": len(log)}
        return PolicyMixture([policy], np.ones(1), log.actions, log.columns, made)


def known_features(state: State, menu: Actions) -> FloatArray:
    features = features_of(menu)
    if features.shape[1] != len(state.mean) or width_of(menu) != state.columns[0]:
        kind = "features" if state.columns[0] == FEATURED else "no features"
        raise ParameterError(
            f"the menu must have {kind} and {len(state.mean)} weights, like the first menu; got {menu!r}."
        )
    return features


def difference_in(state: State, duel: Duel) -> FloatArray:
    """Return the difference of features of a duel: its note, or computed from the context if possible."""
    f, columns = len(state.mean), int(state.columns[0])
    if duel.note is not None:
        difference = np.ascontiguousarray(duel.note, np.float64)
        if difference.shape != (f,) or not np.isfinite(difference).all():
            raise OutcomeError(
                f"duel.note must be {f} finite numbers, the difference of the two actions' features; got "
                f"{duel.note!r}."
            )
        return difference
    if duel.context is None or columns == FEATURED:
        raise OutcomeError(
            "duel.note, the difference of features, is missing; tell the duel that ask() returned."
        )
    context = np.ascontiguousarray(duel.context, np.float64)
    if context.shape != (columns,) or not np.isfinite(context).all():
        raise OutcomeError(f"duel.context must be {columns} finite numbers; got {duel.context!r}.")
    k = f // (columns + 1)
    left, right = require_arm("left", duel.left, k), require_arm("right", duel.right, k)
    difference = np.empty(f)
    cross_difference(context, left, right, difference)
    return difference
