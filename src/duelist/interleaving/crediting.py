"""Kernels that methods share: which clicks count, and how a lead becomes an outcome."""

from duelist.duel import BoolArray, IntArray
from duelist.errors import ParameterError, UnknownNameError
from duelist.interleaving.page import LEFT, RIGHT, Page
from duelist.kernels.compile import jitable

ALL, FIRST, UNSHARED = 0, 1, 2

COUNTING = ("all", "first", "unshared")
"""The names of these rules: every clicked place counts; only the topmost clicked one; all but documents of
the prefix that both rankings have in common, of which no click can tell anything."""


def counting_rule(method: str, counting: str, refused: dict[str, str]) -> int:
    """Return the number of a rule, unless there is none of that name or the method refuses it."""
    if counting not in COUNTING:
        raise UnknownNameError("counting", counting, COUNTING)
    if counting in refused:
        usable = ", ".join(repr(name) for name in COUNTING if name not in refused)
        raise ParameterError(
            f"counting {counting!r} makes no sense for {method}: {refused[counting]}. Use one of {usable}."
        )
    return COUNTING.index(counting)


@jitable
def verdict(lead: float) -> float:
    """Return the outcome of a lead of the left ranking: 1 left wins, 0 right wins, 0.5 a tie."""
    if lead > 0:
        return 1.0
    return 0.0 if lead < 0 else 0.5


@jitable
def shared_prefix(left: IntArray, right: IntArray) -> int:
    """Return how many documents two rankings have in common before they first differ."""
    depth = 0
    while depth < len(left) and depth < len(right) and left[depth] == right[depth]:
        depth += 1
    return depth


@jitable
def settle_by_teams(counting: int, left: IntArray, right: IntArray, page: Page, clicked: BoolArray) -> float:
    """Return who has more of the clicks that count, where a click is the team's whose place it is.

    For lists that show a common prefix first.
    """
    _, teams, _, shown, _ = page
    first = shared_prefix(left, right) if counting == UNSHARED else 0
    lead = 0
    for place in range(first, shown[0]):
        if clicked[place]:
            team = teams[place]
            if team == LEFT:
                lead += 1
            elif team == RIGHT:
                lead -= 1
            if counting == FIRST:
                break
    return verdict(lead)
