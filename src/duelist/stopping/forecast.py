"""Forecast the number of votes until a verdict by simulating the study's future many times."""

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

SIMULATIONS = 40
LONGEST = 30_000  # votes after which a simulation is stopped
STRENGTH = 10.0  # weight of the Bradley-Terry model in the distribution of a pair, in votes


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
    """Forecast how many more votes a verdict will take, as a range with about 80% coverage.

    The future is simulated 40 times. Each simulation draws the true preferences given the votes so far:
    utilities from the posterior of a Bradley-Terry model of all votes, and the probability of each pair from
    its own votes, to which the model contributes as much as ten votes. It then compares the leader with the
    rival against which it has the least evidence, as studies do shortly before a verdict.

    Parameters
    ----------
    decisive : array of shape (k, k)
        `decisive[i, j]` is the number of votes for i against j, as in `verdict_on`.
    ties : array of shape (k, k)
        `ties[i, j]`, equal to `ties[j, i]`, is the number of ties.
    rng : Generator
        The random numbers of the simulations.
    delta : float, default 0.05
        The share of studies in which a verdict may be wrong.
    within : float, default 0.0
        The difference of probabilities that does not matter, as in `verdict_on`.
    active : sequence of int, optional
        The arms that the verdict is about; by default all.
    initial_arms : int, optional
        The number of arms at the beginning; by default all.
    changed : bool, default False
        Whether any arm was ever added or retired.

    Returns
    -------
    low, high : float
        The bounds of the range. Both are 0 if there is a verdict already; infinite if the simulations did not
        end within 30,000 votes.

    Raises
    ------
    ParameterError
        If an option is invalid.
    PreferenceError
        If a table does not hold counts of votes.

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
    bets, lengths = (bets_on(within), bets_on(-within)), np.empty(SIMULATIONS)
    for number in range(SIMULATIONS):
        chances = draw_chances(mode, root, votes, tie_chance, rng)
        lengths[number] = votes_until_verdict(
            *bets, enough, chances, tie_chance, votes.copy(), even.copy(), LONGEST, rng
        )
    lengths[lengths == LONGEST] = inf
    low, high = np.sort(lengths)[[SIMULATIONS // 10, SIMULATIONS - 1 - SIMULATIONS // 10]].tolist()
    return low, high


def draw_chances(
    mode: FloatArray, root: FloatArray, decisive: FloatArray, tie_chance: float, rng: Generator
) -> FloatArray:
    """Draw true preferences: for each pair, the probability that a decisive vote is for the first arm."""
    k = len(mode)
    utilities = mode + root.T @ rng.standard_normal(k)
    lead = np.tanh(0.5 * (utilities[:, None] - utilities)) / (1.0 - tie_chance)
    expected = 0.5 + 0.5 * np.clip(lead, -0.98, 0.98)
    chances = rng.beta(decisive + STRENGTH * expected, decisive.T + STRENGTH * (1.0 - expected))
    upper = np.triu(chances, 1)
    return upper + np.tril(1.0 - chances.T, -1) + 0.5 * np.eye(k)


@compiled
def votes_until_verdict(
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
    """Simulate votes until a verdict, and return their number, at most `limit`; the tables are modified.

    `bets` prove that an arm loses to another by at most the margin, `bets_on_loss` that it loses by more;
    without a margin the two are equal.
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
    """Return the minimum over rivals by which an arm's evidence exceeds the threshold."""
    least = inf
    for j in range(len(evidence)):
        if j != arm:
            least = min(least, evidence[arm, j] - enough[arm, j])
    return least
