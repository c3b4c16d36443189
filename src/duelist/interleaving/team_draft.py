"""Team-draft interleaving (Radlinski et al. 2008; Schuth et al. 2014): captains pick in rounds."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving import page as pages
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import NOBODY, Page, best_left, draft, length_of, put, settle
from duelist.kernels.compile import borrowing, compiled, overload_for


class TeamDraftRules(NamedTuple):
    counting: int  # which clicks count


@overload_for(draft, TeamDraftRules)
def pick_in_rounds(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Let the rankings pick in rounds; below the sure places a random one picks without credit."""
    many, capacity = len(rankings), len(page.documents)
    sure = sure_places(rankings, len(page.taken), capacity)
    counts = np.zeros(2 * many, np.int64)
    heads = counts[:many]
    asked = counts[many:]  # the first `left` of these rankings may pick next
    left = 0
    agreed = many == 2 and page.shown[0] % 2 == 1 and began_alike(rankings, page, heads)
    while page.shown[0] < capacity:
        if page.shown[0] >= sure:
            left = pages.all_that_can(rankings, heads, page.taken, asked)
            if left == 0:
                break
        elif left == 0:
            left = still_to_pick(page, many, asked)
        drawn = pages.draw_ranking(left, many, rng)
        team = asked[drawn]
        document = best_left(rankings, team, heads, page.taken)
        left -= 1
        asked[drawn] = asked[left]
        agreeing = 1
        for i in range(left):
            agreeing += best_left(rankings, asked[i], heads, page.taken) == document
        chance = agreeing / (left + 1)
        if many == 2 and left == 1:
            agreed = agreeing == 2
        elif agreed and page.shown[0] < sure and best_left(rankings, 1 - team, heads, page.taken) != document:
            chance = 0.5  # the documents do not reveal which ranking picked first
        put(document, team if page.shown[0] < sure else NOBODY, chance, page)


@borrowing
def began_alike(rankings: IntArray, page: Page, heads: IntArray) -> bool:
    """Return whether both of two rankings would have picked the last document on the page."""
    last = page.documents[page.shown[0] - 1]
    page.taken[last] = False
    first = best_left(rankings, 0, heads, page.taken)
    second = best_left(rankings, 1, heads, page.taken)
    page.taken[last] = True
    return bool(first == second)


@borrowing
def still_to_pick(page: Page, many: int, asked: IntArray) -> int:
    """Write which rankings have not picked in the current round and return their number."""
    shown = page.shown[0]
    began = shown - shown % many
    left = 0
    for ranking in range(many):
        picked = False
        for place in range(began, shown):
            picked = picked or page.teams[place] == ranking
        if not picked:
            asked[left] = ranking
            left += 1
    return left


@compiled
def sure_places(rankings: IntArray, documents: int, capacity: int) -> int:
    """Return the number of places that are certain to be filled by the ranking whose turn it is.

    Exact for two rankings; for more, a lower bound that is cheap to compute.
    """
    many = len(rankings)
    places = pages.shortest_length(rankings)
    if many == 2:
        # a round takes at most two documents from a ranking
        rounds = places // 2
        if capacity > 2 * rounds:
            most = (capacity + 1) // 2
            gone = np.empty(documents, np.bool_)
            rounds = min(full_rounds(rankings, 0, gone, most), full_rounds(rankings, 1, gone, most))
        return 2 * rounds
    if places < capacity:
        rounds = rankings.shape[1]
        for ranking in range(many):
            own = length_of(rankings[ranking]) // many
            rounds = min(rounds, max(own, count_unshared(rankings, ranking)))
        places = max(places, many * rounds)
    return places


@compiled
def full_rounds(rankings: IntArray, first: int, gone: BoolArray, most: int) -> int:
    """Return the number of rounds, up to `most`, in which both can pick if `first` always goes first."""
    gone[:] = False
    heads = np.zeros(2, np.int64)
    rounds = 0
    while rounds < most:
        for ranking in (first, 1 - first):
            document = best_left(rankings, ranking, heads, gone)
            if document == pages.END:
                return rounds
            gone[document] = True
        rounds += 1
    return rounds


@borrowing
def count_unshared(rankings: IntArray, ranking: int) -> int:
    """Return the number of a ranking's documents that no other ranking has."""
    unshared = 0
    for document in rankings[ranking, : length_of(rankings[ranking])]:
        times = 0
        for other in range(len(rankings)):
            for candidate in rankings[other]:
                times += candidate == document
        unshared += times == 1
    return unshared


@overload_for(settle, TeamDraftRules)
def settle_teams(
    rules: TeamDraftRules, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Write each ranking's clicks that count, on a list that shows a common prefix first."""
    credits[:] = 0.0
    first = pages.shared_prefix(rankings) if rules.counting == pages.UNSHARED else 0
    for place in range(first, page.shown[0]):
        if clicked[place]:
            if page.teams[place] != NOBODY:
                credits[page.teams[place]] += 1.0
            if rules.counting == pages.FIRST:
                break


@dataclass(frozen=True)
class TeamDraft(Interleaving):
    """Interleave as captains pick teams: in each round, all rankings pick a document in random order.

    A click is a point for the ranking whose team the document is in. The default choice: simple, and fair to
    all rankings as long as clicks are independent of the documents. The more rankings there are, the fewer
    places each one has.

    Parameters
    ----------
    counting : str, default "all"
        Which clicks count: "all", "first" (the topmost clicked place only) or "unshared" (all but those on
        the common prefix of all rankings).

    Raises
    ------
    UnknownNameError
        If there is no such counting.

    Notes
    -----
    Fairness: if clicks depend on places and on each other, but not on the documents, no ranking wins more
    often: all orders within a round are equally likely, so swapping the rankings' names changes nothing. This
    holds for a length that cuts a round; if the list is continued with `after`, the rankings that had not
    picked finish it.

    The propensities of two rankings are given the documents above; those of more, also *their teams*: a sum
    over all teams would take time exponential in the number of rankings.

    Deviations from the papers, whose lists are long enough to credit every place: a place is credited only if
    the ranking whose turn it is, is *sure* to have a document left. For two rankings, a round is credited if
    both can pick in it whatever the coins: a ranking is exhausted soonest if the other goes first in every
    round, so two runs of the draft count the rounds. For more, as many places are credited as the shortest
    ranking has documents; and n rounds, if every ranking has n documents that no other ranking has, or n
    times the number of rankings in all. Below, a random ranking's next document is shown without credit.

    References
    ----------
    Radlinski, Kurup, Joachims (2008). How does clickthrough data reflect retrieval quality? CIKM.
    Schuth, Sietsma, Whiteson, Lefortier, de Rijke (2014). Multileaved Comparisons for Fast Online Evaluation.
    CIKM.

    Examples
    --------
    >>> import numpy as np
    >>> method = TeamDraft()
    >>> shown = method.interleave([["a", "b", "c"], ["b", "d"]], np.random.default_rng(5))
    >>> shown.documents, shown.teams
    (('b', 'a', 'd', 'c'), (1, 0, 1, 0))
    >>> method.outcome(shown, clicked=["b"])
    0.0
    >>> shown = method.interleave(["abc", "bcd", "cda"], np.random.default_rng(1), length=3)
    >>> shown.documents, method.credit(shown, clicked=["b"])
    (('b', 'c', 'a'), array([0., 1., 0.]))
    """

    counting: str = "all"
    fair: ClassVar[tuple[str, ...]] = ("all", "first", "unshared")

    def rules(self) -> TeamDraftRules:
        return TeamDraftRules(self.counting_rule())
