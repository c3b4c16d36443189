"""How fast recorded votes are read and counted."""

import csv
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.table import Figure, seconds
from duelist.votes import count, load_votes

ROWS, ARMS, TRIES = 1_000_000, 30, 3


def made_up_votes() -> list[tuple[str, str]]:
    """Return who beat whom, at random."""
    rng = np.random.default_rng(0)
    winners = rng.integers(0, ARMS, ROWS)
    losers = (winners + rng.integers(1, ARMS, ROWS)) % ARMS
    names = [f"arm{arm}" for arm in range(ARMS)]
    return [(names[won], names[lost]) for won, lost in zip(winners.tolist(), losers.tolist(), strict=True)]


def counted(path: Path) -> Counter[tuple[str, str]]:
    """Count as one would write it first, without a check: a dictionary of pairs."""
    wins = Counter[tuple[str, str]]()
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            wins[row["winner"], row["loser"]] += int(row["count"])
    return wins


def summed(votes: Sequence[tuple[str, str]]) -> dict[str, dict[str, float]]:
    """Count records without a check, one after the other."""
    wins: dict[str, dict[str, float]] = {}
    for won, lost in votes:
        against = wins.setdefault(won, {})
        against[lost] = against.get(lost, 0.0) + 1.0
    return wins


def best(work: Callable[[], object]) -> float:
    return min(seconds(work) for _ in range(TRIES))


def figures() -> list[Figure]:
    votes = made_up_votes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.csv"
        path.write_text("winner,loser,count\n" + "".join(f"{won},{lost},1\n" for won, lost in votes))
        read, plain = best(lambda: load_votes(path)), best(lambda: counted(path))
    tallied, added = best(lambda: count(load_votes(votes))), best(lambda: summed(votes))
    against = "a dictionary of pairs, nothing checked"
    return [
        Figure(f"{ROWS:,} votes read from CSV", f"{read:.2f} s", f"{plain:.2f} s", against, plain / read),
        Figure(
            f"{ROWS:,} votes in rows, read and counted",
            f"{tallied:.2f} s",
            f"{added:.2f} s",
            against,
            added / tallied,
        ),
    ]
