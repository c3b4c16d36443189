"""Figure 5: the runs that count Condorcet winners and total orders of random subsets of rankers."""

import numpy as np
from numpy.random import Generator, default_rng

from duelist.duel import BoolArray, IntArray
from duelist.kernels.compile import compiled
from duelist.kernels.random import below
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, settings
from duelist.preferences import beats
from duelist_reproductions.subsets_with_winners import winner_chances
from duelist_reproductions.zoghi2014.rankers import all_preferences

SETTINGS = settings(samples=(10_000, 100_000))


def plan(results: ItemResults) -> list[Piece]:
    """Return the pieces: counting is exact, orders are sampled."""
    samples = {"samples": SETTINGS[results.scale].samples, "seed": 0}
    return [Piece("condorcet", count_winners, cost=0.1), Piece("total-order", sample_orders, samples)]


def count_winners(sources: Sources) -> Arrays:
    """Return for every size the chance of a Condorcet winner, and how many triples are cyclic."""
    defeated = beats(all_preferences(sources))
    return {"chance": winner_chances(defeated), "cyclic_triples": np.array(cyclic_triples(defeated))}


def cyclic_triples(defeated: BoolArray) -> int:
    wins = defeated.astype(np.int64)
    return int(np.trace(wins @ wins @ wins)) // 3


def sample_orders(sources: Sources, *, samples: int, seed: int) -> Arrays:
    """Return for every size how many of n random subsets have a total order.

    A sample is a random order in which all arms are drawn: its first K arms are a random subset for every
    K. Sizes share samples, so their estimates move together; each alone is what fresh subsets would give.
    """
    defeated = beats(all_preferences(sources))
    return {"ordered": count_orders(defeated, samples, default_rng(seed)), "samples": np.array(samples)}


@compiled
def count_orders(defeated: BoolArray, samples: int, rng: Generator) -> IntArray:
    """Draw arms one by one and insert each into the order while possible; count by size."""
    arms = len(defeated)
    ordered = np.zeros(arms, np.int64)
    urn, line = np.arange(arms), np.empty(arms, np.int64)
    for _ in range(samples):
        for size in range(arms):
            drawn = size + below(arms - size, rng)
            urn[size], urn[drawn] = urn[drawn], urn[size]
            if not stand_in_line(defeated, line, size, urn[size]):
                break
            ordered[size] += 1
    return ordered


@compiled
def stand_in_line(defeated: BoolArray, line: IntArray, size: int, arm: int) -> bool:
    """Insert an arm after all that beat it and before all that it beats; return whether that is possible."""
    index = 0
    while index < size and defeated[line[index], arm]:
        index += 1
    for behind in range(index, size):
        if not defeated[arm, line[behind]]:
            return False
    for behind in range(size, index, -1):
        line[behind] = line[behind - 1]
    line[index] = arm
    return True
