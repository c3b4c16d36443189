"""What must be the same everywhere for results to be the same, to the last bit."""

from functools import cache
from importlib.metadata import version

SAME_EVERYWHERE = ("duelist", "numba", "numpy", "scipy")
"""Packages whose version decides what a job makes."""


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that decide what a job makes.

    Examples
    --------
    >>> list(versions())
    ['duelist', 'numba', 'numpy', 'scipy']
    """
    return {name: version(name) for name in SAME_EVERYWHERE}
