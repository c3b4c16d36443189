"""The comparisons that a claim in `expected.json` can use, and the conditions it can require.

A claim's `test` selects the comparison, which all measured numbers must pass:

- `met` (the default): the finding itself is True or False;
- `above`, `below`, `at_least`, `at_most`: compared with the limit; an interval as a whole;
- `off_by_at_most`: the absolute value is at most the limit, as for standard errors;
- `equal`: equal to the limit, number by number;
- `within`, `within_factor`: between the bounds; an interval as a whole;
- `reaches`, `reaches_factor`: the interval overlaps the bounds.

The limit is the first of: the finding's `limit`, the claim's `limit`, its `tolerance`, the `paper`'s number.
The bounds are the paper's number or range, widened by the tolerance, or by the tolerance as a factor.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FloatArray
from duelist.errors import require_known
from duelist.laboratory.work import ItemResults, Scale


class Interval(NamedTuple):
    """A number with its 95% interval.

    Parameters
    ----------
    value : float
        The number.
    low, high : float
        The ends of the interval.

    Examples
    --------
    >>> f"{Interval(0.5, 0.25, 0.75):.0%}"
    '50% (95%: 25% to 75%)'
    """

    value: float
    low: float
    high: float

    def __format__(self, style: str) -> str:
        style = style or ".2f"
        return f"{self.value:{style}} (95%: {self.low:{style}} to {self.high:{style}})"


Value: TypeAlias = bool | float | Interval | Sequence[bool | float | Interval] | NDArray[Any] | None
"""A measured value: numbers, intervals or truth values; None if it could not be measured."""
Claim: TypeAlias = Mapping[str, Any]

NEEDS: dict[str, tuple[Callable[[ItemResults], bool], str]] = {
    "paper_scale": (
        lambda results: results.scale is Scale.PAPER,
        "The claim is about the paper's scale; less was played.",
    ),
    "real_data": (lambda results: results.real, "The claim is about real data; this is made up."),
}
"""The conditions of claims, with the default explanation if `expected.json` has none in `unmet`."""
TESTS: dict[str, Callable[[NDArray[Any], NDArray[Any], Any], Any]] = {
    "met": lambda low, high, limit: low.astype(bool),
    "above": lambda low, high, limit: low > limit,
    "below": lambda low, high, limit: high < limit,
    "at_least": lambda low, high, limit: low >= limit,
    "at_most": lambda low, high, limit: high <= limit,
    "off_by_at_most": lambda low, high, limit: np.maximum(np.abs(low), np.abs(high)) <= limit,
    "equal": lambda low, high, limit: np.array_equal(low, np.ravel(limit)),
    "within": lambda low, high, bounds: (low >= bounds[0]) & (high <= bounds[1]),
    "reaches": lambda low, high, bounds: (high >= bounds[0]) & (low <= bounds[1]),
}
"""The comparisons, as functions of the lower and upper ends of measured values, and a limit or bounds."""
TESTS |= {f"{test}_factor": TESTS[test] for test in ("within", "reaches")}


def agrees(claim: Claim, value: Value, limit: Any = None) -> bool | None:
    """Return whether a measured value agrees with a claim.

    Parameters
    ----------
    claim : mapping
        The claim in `expected.json`.
    value : bool, float, Interval, a sequence or array of them, or None
        The measured value.
    limit : optional
        The limit, if the finding computed one.

    Returns
    -------
    bool or None
        None if nothing was measured.

    Raises
    ------
    UnknownNameError
        If there is no comparison of the claim's name.

    Examples
    --------
    >>> claim = {"paper": [5, 10], "tolerance": 0.5, "test": "reaches"}
    >>> agrees(claim, Interval(4.4, 4.3, 4.55)), agrees(claim, Interval(4.4, 4.3, 4.45))
    (True, False)
    """
    test = claim.get("test", "met")
    require_known("test", test, TESTS)
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    parts = value if isinstance(value, Sequence) and not isinstance(value, Interval) else [value]
    if value is None or not parts:
        return None
    low, high = np.array([one[1:] if isinstance(one, Interval) else (one, one) for one in parts]).T
    if test.startswith(("within", "reaches")):
        limit = bounds_of(claim)
    given = (limit, claim.get("limit"), claim["tolerance"], claim["paper"])
    return bool(np.all(TESTS[test](low, high, next((one for one in given if one is not None), None))))


def bounds_of(claim: Claim) -> tuple[float, float]:
    """Return the paper's number or range, widened by the tolerance."""
    paper, tolerance = claim["paper"], claim["tolerance"]
    low, high = paper if isinstance(paper, list) else (paper, paper)
    if tolerance is None:
        return low, high
    if claim["test"].endswith("_factor"):
        return low / tolerance, high * tolerance
    return low - tolerance, high + tolerance


def unmet_need(claim: Claim, expected: Claim, results: ItemResults) -> str | None:
    """Return the explanation of the first need of a claim or its item that the results do not meet."""
    for need in claim.get("needs", expected.get("needs", ())):
        require_known("need", need, NEEDS)
        met, reason = NEEDS[need]
        if not met(results):
            explanation: str = {**expected.get("unmet", {}), **claim.get("unmet", {})}.get(need, reason)
            return explanation
    return None


def ratio_of_means(above: FloatArray, below: FloatArray) -> Interval:
    """Return the ratio of two independent samples' means, with an interval computed for its logarithm.

    Parameters
    ----------
    above, below : array of float
        The samples of the numerator and of the denominator.

    Returns
    -------
    Interval
        The ratio and its 95% interval.

    Examples
    --------
    >>> format(ratio_of_means(np.array([9.0, 10.0, 11.0]), np.array([2.0, 2.0, 2.0])))
    '5.00 (95%: 4.47 to 5.60)'
    """
    value = above.mean() / below.mean()
    variance = sum(one.var(ddof=1) / len(one) / one.mean() ** 2 for one in (above, below))
    width = 1.96 * np.sqrt(variance)
    return Interval(float(value), float(value * np.exp(-width)), float(value * np.exp(width)))
