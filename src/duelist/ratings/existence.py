"""Which arms can be rated, and why the others cannot.

Maximum-likelihood ratings are finite if and only if the graph from winners to losers is strongly connected:
for every split of the arms into two sets, each set has a win or a tie against the other (Ford 1957).
Davidson's model needs more: ratings and ln nu may grow together unless some cycle of arms has more wins than
ties.

So the largest strongly connected set of arms is rated, by the votes within it. Votes of arms that won, or
lost, everything against this set tell nothing about the differences within it.

References
----------
Lester R. Ford, Jr. (1957). Solution of a ranking problem from binary comparisons. American Mathematical
Monthly 64.
"""

from typing import NamedTuple

import numpy as np

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import PreferenceError
from duelist.text import counted
from duelist.votes.counting import Repeats, Tally, counted_rows
from duelist.votes.table import Votes

WON, LOST = "won every vote against rated arms", "lost every vote against rated arms"
APART, UNSEEN = "not compared with rated arms", "no votes"
REMEDY = "give a ridge, such as ridge=0.1 (--ridge 0.1), which draws all ratings towards each other"


class Selection(NamedTuple):
    """The arms that can be rated, and the votes between them."""

    members: IntArray
    """The rated arms, by number."""
    unrated: dict[str, str]
    """The reason why an arm has no rating, by name."""
    shown: IntArray
    """How many counted votes each arm has, of all arms."""
    counts: IntArray
    """How many votes of each row count."""
    tally: Tally
    """Counts of all pairs; votes of weight 0 are left out."""

    def order(self, rating: FloatArray) -> IntArray:
        """Return an order of the rated arms that the votes decide, whatever the arms are called."""
        within = np.ix_(self.members, self.members)
        scores = self.tally.scores[within].sum(axis=1)
        return np.lexsort((scores.round(6), self.shown[self.members], -rating.round(9)))


def select_arms(votes: Votes, repeats: Repeats, ridge: float, minimum: int) -> Selection:
    """Return the largest set of arms whose ratings are finite; with a ridge, the largest connected set.

    Of sets of equal size, the one with more votes is taken.
    """
    counts, k = counted_rows(votes, repeats), votes.k
    shown = sum(np.bincount(side, weights=counts, minlength=k) for side in (votes.left, votes.right))
    shown = np.asarray(shown).round().astype(np.int64)
    tally = Tally(k)
    heavy = np.flatnonzero(counts if votes.weights is None else counts * (votes.weights > 0.0))
    tally.add_all(votes.left[heavy], votes.right[heavy], votes.outcomes[heavy], counts[heavy])
    enough = shown >= minimum
    edges = (tally.wins + tally.ties > 0.0) & enough[:, None] & enough[None, :]
    members = largest_part(edges, tally.votes, strong=ridge == 0.0)
    if len(members) < 2:
        raise PreferenceError(_nothing_to_rate(shown, enough, edges, minimum))
    rated = np.isin(np.arange(k), members)
    unrated = {
        votes.arms[arm]: f"fewer than {counted(minimum, 'vote')}"
        if not enough[arm] and shown[arm]
        else reason(int(arm), members, shown, edges)
        for arm in np.flatnonzero(~rated)
    }
    return Selection(members, unrated, shown, counts, tally)


def largest_part(edges: BoolArray, votes: FloatArray, strong: bool) -> IntArray:
    """Return the largest connected set of arms; of equally large ones, that with more votes."""
    parts = _components(edges, strong)
    sums = np.bincount(parts, weights=votes.sum(axis=1))
    largest = np.lexsort((sums, np.bincount(parts)))[-1]
    return np.flatnonzero(parts == largest)


def reason(arm: int, members: IntArray, shown: IntArray, edges: BoolArray) -> str:
    """Return why an arm has no rating."""
    if not shown[arm]:
        return UNSEEN
    if edges[arm, members].any():
        return WON
    return LOST if edges[members, arm].any() else APART


def require_davidson(wins: FloatArray, ties: FloatArray, ridge: float) -> None:
    """Refuse votes for which Davidson's nu, or ratings together with it, would be infinite."""
    if not wins.any():
        raise PreferenceError('all votes are ties, which makes nu infinite; rate them with ties="half".')
    if ridge == 0.0 and ties.any() and _rises_with_ties(wins, ties):
        raise PreferenceError(
            "no cycle of arms has more wins than ties, which makes ratings and nu infinite in Davidson's "
            f'model; rate them with ties="half", or {REMEDY}.'
        )


def _nothing_to_rate(shown: IntArray, enough: BoolArray, edges: BoolArray, minimum: int) -> str:
    if not shown.any():
        return "there are no votes, so no arm can be rated; collect votes between two arms or more."
    if not edges.any():
        if minimum > 1:
            return (
                f"no two arms with {counted(minimum, 'vote')} or more were compared "
                f"({counted(int(enough.sum()), 'arm')} of {len(shown)} have as many); lower minimum_votes."
            )
        return "all votes have the weight 0, so no arm can be rated; give positive weights."
    return (
        "no two arms have won and lost against each other, directly or through others, so all ratings are "
        f"infinite; {REMEDY}, or collect more votes."
    )


def _rises_with_ties(wins: FloatArray, ties: FloatArray) -> bool:
    """Return whether some ratings differ by 1 or more wherever one arm won, and by 1 at most at every tie.

    Along such ratings and ln nu together the likelihood grows without bound. They exist unless a cycle of
    arms has more wins than ties: a sum of differences that would have to be below 0.
    """
    if len(set(_components(wins > 0, strong=True).tolist())) < len(wins):
        return False  # wins alone make a cycle
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

    bounds = np.where(wins > 0, -1.0, np.where(ties > 0, 1.0, 0.0))
    try:
        bellman_ford(bounds, indices=[0])
    except NegativeCycleError:
        return False
    return True


def _components(edges: BoolArray, strong: bool) -> IntArray:
    """Return the component of each arm, numbered from 0."""
    from scipy.sparse.csgraph import connected_components

    _, components = connected_components(edges, directed=True, connection="strong" if strong else "weak")
    return np.asarray(components, np.int64)
