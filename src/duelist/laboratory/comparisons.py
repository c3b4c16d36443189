"""The kinds of comparison that a claim in `expected.json` may name, and the conditions it may need.

A claim's `test` says how what was measured is compared, all numbers of it where there are several:

- `met` (the default): the finding says itself, by True or False, whether the claim holds;
- `above`, `below`, `at_least`, `at_most`: with the limit, an interval with all of it;
- `off_by_at_most`: its size, whatever its sign, is at most the limit, as for standard errors;
- `equal`: it is the limit, number by number;
- `within`, `within_factor`: it lies between the bounds, an interval with all of it;
- `reaches`, `reaches_factor`: an interval reaches into the bounds.

The limit is what the finding computed; else the claim's `limit`, its `tolerance` or the `paper`'s number, the
first that is given. Bounds are the paper's number or range, wider by the tolerance, or by it as a factor.
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


Value: TypeAlias = bool | float | Interval | Sequence[bool | float | Interval] | NDArray[Any] | None
"""What is compared: numbers, intervals or whether it is so; None where it cannot be told."""
Claim: TypeAlias = Mapping[str, Any]

NEEDS: dict[str, tuple[Callable[[ItemResults], bool], str]] = {
    "paper_scale": (
        lambda results: results.scale is Scale.PAPER,
        "The claim is about the paper's scale; less was played.",
    ),
    "real_data": (lambda results: results.real, "The claim is about real data; this is made up."),
}
"""What a claim may need to be judged, and what is said where `expected.json` has no words in `unmet`."""
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
"""By the lower and the upper ends of what was measured, and a limit or bounds."""
TESTS |= {f"{test}_factor": TESTS[test] for test in ("within", "reaches")}


def agrees(claim: Claim, value: Value, limit: Any = None) -> bool | None:
    """Return whether what was measured agrees with a claim; None where nothing was measured.

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
    """Return the paper's number or range, wider by the tolerance: as a factor where the test says so."""
    paper, tolerance = claim["paper"], claim["tolerance"]
    low, high = paper if isinstance(paper, list) else (paper, paper)
    if tolerance is None:
        return low, high
    if claim["test"].endswith("_factor"):
        return low / tolerance, high * tolerance
    return low - tolerance, high + tolerance


def unmet_need(claim: Claim, expected: Claim, results: ItemResults) -> str | None:
    """Return the reason of the first need of a claim, or else of its item, that these results do not meet."""
    for need in claim.get("needs", expected.get("needs", ())):
        require_known("need", need, NEEDS)
        met, reason = NEEDS[need]
        if not met(results):
            told: str = {**expected.get("unmet", {}), **claim.get("unmet", {})}.get(need, reason)
            return told
    return None


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
