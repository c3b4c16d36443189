"""Sparring EXP4.P: two copies of a bandit algorithm duel each other (Dudik et al., COLT 2015).

EXP4.P is Algorithm 1 of Beygelzimer, Langford, Li, Reyzin, Schapire (2011). Contextual bandit algorithms with
supervised learning guarantees. AISTATS. Its experts are deterministic policies. In each round, all policies
that choose the same action get the same factor: one exponential per action, one product per policy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log, sqrt
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.card import Card
from duelist.constraints import Chance, Count, check_values
from duelist.duel import Duel, FloatArray, IntArray, require_arm
from duelist.errors import OutcomeError, ParameterError, require_generator
from duelist.kernels.compile import compiled
from duelist.kernels.contexts import ActionMenu, action_menu
from duelist.kernels.duels import DuelBuffer, arm_buffer
from duelist.kernels.loop import Kernels
from duelist.learners.base import KernelLearner, folding, playing
from duelist.learners.contextual.different import draw_different, given_different
from duelist.menus import Actions
from duelist.policies.finite import FinitePolicies, context_numbers
from duelist.policies.mixture import PolicyMixture
from duelist.preferences import ROUNDING

FAINTEST = 1e-300
"""The smallest weight of a policy; no weight underflows to zero, so every policy can recover."""


class Rules(NamedTuple):
    advice: IntArray  # one row per context: every policy's action
    k: int
    least: float  # p_min, the smallest probability of an action
    bonus: float  # uncertainty bonus of a policy in every round, as a factor of 1 / p


def rules_for(advice: IntArray, k: int, horizon: int, delta: float) -> Rules:
    """Return the rules with the paper's parameters for a horizon.

    For horizons shorter than K ln N, the paper's p_min exceeds 1 / K; it is then set to 1 / K, which makes
    all actions equally likely.
    """
    policies = advice.shape[1]
    least = min(sqrt(log(policies) / (k * horizon)), 1.0 / k)
    return Rules(np.ascontiguousarray(advice), int(k), least, sqrt(log(policies / delta) / (k * horizon)))


@compiled
def shares_of(weights: FloatArray, advice: IntArray, shares: FloatArray) -> None:
    shares[:] = 0.0
    for policy in range(len(weights)):
        shares[advice[policy]] += weights[policy]
    shares /= shares.sum()


@compiled
def chances_of(rules: Rules, weights: FloatArray, context: int, chances: FloatArray) -> None:
    """Write the probability of each action: its share, mixed so that none is below p_min."""
    shares_of(weights, rules.advice[context], chances)
    for action in range(rules.k):
        chances[action] = (1.0 - rules.k * rules.least) * chances[action] + rules.least


@compiled
def choose(rules: Rules, weights: FloatArray, context: int, chances: FloatArray, rng: Generator) -> int:
    """Write the probability of each action, and return a random action."""
    chances_of(rules, weights, context, chances)
    left = rng.random() * chances.sum()
    action = 0
    while action < rules.k - 1 and left >= chances[action]:
        left -= chances[action]
        action += 1
    return action


@compiled
def reward(
    rules: Rules, weights: FloatArray, context: int, chances: FloatArray, shown: int, gained: float
) -> None:
    """Update the weights after an action drawn with these probabilities gained between 0 and 1."""
    advice = rules.advice[context]
    factors, shares = np.empty(rules.k), np.empty(rules.k)
    for action in range(rules.k):
        estimate = gained / chances[action] if action == shown else 0.0
        factors[action] = exp(0.5 * rules.least * (estimate + rules.bonus / chances[action]))
    shares_of(weights, advice, shares)
    factors /= (shares * factors).sum()
    for policy in range(len(weights)):
        weights[policy] = max(weights[policy] * factors[advice[policy]], FAINTEST)


class State(NamedTuple):
    left: FloatArray  # the left copy's weights of the policies, which sum to 1
    right: FloatArray  # the right copy's weights
    totals: FloatArray  # the sum over rounds of the mean weights of both copies
    told: IntArray  # one number: rounds so far


@compiled
def ask(rules: Rules, state: State, menu: ActionMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Let each copy choose an action; the note holds the probabilities of all actions on each side."""
    context = menu.context[0]
    duel.context[0] = context
    duel.sides[0] = choose(rules, state.left, context, duel.note[0], rng)
    duel.sides[1] = choose(rules, state.right, context, duel.note[1], rng)
    duel.propensity[0] = duel.note[0, duel.sides[0]]
    duel.propensity[1] = duel.note[1, duel.sides[1]]


