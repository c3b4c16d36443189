"""Team draft multileaving (Schuth, Sietsma, Whiteson, Lefortier, de Rijke, CIKM 2014)."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving.multileave import base
from duelist.interleaving.page import NOBODY, Page, draft_many, put, settle_many
from duelist.kernels.compile import compiled, overload_for


class TeamDraftManyRules(NamedTuple):
    """The parameters of the kernels."""

    worth: float  # of a click, to the ranking whose document it was


@overload_for(draft_many, TeamDraftManyRules)
def pick_in_rounds(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Let the rankings pick in rounds; below the sure places, a random one picks, and nobody is credited."""
    many = len(rankings)
    room = len(page.documents)
    sure = sure_places(rankings, room)
    heads = np.zeros(many, np.int64)
    asked = np.empty(many, np.int64)  # the first `left` of these rankings may pick next
    left = 0
    while page.shown[0] < room:
        if page.shown[0] >= sure:
            left = base.all_that_can(rankings, heads, page.taken, asked)
            if left == 0:
                break
        elif left == 0:
            left = still_to_pick(page, many, asked)
        drawn = int(rng.random() * left)
        team = asked[drawn]
        document = base.best_left(rankings, team, heads, page.taken)
        agreeing = 0
        for i in range(left):
            agreeing += base.best_left(rankings, asked[i], heads, page.taken) == document
        put(document, team if page.shown[0] < sure else NOBODY, agreeing / left, page)
        left -= 1
        asked[drawn] = asked[left]


@compiled
def sure_places(rankings: IntArray, room: int) -> int:
    """Return how many places are sure to be filled by whose turn it is, whatever was drawn before."""
    many = len(rankings)
    places = base.shortest_length(rankings)
    if places < room:
        rounds = rankings.shape[1]
        for ranking in range(many):
            own = base.length_of(rankings[ranking]) // many
            rounds = min(rounds, max(own, count_unshared(rankings, ranking)))
        places = max(places, many * rounds)
    return places


@compiled
def count_unshared(rankings: IntArray, ranking: int) -> int:
    """Return how many documents of a ranking are in no other."""
    unshared = 0
    for document in rankings[ranking, : base.length_of(rankings[ranking])]:
        times = 0
        for other in range(len(rankings)):
            for candidate in rankings[other]:
                times += candidate == document
        unshared += times == 1
    return unshared


@compiled
def still_to_pick(page: Page, many: int, asked: IntArray) -> int:
    """Write which rankings have yet to pick in the current round; return their number."""
    shown = page.shown[0]
    left = 0
    for ranking in range(many):
        picked = False
        for place in range(shown - shown % many, shown):
            picked = picked or page.teams[place] == ranking
        if not picked:
            asked[left] = ranking
            left += 1
    return left


@overload_for(settle_many, TeamDraftManyRules)
def settle_teams(
    rules: TeamDraftManyRules, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Write each ranking's credit: the clicks on its team."""
    credits[:] = 0.0
    for place in range(page.shown[0]):
        team = page.teams[place]
        if clicked[place] and team != NOBODY:
            credits[team] += rules.worth


@dataclass(frozen=True)
class TeamDraftMultileaving(base.Multileaving):
    """Multileave as captains pick teams: in each round every ranking, in random order, picks its best.

    A click is a point for the ranking whose team the document is in. Fair to all rankings as long as clicks
    do not depend on the documents; the more rankings there are, the fewer places each has.

    Notes
    -----
    Fairness: all orders of a round are equally likely, so swapping the rankings' names changes nothing. This
    holds for a length that cuts a round; continued with `after`, those who had not picked finish it.

    The propensities are given the documents above *and their teams*: a sum over all teams would take time
    exponential in the number of rankings.

    Deviations from the paper, whose rankings are long enough to credit every place: a place is credited only
    if the ranking whose turn it is, is *sure* to have a document left. This holds for as many places as the
    shortest ranking has documents; and for n rounds, if every ranking has n documents that are in no other,
    or n times the number of rankings in all. Below, a random ranking's next document is credited to nobody.

    References
    ----------
    Schuth, Sietsma, Whiteson, Lefortier, de Rijke (2014). Multileaved Comparisons for Fast Online Evaluation.
    CIKM.

    Examples
    --------
    >>> import numpy as np
    >>> method = TeamDraftMultileaving()
    >>> shown = method.interleave(["abc", "bcd", "cda"], np.random.default_rng(1), length=3)
    >>> shown.documents, shown.teams
    (('b', 'c', 'a'), (1, 2, 0))
    >>> method.credit(shown, clicked=["b"])
    array([0., 1., 0.])
    """

    def rules(self) -> TeamDraftManyRules:
        """Return the parameters of the kernels."""
        return TeamDraftManyRules(1.0)
