"""Evidence that one arm beats another, as an e-value: the wealth of a bettor who bets on that arm.

With a stake s in (0, 1], every vote x in [0, 1] on i against j multiplies the wealth by 1 + s (2x - 1): a win
multiplies it by 1 + s, a loss by 1 - s, and a tie leaves it unchanged. If i does not beat j, the wealth does
not grow in expectation, however the pairs are chosen and whenever it is looked at; neither does a mixture
over stakes that were fixed in advance. By Ville's inequality, the probability that the wealth ever reaches c
is at most 1 / c.
"""

from functools import lru_cache
from math import exp, inf, log
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.kernels.compile import borrowing, compiled

STAKES = np.geomspace(0.002, 1.0, 16)
"""From near-ties, where larger stakes would lose, to unanimous votes."""

SHARES = np.exp(-0.5 * np.abs(np.log(STAKES / 0.15)))
SHARES /= SHARES.sum()
"""The share of the wealth that is bet at each stake: largest at the gaps that are usual in practice."""

RUIN = -1e300  # the logarithm of zero wealth; finite, so that 0 losses times it are 0 rather than NaN


class Bets(NamedTuple):
    """For each stake, the logarithms of its share and of the factors of a win, a loss and a tie."""

    share: FloatArray
    win: FloatArray
    loss: FloatArray
    tie: FloatArray


@lru_cache(maxsize=64)
def bets_on(margin: float = 0.0) -> Bets:
    """Return bets on the claim that the probability that i is preferred to j exceeds 1/2 - margin.

    The factor is 1 + s (2x - 1 + 2 margin) / (1 + 2 |margin|), which stays positive. With a margin, ties
    count: they are evidence that two arms are nearly equal.
    """
    scale = STAKES / (1.0 + 2.0 * abs(margin))

    def factor(lead: float) -> FloatArray:
        left = 1.0 + scale * (lead + 2.0 * margin)
        return np.where(left > 1e-12, np.log(np.maximum(left, 1e-12)), RUIN)

    return Bets(np.log(SHARES), factor(1.0), factor(-1.0), factor(0.0))


@borrowing
def log_evidence(bets: Bets, wins: float, losses: float, ties: float) -> float:
    """Return the logarithm of the wealth after these votes, starting from one unit.

    Examples
    --------
    >>> round(log_evidence(bets_on(), 30.0, 10.0, 5.0), 2)
    3.4
    """
    most = -inf
    for s in range(len(bets.share)):
        most = max(most, bets.share[s] + wins * bets.win[s] + losses * bets.loss[s] + ties * bets.tie[s])
    total = 0.0
    for s in range(len(bets.share)):
        total += exp(bets.share[s] + wins * bets.win[s] + losses * bets.loss[s] + ties * bets.tie[s] - most)
    return most + log(total)


@compiled
def fill_evidence(bets: Bets, decisive: FloatArray, ties: FloatArray, table: FloatArray) -> None:
    """Fill in `table[i, j]`, the logarithm of the evidence that arm i beats arm j.

    `decisive[i, j]` is the number of votes for i against j, and `ties[i, j]` that of ties between them. The
    diagonal is infinite.
    """
    for i in range(len(table)):
        for j in range(len(table)):
            table[i, j] = inf if i == j else log_evidence(bets, decisive[i, j], decisive[j, i], ties[i, j])