@compiled
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Reward the left copy with the outcome, and the right copy with one minus the outcome."""
    context = duel.context[0]
    for policy in range(len(state.totals)):
        state.totals[policy] += 0.5 * (state.left[policy] + state.right[policy])
    state.told[0] += 1
    reward(rules, state.left, context, duel.note[0], duel.sides[0], outcome)
    reward(rules, state.right, context, duel.note[1], duel.sides[1], 1.0 - outcome)


@compiled
def best(rules: Rules, state: State, menu: ActionMenu, answer: FloatArray) -> None:
    """Fill in the probability of each action in each context, averaged over all rounds."""
    weights = state.totals if state.told[0] > 0 else state.left
    for context in range(len(answer)):
        shares_of(weights, rules.advice[context], answer[context])


play = playing(ask, tell, best)
fold = folding(tell)


@dataclass(frozen=True, eq=False, init=False)
class SparringEXP4P(KernelLearner[State]):
    """Find a von Neumann winner among finitely many policies by letting two copies of EXP4.P play each other.

    One copy chooses the left action, the other copy the right action, and the winner is rewarded. With
    probability 1 - delta, regret is at most `bounds.sparring_exp4p_upper_bound`, even against an adversary;
    regret per round falls as sqrt(K ln(N / delta) / T). A round takes time proportional to the number of
    policies.

    Parameters
    ----------
    policies : FinitePolicies or array of shape (policies, contexts)
        The policies to choose from, at least two; `policies[policy, context]` is the number of an action.
    horizon : int
        Number of rounds T, which determines the amount of exploration.
    delta : float, default 0.05
        Probability that the bound on regret fails; each copy uses a quarter of it.
    actions : int or sequence of str, optional
        The number of actions, or their names; by default the actions that some policy chooses.

    Notes
    -----
    Deviations from the paper, and choices that it leaves open:

    - The smallest probability of an action is p_min = sqrt(ln N / (K T)), limited to 1 / K for horizons below
      K ln N, for which nothing is proven. Rounds beyond the horizon are played in the same way.
    - The proof of EXP4.P needs a class with a policy that chooses at random; the proof in docs/proofs.md does
      not. Rewards in the paper range from -1 to 1, here from 0 to 1.
    - The answer, `winner`, averages the distributions of *both* copies over all rounds; the paper averages
      one copy's. Up to exploration and chance, no policy gains more over this average than the regret.
    - Weights are normalised and stay above 1e-300, so a policy that fell far behind can recover.
    - The duel's `note` holds the probabilities of all actions, which a late answer needs. A duel without a
      note was not asked by this learner: its propensity, at least p_min, and the current probabilities are
      used instead; without a propensity, nothing is learned from it.
    - On a menu without self-duels, which the paper does not consider, both actions are drawn until they
      differ. Probabilities are conditional on that, and at least p_min. The bound on regret is not proven for
      this case.

    References
    ----------
    Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. SparringEXP4.P.
    Beygelzimer, Langford, Li, Reyzin, Schapire (2011). Contextual bandit algorithms with supervised learning
    guarantees. AISTATS. Algorithm 1.

    Examples
    --------
    Rock, paper and scissors in one context, an easy choice in the other.

    >>> from itertools import product
    >>> from duelist.problems.cyclic_contexts import cyclic_contexts
    >>> problem = cyclic_contexts(hard=1, easy=1)
    >>> learner = SparringEXP4P(list(product(range(3), repeat=2)), horizon=3000)
    >>> rng = np.random.default_rng(0)
    >>> state = learner.init(problem.menu(rng), rng)
    >>> for _ in range(3000):
    ...     duel = learner.ask(state, problem.menu(rng), rng)
    ...     state = learner.tell(state, duel, problem.play(duel, rng))
    >>> learner.winner(state)
    PolicyMixture(9 policies over 3 actions)
    """

    policies: FinitePolicies = field(repr=False)
    horizon: int
    delta: float
    actions: tuple[str, ...]
    _rules: Rules = field(init=False, repr=False)

    card = Card(
        setting="contexts",
        seeks="von Neumann winner among policies",
        assumes="nothing about the preferences; finitely many contexts and policies",
        regret="O(sqrt(K T ln(N / delta))) with probability 1 - delta, even against an adversary",
        citation="Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits",
        needs_horizon=True,
        needs_propensities=True,
        unmet={"swapped_sides": "each side is chosen by a separate copy, and only this copy learns from it"},
        example={"policies": [[a, b] for a in range(3) for b in range(3)], "horizon": 5_000},
    )
    kernels = Kernels(ask, tell, best, play, fold)
    context_size: ClassVar[int] = 1

    def __init__(
        self,
        policies: FinitePolicies | ArrayLike,
        horizon: Count,
        delta: Chance = 0.05,
        actions: int | Sequence[str] | None = None,
    ) -> None:
        known = policies if isinstance(policies, FinitePolicies) else FinitePolicies(policies)
        if len(known) < 2:
            raise ParameterError(f"policies must contain at least two policies; got {len(known)}.")
        check_values(type(self), horizon=horizon, delta=delta)
        names = known.action_names(actions)
        rules = rules_for(known.actions.T, len(names), int(horizon), float(delta) / 4.0)
        vars(self).update(policies=known, horizon=horizon, delta=delta, actions=names, _rules=rules)

    @property
    def k(self) -> int:
        """The number of actions."""
        return len(self.actions)

    @property
    def contexts(self) -> int:
        """The number of contexts."""
        return self.policies.contexts

    def rules(self) -> Rules:
        return self._rules

    def init(self, menu: Actions, rng: Generator) -> State:
        """Return the state before the first duel, in which all policies have the same weight.

        Parameters
        ----------
        menu : Actions
            The actions, in any context.
        rng : numpy.random.Generator
            Not used, because the initial state is not random.

        Returns
        -------
        State
            A NamedTuple of arrays.

        Raises
        ------
        ParameterError
            If the menu has other actions or contexts than the policies.
        """
        require_generator(rng)
        self._context(menu)
        alike = np.full(len(self.policies), 1.0 / len(self.policies))
        return State(alike, alike.copy(), np.zeros(len(self.policies)), np.zeros(1, np.int64))

    def buffer(self, state: State, n: int | None = None) -> DuelBuffer:
        return arm_buffer(n, note=(2, self.k))

    def ask(self, state: State, menu: Actions, rng: Generator) -> Duel:
        if menu.self_duels:
            return super().ask(state, menu, rng)
        return given_different(draw_different(lambda: KernelLearner.ask(self, state, menu, rng)))

    def write(self, state: State, duel: Duel, buffer: DuelBuffer) -> bool:
        buffer.sides[0] = require_arm("left", duel.left, self.k)
        buffer.sides[1] = require_arm("right", duel.right, self.k)
        if duel.context is None:
            raise OutcomeError("duel.context is missing; give the context in which the actions were shown.")
        buffer.context[0] = self._context(Actions(self.k, duel.context))
        if duel.note is not None:
            shape = np.shape(duel.note)
            if shape != buffer.note.shape:
                raise OutcomeError(
                    f"duel.note must have two rows of {self.k} probabilities; got shape {shape}."
                )
            buffer.note[:] = duel.note
        elif duel.propensity is not None:
            for side, weights in enumerate((state.left, state.right)):
                chances_of(self.rules(), weights, int(buffer.context[0]), buffer.note[side])
                buffer.note[side, buffer.sides[side]] = duel.propensity[side]
        else:
            return False
        if not ((buffer.note > 0.0) & (buffer.note <= 1.0 + ROUNDING)).all():
            raise OutcomeError(f"probabilities of actions must lie in (0, 1]; got {buffer.note}.")
        np.maximum(buffer.note, self.rules().least, out=buffer.note)
        return True

    def read(self, menu: Actions, buffer: DuelBuffer) -> Duel:
        left, right = buffer.sides.tolist()
        chances = (float(buffer.propensity[0]), float(buffer.propensity[1]))
        return Duel(left, right, chances, note=buffer.note, context=menu.context)

    def kernel_menu(self, state: State, menu: Actions) -> ActionMenu:
        return action_menu(self.k, self._context(menu))

    def best(self, state: State, menu: Actions) -> int:
        """Return the action that the learned mixture chooses most often in the menu's context.

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
        chances = np.empty(self.k)
        weights = state.totals if state.told[0] > 0 else state.left
        shares_of(weights, self.rules().advice[self._context(menu)], chances)
        return int(chances.argmax())

    def winner(self, state: State) -> PolicyMixture:
        """Return the learned distribution over policies: the average of both copies over all rounds.

        Parameters
        ----------
        state : State
            What the learner knows.

        Returns
        -------
        PolicyMixture
            The policies with their weights.
        """
        told = int(state.told[0])
        weights = state.totals / told if told else state.left
        made = {"learner": repr(self), "rounds": told}
        return PolicyMixture(list(self.policies), weights / weights.sum(), self.actions, ["context"], made)

    def _context(self, menu: Actions) -> int:
        if not isinstance(menu, Actions) or menu.k != self.k or len(menu.context) == 0:
            raise ParameterError(
                f"SparringEXP4P needs a menu of {self.k} Actions with a context; got {menu!r}."
            )
        return int(context_numbers(menu.context[np.newaxis], self.contexts)[0])
