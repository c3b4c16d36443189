"""What the fields of an event may hold; each refusal says what is wrong in plain words."""

import re
import sys
from itertools import pairwise
from typing import Any

from duelist.errors import OutcomeError, ParameterError

TICKET = re.compile(r"[A-Za-z0-9_-]{1,64}")
STUDY = re.compile(r"[0-9a-f]{32}")
STUDY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
"""The names of studies in databases and services: those that fit into a URL."""
RESERVED = ("created", "closed")
"""Keys of events that have no ticket; a ticket of that name could not be told from them."""
UNFIT = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line breaks and lone surrogates, which no name holds."""
LARGEST_ARM = 2**63 - 1
LARGEST_FLOAT = sys.float_info.max

Choice = int | list[float]
"""What one side of a duel showed: an arm's number, or a point."""


def require_ticket(ticket: Any) -> None:
    """Refuse what is not the name of a ticket."""
    if type(ticket) is not str or TICKET.fullmatch(ticket) is None or ticket in RESERVED:
        raise ParameterError(
            f"ticket must be 1 to 64 characters of A-Z a-z 0-9 _ -, and neither 'created' nor 'closed'; "
            f"got {shortened(ticket)}."
        )


def require_name(field: str, name: Any) -> None:
    """Refuse a name that is empty or would not print on one line."""
    # quick for nearly all names; the expression below also admits joiners and unusual spaces
    if type(name) is str and name and (name.isprintable() or UNFIT.search(name) is None):
        return
    raise ParameterError(
        f"{field} must be a text that is not empty, without line breaks, control characters and halves of "
        f"surrogate pairs; got {shortened(name)}."
    )


def require_choices(left: Any, right: Any) -> None:
    """Refuse sides of a duel that are not two arms, nor two points of one space."""
    if not (is_arm(left) and is_arm(right)) and not (
        is_point(left) and is_point(right) and len(left) == len(right)
    ):
        raise ParameterError(
            "left and right must be two arms (whole numbers from 0) or two points (lists of equally many "
            f"finite numbers); got {shortened(left)} and {shortened(right)}."
        )


def is_arm(side: Any) -> bool:
    """Return whether a side of a duel is the number of an arm."""
    return type(side) is int and 0 <= side <= LARGEST_ARM


def is_point(side: Any) -> bool:
    """Return whether a side of a duel is a point."""
    return type(side) is list and bool(side) and all(map(is_finite, side))


def require_share(outcome: Any) -> None:
    """Refuse an outcome that is not a plain number in [0, 1]."""
    if type(outcome) not in (float, int) or not 0.0 <= outcome <= 1.0:
        raise OutcomeError(
            f"outcome must lie in [0, 1]: 1 left wins, 0 right wins, 0.5 a tie; got {shortened(outcome)}."
        )


def require_asked(event: Any) -> None:
    """Raise ParameterError if an event could not keep what it has of a duel that was asked."""
    require_list_asked(event)
    require_choices(event.left, event.right)
    if event.item is not None:
        require_name("item", event.item)
    if event.propensity is not None:
        require_propensity(event.propensity)
    if event.round is not None:
        require_finite("round", event.round)


def require_list_asked(event: Any) -> None:
    """Raise ParameterError if an event could not keep when, to whom and by which learner a list was shown."""
    require_finite("time", event.time)
    require_ticket(event.ticket)
    if event.voter is not None:
        require_name("voter", event.voter)
    if type(event.learner) is not int or event.learner < 0:
        raise ParameterError(f"learner must be a whole number, at least 0; got {event.learner!r}.")


def require_places(field: str, places: Any) -> None:
    """Refuse what are not places of a list, from 0, in order and each once."""
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
    """Refuse what is not a pair of chances above 0."""
    if type(propensity) is tuple and len(propensity) == 2:
        first, second = propensity
        if is_finite(first) and is_finite(second) and 0.0 < first <= 1.0 and 0.0 < second <= 1.0:
            return
    raise ParameterError(
        f"propensity must be a pair of chances above 0 and at most 1; got {shortened(propensity)}."
    )


def require_finite(field: str, number: Any) -> None:
    """Refuse what is not a plain, finite number."""
    if not is_finite(number):
        raise ParameterError(f"{field} must be a finite number; got {shortened(number)}.")


def is_finite(number: Any) -> bool:
    """Return whether something is a plain number that a float can hold."""
    return type(number) in (float, int) and -LARGEST_FLOAT <= number <= LARGEST_FLOAT


def require_study(study: Any) -> None:
    """Refuse what is not the id of a study."""
    if type(study) is not str or STUDY.fullmatch(study) is None:
        raise ParameterError(f"study must be 32 digits of 0-9 a-f; got {shortened(study)}.")


def require_study_name(name: object) -> str:
    """Return a name that fits into a URL, or say why it does not."""
    if not isinstance(name, str) or STUDY_NAME.fullmatch(name) is None:
        raise ParameterError(
            "the name of a study is 1 to 100 characters of A-Z a-z 0-9 _ . -, and begins with a letter or "
            f"digit; got {str(name)[:60]!r}."
        )
    return name


def shortened(value: Any) -> str:
    """Return a value as it is shown in an error: not too long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits; a list without bottom
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."
