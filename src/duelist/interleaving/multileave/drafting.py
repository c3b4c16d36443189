"""Kernels that multileaving methods share: read rankings from the top, put a document on a page.

A kernel's rankings are the rows of one array. A row that is shorter than the others ends with the first -1.
"""

from duelist.duel import BoolArray, IntArray
from duelist.interleaving.page import Page
from duelist.kernels.compile import compiled

END = -1
"""What stands in a row behind the last document of its ranking."""


@compiled
def length_of(ranking: IntArray) -> int:
    """Return how many documents a row holds."""
    length = len(ranking)
    while length > 0 and ranking[length - 1] == END:
        length -= 1
    return length


@compiled
def shortest_length(rankings: IntArray) -> int:
    """Return how many documents the shortest ranking holds.

    That many places can be filled by any ranking: it always has a document that is not among fewer shown.
    """
    shortest: int = rankings.shape[1]
    for ranking in range(len(rankings)):
        shortest = min(shortest, length_of(rankings[ranking]))
    return shortest


@compiled
def best_left(rankings: IntArray, ranking: int, heads: IntArray, taken: BoolArray) -> int:
    """Return a ranking's best document that is not on the page, or `END`.

    `heads` remembers how far each ranking was read: what was passed over is on the page for good.
    """
    depth = rankings.shape[1]
    head = heads[ranking]
    document = rankings[ranking, head] if head < depth else END
    while document != END and taken[document]:
        head += 1
        document = rankings[ranking, head] if head < depth else END
    heads[ranking] = head
    return int(document)


@compiled
def all_that_can(rankings: IntArray, heads: IntArray, taken: BoolArray, asked: IntArray) -> int:
    """Write which rankings have documents left; return how many they are."""
    left = 0
    for ranking in range(len(rankings)):
        if best_left(rankings, ranking, heads, taken) != END:
            asked[left] = ranking
            left += 1
    return left


@compiled
def put(document: int, team: int, propensity: float, page: Page) -> None:
    """Show a document at the next place of a page."""
    place = page.shown[0]
    page.documents[place] = document
    page.teams[place] = team
    page.propensities[place] = propensity
    page.taken[document] = True
    page.shown[0] = place + 1


@compiled
def place_of(document: int, page: Page) -> int:
    """Return where a document stands on a page."""
    place = 0
    while page.documents[place] != document:
        place += 1
    return place
