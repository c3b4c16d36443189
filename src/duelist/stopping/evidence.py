"""Evidence that one arm beats another: what money bet on it has become (an e-value).

A stake s in (0, 1] turns every vote x in [0, 1] on i against j into a factor 1 + s (2x - 1): a win
multiplies the money by 1 + s, a loss by 1 - s, and a tie leaves it as it is, so that ties drop out. If i does
not beat j, the money does not grow on average, whatever pairs are chosen and whenever one looks; nor does an
average over stakes that were fixed beforehand. By Ville's inequality it ever reaches c with a chance of at
most 1 / c.
"""

from functools import lru_cache
from math import exp, inf, log
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.kernels.compile import borrowing, compiled

STAKES = np.geomspace(0.002, 1.0, 16)
"""From near-ties, where larger stakes would lose, to votes that all agree."""

SHARES = np.exp(-0.5 * np.abs(np.log(STAKES / 0.15)))
SHARES /= SHARES.sum()
"""The part of the money that is bet at each stake: most where arms that people compare usually lie."""

RUIN = -1e300  # the logarithm of no money at all; a finite number, so that no losses times it are 0


class Bets(NamedTuple):
    """For every stake, the logarithms of its share and of the factors of a win, a loss and a tie."""

    share: FloatArray
    win: FloatArray
    loss: FloatArray
    tie: FloatArray


@lru_cache(maxsize=64)
def bets_on(margin: float = 0.0) -> Bets:
    """Return bets on "i beats j by more than -margin": that its chance to be preferred exceeds 1/2 - margin.

    The factor is 1 + s (2x - 1 + 2 margin) / (1 + 2 |margin|), which stays positive. With a margin ties
    count: they speak for arms that are as good as equal.
    """
    scale = STAKES / (1.0 + 2.0 * abs(margin))

    def factor(lead: float) -> FloatArray:
        left = 1.0 + scale * (lead + 2.0 * margin)
        return np.where(left > 1e-12, np.log(np.maximum(left, 1e-12)), RUIN)

    return Bets(np.log(SHARES), factor(1.0), factor(-1.0), factor(0.0))


@borrowing
def log_evidence(bets: Bets, wins: float, losses: float, ties: float) -> float:
    """Return the logarithm of what one unit of money has become after these votes.

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
    """Fill in the logarithm of the evidence that the arm of a row beats that of a column, for every pair.

    `decisive[i, j]` counts votes for i against j, `ties[i, j]` their ties; the diagonal is infinite.
    """
    for i in range(len(table)):
        for j in range(len(table)):
            table[i, j] = inf if i == j else log_evidence(bets, decisive[i, j], decisive[j, i], ties[i, j])
