"""Sparring EXP4.P: two copies of a bandit algorithm duel each other (Dudik et al., COLT 2015)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.card import Card
from duelist.duel import Duel, FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError, require_confidence, require_whole
from duelist.kernels import contexts
from duelist.kernels.compile import compiled
from duelist.kernels.contexts import ContextDuel, ContextKernels, ContextRun, room_for_actions
from duelist.learners.contextual.exp4p import Rules, chances_of, choose, reward, rules_for, shares_of
from duelist.menus import Actions
from duelist.policies.finite import FinitePolicies, context_numbers
from duelist.policies.mixture import PolicyMixture
from duelist.preferences import ROUNDING


class State(NamedTuple):
    """What has been learned."""

    left: FloatArray  # the left copy's weight of each policy; they add up to 1
    right: FloatArray
    totals: FloatArray  # the sum over rounds of both copies' mean weights
    told: IntArray  # one number: rounds so far


@compiled
def ask(rules: Rules, state: State, context: int, duel: ContextDuel, rng: Generator) -> None:
    """Let each copy choose an action."""
    duel.shown[0] = choose(rules, state.left, context, duel.chances[0], rng)
    duel.shown[1] = choose(rules, state.right, context, duel.chances[1], rng)


@compiled
def tell(rules: Rules, state: State, context: int, duel: ContextDuel, outcome: float) -> None:
    """Reward one copy with the outcome, the other with its opposite."""
    for policy in range(len(state.totals)):
        state.totals[policy] += 0.5 * (state.left[policy] + state.right[policy])
    state.told[0] += 1
    reward(rules, state.left, context, duel.chances[0], duel.shown[0], outcome)
    reward(rules, state.right, context, duel.chances[1], duel.shown[1], 1.0 - outcome)


@compiled
def learned(rules: Rules, state: State, context: int, chances: FloatArray) -> None:
    """Write how likely each action is by the average of all rounds' distributions over policies."""
    weights = state.totals if state.told[0] > 0 else state.left
    shares_of(weights, rules.advice[context], chances)


@compiled
def play(rules: Rules, state: State, run: ContextRun) -> None:
    """Play one run."""
    contexts.play(ask, tell, learned, rules, state, run)


