"""Figure 4: SAVAGE and Beat the Mean with two arms, whose exploration is a single match of known length."""

from math import log, sqrt

import numpy as np
from numpy.random import Generator

from duelist.duel import TIE, FloatArray
from duelist.kernels.arms import ArmMenu, arm_menu
from duelist.kernels.compile import compiled
from duelist.kernels.duels import DuelBuffer, arm_buffer
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays
from duelist.learners import BeatTheMean, CondorcetSavage
from duelist.learners.armed import beat_the_mean
from duelist.menus import Arms
from duelist.problems import worst_case
from duelist.simulation import simulate
from duelist.simulation.runs import generators
from duelist_reproductions.single_match import NEVER, match_chances


def play_savage_matches(sources: Sources, *, runs: int, horizon: int, epsilon: float) -> Arrays:
    """Play Condorcet SAVAGE with two arms; return the lengths of matches and their exact chances."""
    played = simulate(
        {"it": CondorcetSavage(horizon)},
        worst_case(2, epsilon),
        horizon,
        runs,
        checkpoints=[horizon],
        workers=1,
        progress=False,
    )
    # the radius sqrt(log(2 N T / delta) / 2n), with N = 1 pair and delta = 1 / T
    spread = 0.5 * log(2.0 * horizon * horizon)
    return {"duels": played["it"].informative, "decided": match_chances(spread, 0.5 + epsilon)}


def play_mean_matches(sources: Sources, *, runs: int, horizon: int, epsilon: float) -> Arrays:
    """Play Beat the Mean with two arms until one is removed; return the times and their chances.

    A sweep is a duel of its own of each arm, the last one counted for both. The chances are those of 0, 1, 2,
    ... sweeps, at the latest and at the soonest.
    """
    learner = BeatTheMean(horizon)
    preferences = worst_case(2, epsilon).matrix
    rounds = []
    for run in range(runs):
        rng, world_rng = generators(0, run)
        rounds.append(removal_round(learner, preferences, rng, world_rng))
    # c(n) = 3 gamma^2 sqrt(log(1 / delta) / n), with gamma = 1 and delta = 1 / (2 T K)
    radius = 3.0 * sqrt(log(2.0 * horizon * 2))
    late, soon = (removal_chances(radius, 0.5 + epsilon, ahead) for ahead in (0.0, 1.0))
    return {"sweeps": (np.array(rounds) + 1) // 2, "decided": late, "soonest": soon}


def removal_round(learner: BeatTheMean, preferences: FloatArray, rng: Generator, world_rng: Generator) -> int:
    """Return the number of rounds until a learner removes one of two arms."""
    state, menu = learner.blank(2, rng), arm_menu(Arms(2))
    return play_to_removal(learner.rules(2), state, preferences, menu, arm_buffer(), rng, world_rng)


@compiled
def play_to_removal(
    rules: beat_the_mean.Rules,
    state: beat_the_mean.State,
    preferences: FloatArray,
    menu: ArmMenu,
    duel: DuelBuffer,
    rng: Generator,
    world_rng: Generator,
) -> int:
    """Play Beat the Mean until it removes an arm; return the number of rounds."""
    rounds = 0
    while state.size[0] == len(preferences):
        beat_the_mean.ask(rules, state, menu, duel, rng)
        left, right = duel.sides[0], duel.sides[1]
        outcome = TIE
        if left != right:
            outcome = 1.0 if world_rng.random() < preferences[left, right] else 0.0
        beat_the_mean.tell(rules, state, duel, outcome)
        rounds += 1
    return rounds


def removal_chances(radius: float, win: float, ahead: float = 0.0) -> FloatArray:
    """Return the chances that Beat the Mean removes one of two arms after 0, 1, 2, ... sweeps.

    In a sweep each arm has a duel of its own, with itself or the other, equally likely. After n sweeps an arm
    leads by wins of its own less the other's, and is alone once it leads by 2 sqrt(n) radius. Within a sweep
    one record is a duel ahead, which is worth less than 1: whoever leads by as much less may be alone, too.
    By how much less is `ahead`: 0 gives the latest removal, 1 the soonest. `radius` is that after one duel.
    """
    # leads in halves, because a duel of an arm with itself is a tie
    one, other = (np.array([1.0 - chance, 1.0, chance]) / 2.0 for chance in (win, 1.0 - win))
    step = np.convolve(one, other[::-1])
    chances, undecided = [0.0], np.ones(1)
    while undecided.sum() > NEVER:
        undecided = np.convolve(undecided, step)
        sweeps = len(chances)
        lead = np.abs(np.arange(len(undecided)) - 2 * sweeps) / 2.0
        decided = lead >= 2.0 * radius * sqrt(sweeps) - ahead
        chances.append(float(undecided[decided].sum()))
        undecided[decided] = 0.0
    return np.array(chances)
