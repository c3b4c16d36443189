"""Recorded votes as a world: duels are answered by votes on their pair until a run's own votes decide.

A run's tables are an incremental version of `duelist.stopping.verdict_on`: a vote only changes the evidence
on its pair, and the verdict can only change once a pair is newly proven.
"""

import shlex
from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, FloatArray, IntArray
from duelist.errors import ParameterError, PreferenceError, UnknownNameError
from duelist.kernels.arms import ArmMenu
from duelist.kernels.compile import borrowing, overload_for
from duelist.kernels.duels import ANY_ROUND, DuelBuffer
from duelist.kernels.loop import Ledger, close, prepare, step
from duelist.kernels.random import below
from duelist.preferences import estimate
from duelist.stopping.evidence import Bets, log_evidence
from duelist.text import enumeration
from duelist.votes import Votes, count
from duelist.votes.table import as_arms
from duelist.winners import condorcet

UNDECIDED, NO_WINNER = -1, -2
"""In place of a proven winner: nothing is proven yet, and it is proven that there is none."""

PROVEN, WRONG = 0, 1
"""Indices of a ledger's counts: what is proven, and the last vote after which a wrong arm was named."""

PARTS = 1e6  # units per vote if votes have degrees
MOST_PAIRS = 5  # the maximum number of pairs in an error message


class Pool(NamedTuple):
    """The recorded votes as integer weights of a win, a loss and a tie for every pair."""

    arms: tuple[str, ...]
    wins: IntArray
    """`wins[i, j]` is the weight of votes for i against j, on either side."""
    ties: IntArray
    truth: int
    """The Condorcet winner, with a tie as half a win for each; `NO_WINNER` if there is none."""
    total: float
    """The number of valid votes."""


def pool_of(votes: Votes, arms: Sequence[str] | None = None) -> Pool:
    """Return the votes between these arms, by default all; every two of them must have met.

    Examples
    --------
    >>> pool = pool_of(Votes(["a", "b"], [0, 1], [1, 0], [1.0, 0.5], counts=[3, 2]))
    >>> pool.wins.tolist(), pool.ties.tolist(), pool.truth
    ([[0, 3], [0, 0]], [[0, 2], [2, 0]], 0)
    """
    if not isinstance(votes, Votes):
        raise ParameterError(f"votes must be Votes, as from load_votes(path); got {votes!r:.80}.")
    if isinstance(arms, str) or not isinstance(arms, Iterable | None):
        raise ParameterError(
            f"arms must be a list of names, such as {list(votes.arms[:2])}; got {arms!r:.80}."
        )
    names = votes.arms if arms is None else as_arms(arms)
    for name in names:
        if name not in votes.arms:
            raise UnknownNameError("arm", name, votes.arms)
    if len(names) < 2:
        raise ParameterError(f"arms must have at least 2 names; got {list(names)}.")
    indices = [votes.arms.index(name) for name in names]
    tally, some = count(votes), np.ix_(indices, indices)
    total = tally.votes[some]
    require_every_pair(names, total)
    winner = condorcet(estimate(tally.scores[some]))
    truth = NO_WINNER if winner is None else winner
    wins, ties = tally.wins[some], tally.ties[some]
    # votes with degrees are fractions of a win and of a tie
    parts = 1.0 if not ((wins % 1.0).any() or (ties % 1.0).any()) else PARTS
    won, tied = (np.ascontiguousarray(np.rint(parts * counts).astype(np.int64)) for counts in (wins, ties))
    return Pool(names, won, tied, truth, float(total.sum() / 2.0))


def require_every_pair(names: Sequence[str], total: FloatArray) -> None:
    """Raise PreferenceError if two arms never met, with a subset of arms that all met."""
    met = (total > 0) | np.eye(len(names), dtype=np.bool_)
    missing = [f"{names[i]} and {names[j]}" for i, j in np.argwhere(np.triu(~met)).tolist()]
    if not missing:
        return
    kept = list(range(len(names)))
    while not met[np.ix_(kept, kept)].all():
        # drop the arm that met the fewest others, or among several the one with the fewest votes
        kept.remove(min(kept, key=lambda arm: (met[arm, kept].sum(), total[arm, kept].sum())))
    rest = [names[arm] for arm in kept]
    options = shlex.join([word for name in rest for word in ("--arm", name)])
    remedy = f"choose arms that all met: arms={rest} ({options})" if len(rest) > 1 else "record votes on them"
    pairs = enumeration(missing, limit=MOST_PAIRS)
    raise PreferenceError(f"there are no recorded votes on {pairs}; {remedy}.")


class VoteWorld(NamedTuple):
    """Recorded votes, and what the votes of one run have proven."""

    wins: IntArray  # wins[i, j]: recorded votes for i against j
    ties: IntArray  # ties[i, j] = ties[j, i]: recorded ties
    truth: int  # the Condorcet winner of all recorded votes, or NO_WINNER
    bets: Bets
    enough: float  # the logarithm of the evidence that decides a pair
    decisive: FloatArray  # this run's votes for i against j
    tied: FloatArray  # this run's ties
    evidence: FloatArray  # the logarithm of the evidence that i beats j; the diagonal is unused


@borrowing
def draw_vote(world: VoteWorld, left: int, right: int, world_rng: Generator) -> float:
    """Draw one of the recorded votes on a pair, all equally likely, and return its outcome."""
    won, tied = world.wins[left, right], world.ties[left, right]
    drawn = below(won + tied + world.wins[right, left], world_rng)
    if drawn < won:
        return LEFT_WINS
    return TIE if drawn < won + tied else RIGHT_WINS


@borrowing
def least_proven(world: VoteWorld, leader: int) -> int:
    """Return the first rival with the least evidence that it loses to the leader."""
    rival, least = -1, inf
    for j in range(len(world.evidence)):
        if j != leader and world.evidence[leader, j] < least:
            rival, least = j, world.evidence[leader, j]
    return rival


@borrowing
def is_proven(world: VoteWorld, i: int, j: int) -> bool:
    """Return whether i is proven to beat j, with the arithmetic of `verdict_on`."""
    return bool(world.evidence[i, j] - world.enough >= 0.0)


@borrowing
def weigh(world: VoteWorld, i: int, j: int) -> bool:
    """Update the evidence that i beats j; return whether it has just been proven."""
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
    """Draw a vote on the duel's pair, count it, and record what it has just proven.

    A learner that has finished shows its winner against itself; the winner meets its least proven rival
    instead. Once something is proven, nothing more is recorded, which ends the run.
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
    """Keep the menu: all pairs may be shown in every round."""


@overload_for(step, VoteWorld)
def step_votes(world: VoteWorld, ledger: Ledger, duel: DuelBuffer, world_rng: Generator) -> float:
    """Draw a vote through a kernel, because the compiler would drop direct writes as dead code."""
    return cast_vote(world, ledger, duel, world_rng)


@overload_for(close, VoteWorld)
def close_votes(world: VoteWorld, ledger: Ledger, mark: int) -> None:
    """Record the vote if the arm that is proven, or else the learner's best arm, is wrong."""
    proven = ledger.counts[PROVEN]
    named = ledger.answer[0] if proven == UNDECIDED else proven
    if named != world.truth:
        ledger.counts[WRONG] = ledger.played[0]
