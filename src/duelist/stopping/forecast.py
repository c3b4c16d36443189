"""How many more votes a verdict will take: what is known is played on, many times over."""

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.defaults import DELTA
from duelist.duel import FloatArray
from duelist.errors import require_generator
from duelist.kernels.bradley_terry import PRECISION, fit
from duelist.kernels.compile import borrowing, compiled
from duelist.stopping.evidence import Bets, bets_on, fill_evidence, log_evidence
from duelist.stopping.thresholds import as_tables

PLAYS = 40  # how often what is known is played on
LONGEST = 30_000  # votes after which a play is given up
STRENGTH = 10.0  # how many votes on a pair the model of all votes counts for


def votes_left(
    decisive: ArrayLike,
    ties: ArrayLike,
    rng: Generator,
    *,
    delta: float = DELTA,
    within: float = 0.0,
    active: Sequence[int] | None = None,
    initial_arms: int | None = None,
    changed: bool = False,
) -> tuple[float, float]:
    """Return how many more votes a verdict will probably take: a range that holds about four times in five.

    In each play the truth is drawn from what is known: utilities from a Bradley-Terry model of all votes, and
    the chance of every pair from its own votes, to which the model adds as much as a few votes. Then pairs
    are asked as they are when a verdict is near: the leader against its least proven rival.

    Parameters
    ----------
    decisive, ties, delta, within, active, initial_arms, changed
        As for `verdict_on`.
    rng : Generator
        Luck of the plays.

    Returns
    -------
    low, high : float
        Both 0 where there is a verdict; infinite where the plays came to no end within 30,000 votes.

    Examples
    --------
    >>> votes_left(np.array([[0, 9], [3, 0]]), np.zeros((2, 2)), np.random.default_rng(0))
    (10.0, 191.0)
    """
    require_generator(rng)
    votes, even, enough, arms = as_tables(
        decisive, ties, delta=delta, within=within, active=active, initial_arms=initial_arms, changed=changed
    )
    mode, root = np.zeros(len(arms)), np.eye(len(arms)) / sqrt(PRECISION)
    fit(PRECISION, votes + 0.5 * even, mode, root)
    tie_chance = 0.5 * even.sum() / (votes.sum() + 0.5 * even.sum() + 1.0)
    bets, lengths = (bets_on(within), bets_on(-within)), np.empty(PLAYS)
    for play in range(PLAYS):
        chances = draw_chances(mode, root, votes, tie_chance, rng)
        lengths[play] = play_on(*bets, enough, chances, tie_chance, votes.copy(), even.copy(), LONGEST, rng)
    lengths[lengths == LONGEST] = inf
    low, high = np.sort(lengths)[[PLAYS // 10, PLAYS - 1 - PLAYS // 10]].tolist()
    return low, high


def draw_chances(
    mode: FloatArray, root: FloatArray, decisive: FloatArray, tie_chance: float, rng: Generator
) -> FloatArray:
    """Return a possible truth: for every pair, the chance that a vote that is no tie is for the first."""
    k = len(mode)
    utilities = mode + root.T @ rng.standard_normal(k)
    lead = np.tanh(0.5 * (utilities[:, None] - utilities)) / (1.0 - tie_chance)
    expected = 0.5 + 0.5 * np.clip(lead, -0.98, 0.98)
    chances = rng.beta(decisive + STRENGTH * expected, decisive.T + STRENGTH * (1.0 - expected))
    upper = np.triu(chances, 1)
    return upper + np.tril(1.0 - chances.T, -1) + 0.5 * np.eye(k)


@compiled
def play_on(
    bets: Bets,
    bets_on_loss: Bets,
    enough: FloatArray,
    chances: FloatArray,
    tie_chance: float,
    decisive: FloatArray,
    ties: FloatArray,
    limit: int,
    rng: Generator,
) -> int:
    """Return after how many votes there is a verdict, at most `limit`; the tables are changed.

    `bets` prove that an arm loses to another by no more than the margin, `bets_on_loss` that it loses by
    more; without a margin both are the same.
    """
    k = len(decisive)
    evidence, slack, lost = np.empty((k, k)), np.empty(k), np.zeros(k, np.bool_)
    fill_evidence(bets_on_loss, decisive, ties, evidence)
    for i in range(k):
        for j in range(k):
            lost[i] |= j != i and evidence[j, i] >= enough[j, i]
    fill_evidence(bets, decisive, ties, evidence)
    for i in range(k):
        slack[i] = least_slack(evidence, enough, i)
    for votes in range(limit):
        leader = int(np.argmax(slack))
        if slack[leader] >= 0.0 or lost.all():
            return votes
        rival = -1
        for j in range(k):
            if j != leader and (rival < 0 or evidence[leader, j] < evidence[leader, rival]):
                rival = j
        if rng.random() < tie_chance:
            ties[leader, rival] += 1.0
            ties[rival, leader] += 1.0
        elif rng.random() < chances[leader, rival]:
            decisive[leader, rival] += 1.0
        else:
            decisive[rival, leader] += 1.0
        won, even, gone = decisive[leader, rival], ties[leader, rival], decisive[rival, leader]
        evidence[leader, rival] = log_evidence(bets, won, gone, even)
        evidence[rival, leader] = log_evidence(bets, gone, won, even)
        slack[leader] = least_slack(evidence, enough, leader)
        slack[rival] = least_slack(evidence, enough, rival)
        lost[leader] = lost[leader] or log_evidence(bets_on_loss, gone, won, even) >= enough[rival, leader]
        lost[rival] = lost[rival] or log_evidence(bets_on_loss, won, gone, even) >= enough[leader, rival]
    return limit


@borrowing
def least_slack(evidence: FloatArray, enough: FloatArray, arm: int) -> float:
    """Return by how much an arm's evidence exceeds what is enough, where it does least."""
    least = inf
    for j in range(len(evidence)):
        if j != arm:
            least = min(least, evidence[arm, j] - enough[arm, j])
    return least
