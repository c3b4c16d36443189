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
from duelist.errors import UnknownNameError
from duelist.laboratory.intervals import Interval
from duelist.laboratory.work import ItemResults, Scale

Value: TypeAlias = bool | float | Interval | Sequence[bool | float | Interval] | NDArray[Any] | None
"""What is compared: numbers, intervals or whether it is so; None where it cannot be told."""
Claim: TypeAlias = Mapping[str, Any]

NEEDS: dict[str, Callable[[ItemResults], bool]] = {
    "paper_scale": lambda results: results.scale is Scale.PAPER,
    "real_data": lambda results: results.real,
}
"""What a claim may need to be judged."""
UNMET = {
    "paper_scale": "The claim is about the paper's scale; less was played.",
    "real_data": "The claim is about real data; this is made up.",
}
"""What is said where a need is not met and `expected.json` says nothing of its own in `unmet`."""


class Compared(NamedTuple):
    """Both ends of what was measured, and what it is compared with."""

    low: FloatArray
    high: FloatArray
    limit: Any
    bounds: tuple[float, float]
    """Wider by the tolerance."""
    factors: tuple[float, float]
    """Wider by the tolerance as a factor."""


TESTS: dict[str, Callable[[Compared], Any]] = {
    "met": lambda one: one.low.astype(bool),
    "above": lambda one: one.low > one.limit,
    "below": lambda one: one.high < one.limit,
    "at_least": lambda one: one.low >= one.limit,
    "at_most": lambda one: one.high <= one.limit,
    "off_by_at_most": lambda one: np.maximum(np.abs(one.low), np.abs(one.high)) <= one.limit,
    "equal": lambda one: np.array_equal(one.low, np.ravel(one.limit)),
    "within": lambda one: (one.low >= one.bounds[0]) & (one.high <= one.bounds[1]),
    "within_factor": lambda one: (one.low >= one.factors[0]) & (one.high <= one.factors[1]),
    "reaches": lambda one: (one.high >= one.bounds[0]) & (one.low <= one.bounds[1]),
    "reaches_factor": lambda one: (one.high >= one.factors[0]) & (one.low <= one.factors[1]),
}


def agrees(claim: Claim, value: Value, limit: Any = None) -> bool | None:
    """Return whether what was measured agrees with a claim; None where nothing was measured.

    Examples
    --------
    >>> claim = {"paper": [5, 10], "tolerance": 0.5, "test": "reaches"}
    >>> agrees(claim, Interval(4.4, 4.3, 4.55)), agrees(claim, Interval(4.4, 4.3, 4.45))
    (True, False)
    >>> agrees({"paper": None, "tolerance": 3, "test": "off_by_at_most"}, [0.5, -3.5])
    False
    """
    if value is None:
        return None
    test = claim.get("test", "met")
    if test not in TESTS:
        raise UnknownNameError("test", test, TESTS)
    if isinstance(value, np.ndarray):
        parts: list[Any] = list(np.ravel(value))
    else:
        parts = list(value) if isinstance(value, Sequence) and not isinstance(value, Interval) else [value]
    if not parts:
        return None
    low = np.array([one.low if isinstance(one, Interval) else one for one in parts])
    high = np.array([one.high if isinstance(one, Interval) else one for one in parts])
    given = [limit, claim.get("limit"), claim.get("tolerance"), claim.get("paper")]
    used = next((one for one in given if one is not None), None)
    return bool(np.all(TESTS[test](Compared(low, high, used, bounds_of(claim), factors_of(claim)))))


def bounds_of(claim: Claim) -> tuple[float, float]:
    """Return the paper's number or range, wider by the tolerance; not a number where there is none.

    Examples
    --------
    >>> bounds_of({"paper": [5, 10], "tolerance": 0.5})
    (4.5, 10.5)
    """
    (low, high), tolerance = range_of(claim["paper"]), number_of(claim["tolerance"], 0.0)
    return low - tolerance, high + tolerance


def factors_of(claim: Claim) -> tuple[float, float]:
    """Return the paper's number or range, wider by the tolerance as a factor.

    Examples
    --------
    >>> factors_of({"paper": 0.2, "tolerance": 2})
    (0.1, 0.4)
    """
    (low, high), tolerance = range_of(claim["paper"]), number_of(claim["tolerance"], 1.0)
    return low / tolerance if tolerance else np.nan, high * tolerance


def range_of(paper: Any) -> tuple[float, float]:
    """Return the ends of a range, or a number twice; not a number where it is neither."""
    if isinstance(paper, list) and len(paper) == 2:
        return number_of(paper[0], np.nan), number_of(paper[1], np.nan)
    return number_of(paper, np.nan), number_of(paper, np.nan)


def number_of(value: Any, otherwise: float) -> float:
    """Return a number as it is, and something else where it is none."""
    return float(value) if isinstance(value, int | float) else otherwise


def unmet_need(claim: Claim, expected: Claim, results: ItemResults) -> str | None:
    """Return why a claim cannot be judged by these results, or None where it can.

    Needs are those of the claim, or else of the item; the first that is not met says its reason.
    """
    for need in claim.get("needs", expected.get("needs", ())):
        if need not in NEEDS:
            raise UnknownNameError("need", need, NEEDS)
        if not NEEDS[need](results):
            reasons: Mapping[str, str] = UNMET | expected.get("unmet", {}) | claim.get("unmet", {})
            return reasons[need]
    return None
