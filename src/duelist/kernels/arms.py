"""Arms in compiled code: menus, and a world with known preferences."""

from functools import lru_cache
from math import inf, nan
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import TIE, BoolArray, FloatArray, IntArray
from duelist.kernels.compile import borrowing, overload_for
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Ledger, Run, close, open_ledger, prepare, step
from duelist.menus import Arms

FEW = 16  # up to this many duels, drawing each of them is faster than a binomial draw

REGRET, WEAK_REGRET, BEST = 0, 1, 2  # rows of a ledger's measures


class ArmMenu(NamedTuple):
    """The arms that may be shown."""

    active: BoolArray  # one flag per arm; empty if all arms may be shown
    self_duels: bool  # whether an arm may be shown against itself
    open: FloatArray  # open[i, j]: open duels of a pair; empty if the learner does not read them


class ArmWorld(NamedTuple):
    """The preferences that decide duels, and the cost of showing each arm."""

    preferences: FloatArray
    gaps: FloatArray  # one row for the winner, or one row per arm that may turn out to be best in hindsight


def arm_menu(menu: Arms) -> ArmMenu:
    """Return a menu for kernels, without open duels, which most learners handle in their public `ask`.

    Examples
    --------
    >>> arm_menu(Arms(3, active=(0, 2))).active
    array([ True, False,  True])
    """
    return menu_of(menu.k, menu.active, menu.self_duels)


@lru_cache(maxsize=64)
def menu_of(k: int, active: tuple[int, ...] | None, self_duels: bool) -> ArmMenu:
    """Return the menu of these arms; equal arguments give the same object."""
    flags = np.zeros(0, np.bool_) if active is None else np.isin(np.arange(k), active)
    return ArmMenu(flags, self_duels, np.zeros((0, 0)))


def open_arm_ledger(checkpoints: IntArray, k: int, halt: BoolArray) -> Ledger:
    answer = np.zeros(1, np.int64)
    return open_ledger(checkpoints, halt, measures=3, answer=answer, sums=1, counts=1, plays=(1, k))


@borrowing
def is_active(menu: ArmMenu, arm: int) -> bool:
    return len(menu.active) == 0 or bool(menu.active[arm])


@borrowing
def toss(world: ArmWorld, left: int, right: int, world_rng: Generator) -> float:
    """Return the outcome of one duel, without `wins_in`, whose binomial draws take a second to compile."""
    return 1.0 if world_rng.random() < world.preferences[left, right] else 0.0


@borrowing
def wins_in(run: Run, left: int, right: int, duels: int) -> int:
    chance = run.world.preferences[left, right]
    if duels > FEW:
        return int(run.world_rng.binomial(duels, chance))
    wins = 0
    for _ in range(duels):
        if run.world_rng.random() < chance:
            wins += 1
    return wins


@borrowing
def book(world: ArmWorld, ledger: Ledger, left: int, right: int, rounds: int) -> None:
    """Record n rounds of one pair."""
    ledger.played[0] += rounds
    ledger.plays[0, left] += rounds
    ledger.plays[0, right] += rounds
    ledger.sums[0] += rounds * min(world.gaps[0, left], world.gaps[0, right])
    if left != right:
        ledger.counts[0] += rounds


@overload_for(prepare, ArmWorld)
def prepare_arms(world: ArmWorld, menu: ArmMenu, played: int, world_rng: Generator) -> None:
    """Leave the menu as it is: all arms may be shown in every round."""


@overload_for(step, ArmWorld)
def step_arms(world: ArmWorld, ledger: Ledger, duel: DuelBuffer, world_rng: Generator) -> float:
    """Draw the winner by the pair's preference; an arm ties with itself without a draw."""
    left, right = duel.sides[0], duel.sides[1]
    book(world, ledger, left, right, 1)
    return TIE if left == right else toss(world, left, right, world_rng)


@overload_for(close, ArmWorld)
def close_arms(world: ArmWorld, ledger: Ledger, checkpoint: int) -> None:
    """Record regret, weak regret and the arm believed to be the winner."""
    # computed from whole numbers, so skipped rounds leave the sum the same to the last bit
    most = -inf
    for rival in range(len(world.gaps)):
        total = 0.0
        for arm in range(world.gaps.shape[1]):
            total += ledger.plays[0, arm] * world.gaps[rival, arm]
        most = max(most, total)
    ledger.measures[REGRET, checkpoint] = 0.5 * most
    ledger.measures[WEAK_REGRET, checkpoint] = ledger.sums[0] if len(world.gaps) == 1 else nan
    ledger.measures[BEST, checkpoint] = ledger.answer[0]
