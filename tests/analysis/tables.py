"""Files of votes for tests of analyses."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.random import Generator


def written(folder: Path, rows: Iterable[str], name: str = "votes.csv") -> Path:
    """Write lines to a file."""
    path = folder / name
    path.write_text("\n".join(rows) + "\n")
    return path


def battles(rng: Generator, strengths: dict[str, float], votes: int, more: str = "") -> list[str]:
    """Return random votes under left,right,outcome; a tenth are ties."""
    names = list(strengths)
    rows = ["left,right,outcome" + (f",{more}" if more else "")]
    for _ in range(votes):
        one, other = rng.choice(len(names), 2, replace=False)
        chance = 1.0 / (1.0 + np.exp(strengths[names[other]] - strengths[names[one]]))
        outcome = "tie" if rng.random() < 0.1 else "left" if rng.random() < chance else "right"
        rows.append(f"{names[one]},{names[other]},{outcome}")
    return rows
