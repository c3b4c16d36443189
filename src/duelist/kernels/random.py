"""Random numbers in kernels."""

from math import inf, log1p

from numpy.random import Generator

from duelist.kernels.compile import borrowing


@borrowing
def below(limit: int, rng: Generator) -> int:
    """Return a uniformly random whole number from 0 to `limit` - 1, without a draw if `limit` is 1.

    In a kernel this is cheaper than the generator's `integers`, and as uniform as 53 bits allow.

    Examples
    --------
    >>> import numpy as np
    >>> below(6, np.random.default_rng(1))
    3
    """
    return int(rng.random() * limit) if limit > 1 else 0


@borrowing
def failures(chance: float, rng: Generator) -> float:
    """Return the number of failures before the first success in independent trials; infinite if impossible.

    Examples
    --------
    >>> import numpy as np
    >>> failures(0.01, np.random.default_rng(1)), failures(1.0, np.random.default_rng(1))
    (71.0, 0.0)
    """
    if chance <= 0.0:
        return inf
    return log1p(-rng.random()) / log1p(-chance) // 1.0 if chance < 1.0 else 0.0


BITS = 2**62 - 1
"""Sums and products are truncated to 62 bits, so that machine code and Python compute the same numbers."""

STRIDE, FIRST_FACTOR, SECOND_FACTOR = 0x1E3779B97F4A7C15, 0x3F58476D1CE4E5B9, 0x14D049BB133111EB
"""The constants of SplitMix64 (Steele, Lea, Flood 2014), truncated to 62 bits."""


@borrowing
def draw_key(rng: Generator) -> int:
    """Draw the key of a table of random numbers, which `number_at` reads."""
    return int(rng.random() * 2.0**53)


@borrowing
def number_at(key: int, index: int) -> float:
    """Return the random number in [0, 1) at an index of the key's table; equal calls give equal numbers.

    A table costs one draw and no memory. Only the numbers that are read are computed, and none is stored.

    Examples
    --------
    >>> number_at(5, 0) == number_at(5, 0), number_at(5, 0) == number_at(5, 1)
    (True, False)
    """
    mixed = (key + (index + 1) * STRIDE) & BITS
    mixed = ((mixed ^ (mixed >> 30)) * FIRST_FACTOR) & BITS
    mixed = ((mixed ^ (mixed >> 27)) * SECOND_FACTOR) & BITS
    return float((mixed ^ (mixed >> 31)) >> 9) * 2.0**-53