@dataclass(frozen=True, eq=False, init=False)
class SparringEXP4P:
    """Find a von Neumann winner among finitely many policies: two copies of EXP4.P spar.

    One copy chooses the left action, the other the right one; the winner is rewarded. Assumes nothing of the
    preferences, and holds for contexts and preferences chosen by an adversary: with probability 1 - delta the
    regret is at most `bounds.sparring_exp4p_upper_bound`, which falls as sqrt(K ln(N / delta) / T). A round
    takes time and space in proportion to the number of policies.

    Parameters
    ----------
    policies : FinitePolicies or array of shape (policies, contexts)
        The class to learn from, at least two; `policies[policy, context]` is an action, by number.
    horizon : int
        The number of rounds T, for which exploration is set.
    delta : float, default 0.05
        The chance that the bound on regret does not hold; each copy is set with a quarter of it.
    actions : int or sequence of str, optional
        How many actions there are, or their names; those that some policy chooses unless told otherwise.

    Notes
    -----
    What the paper leaves open, and what is chosen here:

    - An action's least chance is p_min = sqrt(ln N / (K T)), cut to 1 / K for horizons below K ln N, in which
      nothing is proven and every action is as likely. Rounds beyond the horizon are played alike.
    - EXP4.P is proven in its paper for classes with a policy that chooses at random; the proof in `bounds`
      does without.
    - Outcomes are rewards from 0 to 1, and a tie is half of each; the paper's -1 to 1 are mapped so.
    - The answer, `winner`, is the average over rounds of the distributions of *both* copies, where the paper
      takes one copy's. By symmetry both are as good, and regret speaks of the actions of both: no policy's
      gain over this average exceeds the regret, but for exploring and the luck of the draws.
    - Weights are kept normalised and above 1e-300: in an adversary's order a policy may fall far behind and
      come back. Held up like this, N weights add at most 1e-300 N to the total in a round.
    - A late answer is weighed by the chances with which its actions were drawn, which the duel's `note`
      carries; the average takes the distributions as they are when it is told. A duel without a note was
      asked by someone else: it is weighed by its propensity, at least p_min, and the chances as they are now.

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

    card = Card(
        setting="contexts",
        seeks="von Neumann winner among policies",
        assumes="nothing of the preferences; contexts and policies are finitely many",
        regret="O(sqrt(K T ln(N / delta))) with probability 1 - delta, against an adversary too",
        citation="Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits",
        needs_horizon=True,
        needs_propensities=True,
        unmet={
            "swapped_sides": "each side is chosen by a copy of its own, which alone learns from it",
        },
        example={"policies": [[a, b] for a in range(3) for b in range(3)], "horizon": 5_000},
    )
    context_kernels = ContextKernels(ask, tell, learned, play)
    context_size: ClassVar[int] = 1

    def __init__(
        self,
        policies: FinitePolicies | ArrayLike,
        horizon: int,
        delta: float = 0.05,
        actions: int | Sequence[str] | None = None,
    ) -> None:
        known = policies if isinstance(policies, FinitePolicies) else FinitePolicies(policies)
        if len(known) < 2:
            raise ParameterError(f"policies must be at least two to learn which is better; got {len(known)}.")
        require_whole("horizon", horizon, 1)
        require_confidence(delta, "delta", usual=0.05)
        names = as_action_names(actions, int(known.actions.max()) + 1)
        for name, value in (("policies", known), ("horizon", horizon), ("delta", delta), ("actions", names)):
            object.__setattr__(self, name, value)

    @property
    def k(self) -> int:
        """The number of actions."""
        return len(self.actions)

    @property
    def contexts(self) -> int:
        """The number of contexts."""
        return self.policies.contexts

    def rules(self) -> Rules:
        """Return the numbers the kernels need."""
        return self._ready

    @cached_property
    def _ready(self) -> Rules:
        advice = np.ascontiguousarray(self.policies.actions.T)
        return rules_for(advice, self.k, int(self.horizon), float(self.delta) / 4.0)

    def init(self, menu: Actions, rng: Generator) -> State:
        """Return the state before the first duel: all policies are alike."""
        self._context(menu)
        alike = np.full(len(self.policies), 1.0 / len(self.policies))
        return State(alike, alike.copy(), np.zeros(len(self.policies)), np.zeros(1, np.int64))

    def ask(self, state: State, menu: Actions, rng: Generator) -> Duel:
        """Return the duel to show next; the state stays as it is."""
        context, room = self._context(menu), room_for_actions(self.k)
        ask(self.rules(), state, context, room, rng)
        left, right = room.shown.tolist()
        propensity = (float(room.chances[0, left]), float(room.chances[1, right]))
        return Duel(left, right, propensity, note=room.chances, context=menu.context)

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome: 1 left wins, 0 right wins, 0.5 a tie."""
        if not 0.0 <= outcome <= 1.0:
            raise OutcomeError(
                f"outcome must lie in [0, 1]: 1 left wins, 0 right wins, 0.5 a tie; got {outcome!r}."
            )
        context, room = self._recall(state, duel)
        told = State(state.left.copy(), state.right.copy(), state.totals.copy(), state.told.copy())
        tell(self.rules(), told, context, room, float(outcome))
        return told

    def best(self, state: State, menu: Actions) -> int:
        """Return the action that the winner takes most often in the menu's context."""
        chances = np.empty(self.k)
        learned(self.rules(), state, self._context(menu), chances)
        return int(chances.argmax())

    def winner(self, state: State) -> PolicyMixture:
        """Return the distribution over policies that was learned: both copies' average over all rounds."""
        told = int(state.told[0])
        weights = state.totals / told if told else state.left
        made = {"learner": repr(self), "rounds": told}
        policies = [self.policies[policy] for policy in range(len(self.policies))]
        return PolicyMixture(policies, weights / weights.sum(), self.actions, ["context"], made)

    def _context(self, menu: Actions) -> int:
        if not isinstance(menu, Actions) or menu.k != self.k or len(menu.context) == 0:
            raise ParameterError(f"this learner chooses among {self.k} Actions in a context; got {menu!r}.")
        return int(context_numbers(menu.context[np.newaxis], self.contexts)[0])

    def _recall(self, state: State, duel: Duel) -> tuple[int, ContextDuel]:
        """Return a duel's context and, as the kernels see it, what was shown with which chances."""
        room = room_for_actions(self.k)
        for side, action in enumerate((duel.left, duel.right)):
            if not isinstance(action, int | np.integer) or not 0 <= int(action) < self.k:
                raise OutcomeError(f"a side of the duel is {action!r}; choose an action below {self.k}.")
            room.shown[side] = action
        if duel.context is None:
            raise OutcomeError("duel.context is missing; tell the context that the actions were shown in.")
        context = self._context(Actions(self.k, duel.context))
        if duel.note is None:
            for side, weights in enumerate((state.left, state.right)):
                chances_of(self.rules(), weights, context, room.chances[side])
                room.chances[side, room.shown[side]] = duel.propensity[side]
        elif np.shape(duel.note) != room.chances.shape:
            raise OutcomeError(f"duel.note must be two rows of {self.k} chances; got {np.shape(duel.note)}.")
        else:
            room.chances[:] = duel.note
        if not ((room.chances > 0.0) & (room.chances <= 1.0 + ROUNDING)).all():
            raise OutcomeError(f"chances must lie in (0, 1]; got {room.chances}.")
        np.maximum(room.chances, self.rules().least, out=room.chances)
        return context, room


def as_action_names(actions: int | Sequence[str] | None, chosen: int) -> tuple[str, ...]:
    """Return the actions' names, of which policies choose so many."""
    given = max(chosen, 2) if actions is None else actions
    names = tuple(map(str, range(given) if isinstance(given, int) else given))
    if len(names) < max(chosen, 2) or len(set(names)) < len(names):
        raise ParameterError(
            f"actions must be at least {max(chosen, 2)}, as policies choose, no two alike; got {actions!r}."
        )
    return names
