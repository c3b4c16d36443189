"""Arms as they stand: rating and votes of each, and how the votes between two went."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.arena.standing.rating import LOST, WON, Rated
from duelist.duel import IntArray


class ArmStanding(NamedTuple):
    """One arm: its rating where it has one, and how its votes went."""

    number: int
    """The arm's own number, which never changes."""
    name: str
    retired: bool
    votes: int
    """How many votes it was in, those that repeat a voter's earlier one left out."""
    wins: int
    ties: int
    rating: float | None = None
    """In points: 400 are odds of 10 to 1, and 1,000 is the mean of all rated arms."""
    low: float | None = None
    high: float | None = None
    rank_low: int | None = None
    """The best rank that it may have among rated arms, and the worst; for all at once."""
    rank_high: int | None = None
    unrated: str = ""
    """Why it has no rating, where others have one."""

    @property
    def share(self) -> float | None:
        """The share of its votes that it won, a tie being half; None without votes."""
        return (self.wins + 0.5 * self.ties) / self.votes if self.votes else None


class PairStanding(NamedTuple):
    """How the votes between two arms went, seen from the first."""

    wins: int
    ties: int
    votes: int


def arms_of(
    names: Sequence[str], retired: Collection[int], wins: IntArray, ties: IntArray, rated: Rated
) -> tuple[ArmStanding, ...]:
    """Return all arms: those that won all votes against rated ones, the rated by rating, then the others."""
    lines = []
    for arm, name in enumerate(names):
        won, tied = int(wins[arm].sum()), int(ties[arm].sum())
        votes, known = won + tied + int(wins[:, arm].sum()), rated.lines.get(arm)
        fields: dict[str, Any] = {"unrated": rated.reasons.get(arm, "")}
        if known is not None:
            fields = {
                field: getattr(known, field) for field in ("rating", "low", "high", "rank_low", "rank_high")
            }
        lines.append(ArmStanding(arm, name, arm in retired, votes, won, tied, **fields))

    def place(arm: ArmStanding) -> tuple[float, ...]:
        group = {WON: 0, "": 1, LOST: 2}.get(arm.unrated, 3 if arm.votes else 4)
        likely = (arm.wins + 0.5 * arm.ties + 1.0) / (arm.votes + 2.0)
        return group, 0.0 if arm.rating is None else -round(arm.rating, 6), -likely

    return tuple(sorted(lines, key=place))


def pairs_of(order: list[int], wins: IntArray, ties: IntArray) -> tuple[tuple[PairStanding | None, ...], ...]:
    """Return how the votes between arms went, in this order."""
    won, tied = wins[np.ix_(order, order)].tolist(), ties[np.ix_(order, order)].tolist()
    votes = (wins + wins.T + ties)[np.ix_(order, order)].tolist()
    places = range(len(order))
    return tuple(
        tuple(None if i == j else PairStanding(won[i][j], tied[i][j], votes[i][j]) for j in places)
        for i in places
    )
