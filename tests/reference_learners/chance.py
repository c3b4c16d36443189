"""One uniform choice."""

import numpy as np


def pick(limit: int, rng: np.random.Generator) -> int:
    """Return a random whole number below `limit`, without a draw if `limit` is 1."""
    return 0 if limit == 1 else int(rng.random() * limit)
