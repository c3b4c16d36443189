"""Who was shown how often, from the first vote to the last."""

from typing import NamedTuple

import numpy as np

from duelist.votes.table import Votes

MOST_STAGES = 40
"""Into how many stages of equal length the votes are divided, at most."""
MOST_APART = 7
"""How many arms are told apart: those shown most often."""


class Shares(NamedTuple):
    """The share of places in duels that each arm filled, stage by stage; the shares of a stage sum to 1."""

    arms: tuple[str, ...]
    """Those shown most often, the most often first."""
    others: int
    """How many other arms there are; they share the last column, if there are any."""
    ends: tuple[int, ...]
    """The number of the last vote of each stage."""
    rows: tuple[tuple[float, ...], ...]
    """For each stage the share of each arm, then that of all others."""


def shares_of(votes: Votes) -> Shares:
    """Return who was shown how often, in stages of equally many votes, give or take one."""
    n, k = len(votes.left), votes.k
    stages = min(n, MOST_STAGES)
    ends = np.arange(1, stages + 1) * n // max(stages, 1)
    stage = np.searchsorted(ends, np.arange(n), side="right")
    shown = np.zeros((stages, k))
    for side in (votes.left, votes.right):
        shown += np.bincount(stage * k + side, minlength=stages * k).reshape(stages, k)
    order = np.argsort(-shown.sum(axis=0), kind="stable")
    apart, rest = (order, order[:0]) if k <= MOST_APART + 1 else (order[:MOST_APART], order[MOST_APART:])
    columns = [shown[:, apart], *([shown[:, rest].sum(axis=1, keepdims=True)] if len(rest) else [])]
    places = np.hstack(columns) / np.maximum(shown.sum(axis=1, keepdims=True), 1.0)
    return Shares(
        arms=tuple(votes.arms[arm] for arm in apart),
        others=len(rest),
        ends=tuple(ends.tolist()),
        rows=tuple(tuple(row) for row in places.tolist()),
    )
