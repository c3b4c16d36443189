"""One uniform choice."""

import numpy as np


def pick(limit: int, rng: np.random.Generator) -> int:
    """Return a whole number below `limit`; a choice of one costs no randomness."""
    return 0 if limit == 1 else int(rng.random() * limit)
