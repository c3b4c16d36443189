"""Checks of the fields of events; each error names the field and its value."""

import re
import sys
from itertools import pairwise
from typing import Any

from duelist.errors import OutcomeError, ParameterError

TICKET = re.compile(r"[A-Za-z0-9_-]{1,64}")
STUDY = re.compile(r"[0-9a-f]{32}")
STUDY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
"""The names of studies in databases and services, which fit into a URL."""
RESERVED = ("created", "closed")
"""Keys of events without tickets, which no ticket may have."""
UNFIT = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line breaks and lone surrogates, which no name may contain."""
LARGEST_ARM = 2**63 - 1
LARGEST_FLOAT = sys.float_info.max

Choice = int | list[float]
"""One side of a duel: the number of an arm, or a point."""


def require_ticket(ticket: Any) -> None:
    """Raise ParameterError unless a ticket can be a key of events."""
    if type(ticket) is not str or TICKET.fullmatch(ticket) is None or ticket in RESERVED:
        raise ParameterError(
            f"ticket must be 1 to 64 characters of A-Z a-z 0-9 _ -, and neither 'created' nor 'closed'; "
            f"got {shortened(ticket)}."
        )


def require_name(field: str, name: Any) -> None:
    """Raise ParameterError if a name is empty or does not fit on one line."""
    # fast for nearly all names; the expression also admits joiners and unusual spaces
    if type(name) is str and name and (name.isprintable() or UNFIT.search(name) is None):
        return
    raise ParameterError(
        f"{field} must be a non-empty text without line breaks, control characters and lone surrogates; got "
        f"{shortened(name)}."
    )


def require_choices(left: Any, right: Any) -> None:
    """Raise ParameterError unless the sides are two arms, or two points of one space."""
    if not (is_arm(left) and is_arm(right)) and not (
        is_point(left) and is_point(right) and len(left) == len(right)
    ):
        raise ParameterError(
            "left and right must be two arms (whole numbers from 0) or two points (lists of equally many "
            f"finite numbers); got {shortened(left)} and {shortened(right)}."
        )


def is_arm(side: Any) -> bool:
    return type(side) is int and 0 <= side <= LARGEST_ARM


def is_point(side: Any) -> bool:
    return type(side) is list and bool(side) and all(map(is_finite, side))


def require_share(outcome: Any) -> None:
    """Raise OutcomeError unless an outcome is a plain number in [0, 1]."""
    if type(outcome) not in (float, int) or not 0.0 <= outcome <= 1.0:
        raise OutcomeError(
            f"outcome must lie in [0, 1]: 1 left wins, 0 right wins, 0.5 a tie; got {shortened(outcome)}."
        )


def require_asked(event: Any) -> None:
    """Check the fields that an event copies from a duel that was asked."""
    require_list_asked(event)
    require_choices(event.left, event.right)
    if event.item is not None:
        require_name("item", event.item)
    if event.propensity is not None:
        require_propensity(event.propensity)
    if event.round is not None:
        require_finite("round", event.round)


def require_list_asked(event: Any) -> None:
    """Check the fields that say when, to whom and by which learner a list was shown."""
    require_finite("time", event.time)
    require_ticket(event.ticket)
    if event.voter is not None:
        require_name("voter", event.voter)
    if type(event.learner) is not int or event.learner < 0:
        raise ParameterError(f"learner must be a whole number, at least 0; got {event.learner!r}.")


def require_places(field: str, places: Any) -> None:
    """Raise ParameterError unless places are positions in a list, from 0, in order and each once."""
    if not (
        type(places) is tuple
        and places
        and all(type(place) is int and place >= 0 for place in places)
        and all(upper < lower for upper, lower in pairwise(places))
    ):
        raise ParameterError(
            f"{field} must be places of a list, whole numbers from 0, in order, each once; got "
            f"{shortened(places)}."
        )


def require_propensity(propensity: Any) -> None:
    if type(propensity) is tuple and len(propensity) == 2:
        first, second = propensity
        if is_finite(first) and is_finite(second) and 0.0 < first <= 1.0 and 0.0 < second <= 1.0:
            return
    raise ParameterError(
        f"propensity must be a pair of probabilities above 0 and at most 1; got {shortened(propensity)}."
    )


def require_finite(field: str, number: Any) -> None:
    if not is_finite(number):
        raise ParameterError(f"{field} must be a finite number; got {shortened(number)}.")


def is_finite(number: Any) -> bool:
    """Return whether a value is a plain number that a float can hold."""
    return type(number) in (float, int) and -LARGEST_FLOAT <= number <= LARGEST_FLOAT


def require_study(study: Any) -> None:
    if type(study) is not str or STUDY.fullmatch(study) is None:
        raise ParameterError(f"study must be 32 digits of 0-9 a-f; got {shortened(study)}.")


def require_study_name(name: object) -> str:
    """Return the name of a study; raise ParameterError unless it fits into a URL."""
    if not isinstance(name, str) or STUDY_NAME.fullmatch(name) is None:
        raise ParameterError(
            "the name of a study must be 1 to 100 characters of A-Z a-z 0-9 _ . -, and begin with a letter "
            f"or digit; got {str(name)[:60]!r}."
        )
    return name


def shortened(value: Any) -> str:
    """Return the repr of a value, shortened for an error message."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number with thousands of digits; a list that contains itself
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."
