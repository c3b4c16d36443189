"""Recorded votes as a world: duels are answered by votes on their pair, until a run's own votes prove enough.

What is proven is said by the tables of a run as `duelist.stopping.verdict_on` would say it, in steps: a vote
moves the evidence of its pair alone, and a verdict can only change when a pair has just been proven.
"""

from math import inf
from typing import NamedTuple

from numpy.random import Generator

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, FloatArray, IntArray
from duelist.kernels.arms import ArmMenu
from duelist.kernels.compile import borrowing, overload_for
from duelist.kernels.duels import ANY_ROUND, DuelBuffer
from duelist.kernels.loop import Ledger, close, prepare, step
from duelist.kernels.random import below
from duelist.stopping.evidence import Bets, log_evidence

UNDECIDED, NO_WINNER = -1, -2
"""In the place of a proven winner: nothing is proven yet, and it is proven that there is none."""

PROVEN, WRONG = 0, 1
"""Places in a ledger's counts: what is proven, and the last vote after which a wrong arm was named."""


class VoteWorld(NamedTuple):
    """Recorded votes, and what the votes of one run have proven."""

    wins: IntArray  # wins[i, j]: recorded votes for i against j
    ties: IntArray  # ties[i, j] = ties[j, i]: recorded ties
    truth: int  # the Condorcet winner of all recorded votes, or NO_WINNER
    bets: Bets
    enough: float  # the logarithm of the evidence that proves a pair
    decisive: FloatArray  # this run's votes for i against j
    tied: FloatArray  # this run's ties
    evidence: FloatArray  # the logarithm of the evidence that i beats j; the diagonal is not read


@borrowing
def draw_vote(world: VoteWorld, left: int, right: int, world_rng: Generator) -> float:
    """Return the outcome of a recorded vote on a pair, each as likely."""
    won, tied = world.wins[left, right], world.ties[left, right]
    drawn = below(won + tied + world.wins[right, left], world_rng)
    if drawn < won:
        return LEFT_WINS
    return TIE if drawn < won + tied else RIGHT_WINS


@borrowing
def least_proven(world: VoteWorld, leader: int) -> int:
    """Return the rival with the least evidence that it loses to the leader; of several, the first."""
    rival, least = -1, inf
    for j in range(len(world.evidence)):
        if j != leader and world.evidence[leader, j] < least:
            rival, least = j, world.evidence[leader, j]
    return rival


@borrowing
def is_proven(world: VoteWorld, i: int, j: int) -> bool:
    """Return whether i is proven to beat j, in the arithmetic of `verdict_on`."""
    return bool(world.evidence[i, j] - world.enough >= 0.0)


@borrowing
def weigh(world: VoteWorld, i: int, j: int) -> bool:
    """Restate the evidence that i beats j; return whether this has just been proven."""
    before = is_proven(world, i, j)
    wins, losses, ties = world.decisive[i, j], world.decisive[j, i], world.tied[i, j]
    world.evidence[i, j] = log_evidence(world.bets, wins, losses, ties)
    return is_proven(world, i, j) and not before


@borrowing
def finding(world: VoteWorld) -> int:
    """Return the arm proven to beat all others, NO_WINNER if each is proven to lose to one, or UNDECIDED."""
    k, winner, losers = len(world.evidence), UNDECIDED, 0
    for i in range(k):
        beaten, loses = 0, False
        for j in range(k):
            if j != i:
                beaten += is_proven(world, i, j)
                loses = loses or is_proven(world, j, i)
        if beaten == k - 1:
            winner = i
        losers += loses
    return NO_WINNER if losers == k else winner


@borrowing
def cast_vote(world: VoteWorld, ledger: Ledger, duel: DuelBuffer, world_rng: Generator) -> float:
    """Draw a vote on the duel's pair, count it, and write down what has just been proven.

    A learner that has finished shows its winner against itself: it meets its least proven rival instead.
    Once something is proven, nothing is written down, which ends the run.
    """
    outcome = TIE
    if ledger.counts[PROVEN] == UNDECIDED:
        left = duel.sides[0]
        if left == duel.sides[1]:
            duel.sides[1] = least_proven(world, left)
            duel.round[0] = ANY_ROUND
        right = duel.sides[1]
        outcome = draw_vote(world, left, right, world_rng)
        ledger.played[0] += 1
        ledger.plays[0, left] += 1
        ledger.plays[0, right] += 1
        world.decisive[left, right] += outcome == LEFT_WINS
        world.decisive[right, left] += outcome == RIGHT_WINS
        world.tied[left, right] += outcome == TIE
        world.tied[right, left] += outcome == TIE
        ahead, behind = weigh(world, left, right), weigh(world, right, left)
        if ahead or behind:
            ledger.counts[PROVEN] = finding(world)
    return outcome


@overload_for(prepare, VoteWorld)
def prepare_votes(world: VoteWorld, menu: ArmMenu, played: int, world_rng: Generator) -> None:
    """Leave the menu as it is: all pairs may be shown in every round."""


@overload_for(step, VoteWorld)
def step_votes(world: VoteWorld, ledger: Ledger, duel: DuelBuffer, world_rng: Generator) -> float:
    """Draw a vote; by a kernel, because writes of its own would be taken for dead code."""
    return cast_vote(world, ledger, duel, world_rng)


@overload_for(close, VoteWorld)
def close_votes(world: VoteWorld, ledger: Ledger, mark: int) -> None:
    """Write down the vote, if the arm that is proven or else believed to be best is a wrong one."""
    proven = ledger.counts[PROVEN]
    named = ledger.answer[0] if proven == UNDECIDED else proven
    if named != world.truth:
        ledger.counts[WRONG] = ledger.played[0]
