"""Items: what two arms are compared on, such as questions that all of them answer.

A voter who has seen a pair on one item may be shown it on another: only pair and item together are seen.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from typing import Any

from duelist.errors import ParameterError
from duelist.study.arm import as_name
from duelist.votes.counting import Sight

Pair = tuple[int, int]
Seen = Mapping[Sight, int]
"""What a voter has seen, and how often it was answered."""
Items = tuple[str, ...]
ALONE = (None,)
"""In the place of items, where arms are shown alone."""


def as_items(items: Sequence[str] | None) -> Items | None:
    """Return the names of items, or say what cannot be one.

    Examples
    --------
    >>> as_items(["What is rain?", "What is snow?"])
    ('What is rain?', 'What is snow?')
    """
    if items is None:
        return None
    if isinstance(items, str | Mapping | Set) or not isinstance(items, Sequence) or not items:
        raise ParameterError(f"items must be a list of names, at least one; got {items!r:.80}.")
    try:
        return checked(tuple(items))
    except TypeError as error:
        raise ParameterError(f"items must be names, texts that are not empty; got {items!r:.80}.") from error


@lru_cache(maxsize=64)
def checked(items: Items) -> Items:
    """Return items in the one form that Unicode prefers; the same list is given at every ask."""
    names = tuple(as_name(f"items[{place}]", item) for place, item in enumerate(items))
    if len({*names}) < len(names):
        raise ParameterError("items must all differ; one stands twice.")
    return names


def seen_pairs(seen: Seen, items: Items | None) -> dict[Pair, int]:
    """Return the pairs that were seen on all items, or alone where there are no items."""
    among = frozenset(ALONE if items is None else items)
    times = Counter((lower, upper) for lower, upper, item in seen if item in among)
    return {pair: 1 for pair, items_seen in times.items() if items_seen == len(among)}


def unseen_items(seen: Seen, pair: Pair, items: Items) -> Items:
    """Return the items on which a pair was not seen; all of them if there is none."""
    return tuple(item for item in items if (*pair, item) not in seen) or items


def pair_of(left: Any, right: Any) -> Pair | None:
    """Return two arms in order, whichever side they were on; None for what are no arms."""
    if not isinstance(left, int):
        return None
    return (left, right) if left <= right else (right, left)
