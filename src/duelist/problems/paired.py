"""What recorded comparisons say about each pair, and whether they settle who wins."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from duelist.duel import FloatArray
from duelist.problems.comparisons import wilson_interval
from duelist.text import enumeration


class Pair(NamedTuple):
    """Two arms that were compared; the one that won more often comes first."""

    better: str
    worse: str
    wins: float
    duels: float
    lower: float
    """Bounds on the chance that the better arm wins."""
    upper: float

    @property
    def settled(self) -> bool:
        """Whether the interval excludes 1/2."""
        return self.lower > 0.5


@dataclass(frozen=True)
class PairedComparisons:
    """Recorded comparisons by pair; the pairs that matter most to who wins come first."""

    confidence: float
    leaders: tuple[str, ...]
    """The arms that beat the most others, so far."""
    has_winner: bool
    """Whether the only leader beats all others, so far."""
    pairs: tuple[Pair, ...]
    unseen: tuple[tuple[str, str], ...]
    """Pairs that were never compared."""

    @property
    def total(self) -> float:
        """The number of comparisons."""
        return sum(pair.duels for pair in self.pairs)

    @property
    def open_rivals(self) -> tuple[str, ...]:
        """The arms that may yet turn out to beat the Condorcet winner."""
        if not self.has_winner:
            return ()
        return tuple(pair.worse for pair in self.pairs if pair.better in self.leaders and not pair.settled)

    @property
    def settled(self) -> bool:
        """Whether the comparisons show, pair by pair, that one arm beats all others."""
        return self.has_winner and not self.open_rivals

    @property
    def verdict(self) -> str:
        """Whether the Condorcet winner is settled, in one sentence."""
        if not self.has_winner:
            return "No arm beats all others in these comparisons; " + (
                "pairs that were never compared count as ties." if self.unseen else "see the pairs below."
            )
        if self.open_rivals:
            return (
                f"Needs more comparisons: {self.leaders[0]} is ahead of all others, but against "
                f"{enumeration(self.open_rivals)} the interval includes 1/2."
            )
        return f"Settled: {self.leaders[0]} beats every other arm, and each interval excludes 1/2."


def compare_pairs(
    labels: tuple[str, ...], wins: FloatArray, confidence: float, leaders: Collection[int], has_winner: bool
) -> PairedComparisons:
    """Return an interval for each pair of arms, from the matrix of wins.

    Pairs with a leader come first, and then those whose interval reaches furthest below 1/2: these are the
    comparisons that could change who wins.
    """
    lower, upper = wilson_interval(wins, confidence)
    seen, unseen = [], []
    for pair in combinations(range(len(labels)), 2):
        i, j = pair if wins[pair] >= wins[pair[::-1]] else pair[::-1]
        duels = float(wins[i, j] + wins[j, i])
        if duels == 0.0:
            unseen.append((labels[i], labels[j]))
            continue
        counted = Pair(labels[i], labels[j], float(wins[i, j]), duels, float(lower[i, j]), float(upper[i, j]))
        seen.append((not {i, j}.intersection(leaders), counted.lower, counted))
    return PairedComparisons(
        confidence=confidence,
        leaders=tuple(labels[arm] for arm in leaders),
        has_winner=has_winner,
        pairs=tuple(counted for *_, counted in sorted(seen, key=lambda entry: entry[:2])),
        unseen=tuple(unseen),
    )
