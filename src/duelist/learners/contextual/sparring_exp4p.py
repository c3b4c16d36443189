"""Sparring EXP4.P: two copies of a bandit algorithm duel each other (Dudik et al., COLT 2015)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.card import Card
from duelist.duel import Duel, FloatArray, IntArray, require_arm
from duelist.errors import OutcomeError, ParameterError, require_confidence, require_whole
from duelist.kernels import loop
from duelist.kernels.compile import compiled
from duelist.kernels.contexts import ActionMenu, action_menu
from duelist.kernels.duels import DuelBuffer, arm_buffer
from duelist.kernels.loop import Kernels, Run
from duelist.learners.base import KernelLearner
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
def ask(rules: Rules, state: State, menu: ActionMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Let each copy choose an action; the note holds the chances of all actions on either side."""
    context = menu.context[0]
    duel.context[0] = context
    duel.sides[0] = choose(rules, state.left, context, duel.note[0], rng)
    duel.sides[1] = choose(rules, state.right, context, duel.note[1], rng)
    duel.propensity[0] = duel.note[0, duel.sides[0]]
    duel.propensity[1] = duel.note[1, duel.sides[1]]


@compiled
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Reward one copy with the outcome, the other with its opposite."""
    context = duel.context[0]
    for policy in range(len(state.totals)):
        state.totals[policy] += 0.5 * (state.left[policy] + state.right[policy])
    state.told[0] += 1
    reward(rules, state.left, context, duel.note[0], duel.sides[0], outcome)
    reward(rules, state.right, context, duel.note[1], duel.sides[1], 1.0 - outcome)


@compiled
def best(rules: Rules, state: State, menu: ActionMenu, answer: FloatArray) -> None:
    """Fill in how likely each action is in each context by the average of all rounds' distributions."""
    weights = state.totals if state.told[0] > 0 else state.left
    for context in range(len(answer)):
        shares_of(weights, rules.advice[context], answer[context])


@compiled
def play(rules: Rules, state: State, run: Run) -> None:
    """Play one run."""
    loop.play(ask, tell, best, loop.skip_nothing, loop.skip_nothing, rules, state, run)


@compiled
def fold(rules: Rules, state: State, duels: DuelBuffer, outcomes: FloatArray) -> None:
    """Tell a batch of duels."""
    loop.fold(tell, rules, state, duels, outcomes)


@dataclass(frozen=True, eq=False, init=False)
class SparringEXP4P(KernelLearner[State]):
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
      asked by someone else: it is weighted by its propensity, at least p_min, and the chances as they are
      now; without a propensity nothing can be learned from it, and the state stays as it is.

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
        unmet={"swapped_sides": "each side is chosen by a copy of its own, which alone learns from it"},
        example={"policies": [[a, b] for a in range(3) for b in range(3)], "horizon": 5_000},
    )
    kernels = Kernels(ask, tell, best, play, fold)
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
        vars(self).update(policies=known, horizon=horizon, delta=delta, actions=names)

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

    def rules_for(self, state: State) -> Rules:
        """Return the numbers the kernels need."""
        return self._ready

    def buffer(self, state: State, n: int | None = None) -> DuelBuffer:
        """Return room for a duel, or for a batch of n, with the chances of all actions for a note."""
        return arm_buffer(n, note=(2, self.k))

    def write(self, state: State, duel: Duel, room: DuelBuffer) -> bool:
        """Write a duel into its room; one whose chances are not known cannot be learned from."""
        room.sides[0] = require_arm("left", duel.left, self.k)
        room.sides[1] = require_arm("right", duel.right, self.k)
        if duel.context is None:
            raise OutcomeError("duel.context is missing; tell the context that the actions were shown in.")
        room.context[0] = self._context(Actions(self.k, duel.context))
        if duel.note is not None:
            if np.shape(duel.note) != room.note.shape:
                raise OutcomeError(
                    f"duel.note must be two rows of {self.k} chances; got {np.shape(duel.note)}."
                )
            room.note[:] = duel.note
        elif duel.propensity is not None:
            for side, weights in enumerate((state.left, state.right)):
                chances_of(self.rules(), weights, int(room.context[0]), room.note[side])
                room.note[side, room.sides[side]] = duel.propensity[side]
        else:
            return False
        if not ((room.note > 0.0) & (room.note <= 1.0 + ROUNDING)).all():
            raise OutcomeError(f"chances must lie in (0, 1]; got {room.note}.")
        np.maximum(room.note, self.rules().least, out=room.note)
        return True

    def read(self, menu: Actions, room: DuelBuffer) -> Duel:
        """Return the duel that a kernel wrote into its room."""
        left, right = room.sides.tolist()
        chances = (float(room.propensity[0]), float(room.propensity[1]))
        return Duel(left, right, chances, note=room.note, context=menu.context)

    def kernel_menu(self, state: State, menu: Actions) -> ActionMenu:
        """Return a menu as the kernels see it."""
        return action_menu(self.k, self._context(menu))

    def best(self, state: State, menu: Actions) -> int:
        """Return the action that the winner takes most often in the menu's context."""
        chances = np.empty(self.k)
        weights = state.totals if state.told[0] > 0 else state.left
        shares_of(weights, self.rules().advice[self._context(menu)], chances)
        return int(chances.argmax())

    def winner(self, state: State) -> PolicyMixture:
        """Return the distribution over policies that was learned: both copies' average over all rounds."""
        told = int(state.told[0])
        weights = state.totals / told if told else state.left
        made = {"learner": repr(self), "rounds": told}
        return PolicyMixture(list(self.policies), weights / weights.sum(), self.actions, ["context"], made)

    def _context(self, menu: Actions) -> int:
        if not isinstance(menu, Actions) or menu.k != self.k or len(menu.context) == 0:
            raise ParameterError(f"this learner chooses among {self.k} Actions in a context; got {menu!r}.")
        return int(context_numbers(menu.context[np.newaxis], self.contexts)[0])


def as_action_names(actions: int | Sequence[str] | None, chosen: int) -> tuple[str, ...]:
    """Return the names of actions, at least as many as policies choose."""
    given = max(chosen, 2) if actions is None else actions
    names = tuple(map(str, range(given) if isinstance(given, int) else given))
    if len(names) < max(chosen, 2) or len(set(names)) < len(names):
        raise ParameterError(
            f"actions must be at least {max(chosen, 2)}, as policies choose, no two alike; got {actions!r}."
        )
    return names
