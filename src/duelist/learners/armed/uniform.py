"""Random pairs: the baseline that every learner must beat."""

from dataclasses import dataclass
from typing import NamedTuple

from numpy.random import Generator

from duelist.card import Card
from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer, duel_at
from duelist.kernels.loop import Kernels
from duelist.kernels.random import below
from duelist.learners.armed.base import ArmedLearner, best_of_all, record, square
from duelist.learners.base import folding, playing


class Rules(NamedTuple):
    k: int


class State(NamedTuple):
    wins: FloatArray  # wins[i, j]: how often i beat j
    order: IntArray  # random permutation of the arms, drawn at the start, which breaks ties for the best


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in two different arms of the menu, drawn uniformly."""
    left, right = below(rules.k, rng), below(rules.k - 1, rng)
    while not (is_active(menu, left) and is_active(menu, right + (right >= left))):
        left, right = below(rules.k, rng), below(rules.k - 1, rng)
    duel.sides[0] = left
    duel.sides[1] = right + (right >= left)


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    if duel.sides[0] != duel.sides[1]:
        record(state.wins, duel.sides[0], duel.sides[1], outcome)


@compiled
def plan(rules: Rules, state: State, menu: ArmMenu, duels: DuelBuffer, rng: Generator) -> int:
    """Fill in all pairs, since no pair depends on an outcome."""
    for index in range(len(duels.sides)):
        ask(rules, state, menu, duel_at(duels, index), rng)
    return len(duels.sides)


play = playing(ask, tell, best_of_all)
fold = folding(tell)


@dataclass(frozen=True)
class Uniform(ArmedLearner[State]):
    """Compare random pairs: the baseline that other learners are measured against.

    Eventually finds the Condorcet winner, since every pair is compared repeatedly, but never stops showing
    bad arms: its regret is linear in the number of rounds.

    Notes
    -----
    The two arms of a duel always differ.

    References
    ----------
    The random baseline of every paper on dueling bandits.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> simulate(Uniform(), worst_case(5, 0.2), horizon=5_000, runs=3, seed=0)["Uniform"].best.tolist()
    [0, 0, 0]
    """

    card = Card(
        seeks="Copeland winner",
        assumes="nothing",
        regret="linear: the baseline",
        citation="The random baseline of every paper on dueling bandits",
        arms_may_change=True,
        hands_out_batches=True,
        unmet={"late_regret": "a baseline: random pairs never stop showing bad arms"},
    )
    kernels = Kernels(ask, tell, best_of_all, play, fold, plan)

    def rules(self, k: int) -> Rules:
        return Rules(k)

    def blank(self, k: int, rng: Generator) -> State:
        return State(square(k), rng.permutation(k))
