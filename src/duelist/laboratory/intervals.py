"""A number with its 95% interval."""

from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray


class Interval(NamedTuple):
    """A number with its 95% interval.

    Examples
    --------
    >>> f"{Interval(0.5, 0.25, 0.75):.0%}"
    '50% (95%: 25% to 75%)'
    """

    value: float
    low: float
    high: float

    def __format__(self, style: str) -> str:
        """Return it in words, each number in this style."""
        style = style or ".2f"
        return f"{self.value:{style}} (95%: {self.low:{style}} to {self.high:{style}})"


def ratio_of_means(above: FloatArray, below: FloatArray) -> Interval:
    """Return the ratio of two independent samples' means; its interval is that of the logarithm.

    Examples
    --------
    >>> format(ratio_of_means(np.array([9.0, 10.0, 11.0]), np.array([2.0, 2.0, 2.0])))
    '5.00 (95%: 4.47 to 5.60)'
    """
    value = above.mean() / below.mean()
    variance = sum(one.var(ddof=1) / len(one) / one.mean() ** 2 for one in (above, below))
    width = 1.96 * np.sqrt(variance)
    return Interval(float(value), float(value * np.exp(-width)), float(value * np.exp(width)))
