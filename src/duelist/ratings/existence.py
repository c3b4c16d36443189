"""Select the arms that can be rated, and give the reason for each of the others.

Maximum-likelihood ratings are finite if and only if the graph from winners to losers is strongly connected:
for every split of the arms into two sets, each set has a win or a tie against the other (Ford 1957).
Davidson's model needs more: ratings and ln nu may diverge together unless some cycle of arms has more wins
than ties.

Therefore the largest strongly connected set of arms is rated by the votes within it. Votes of arms that won,
or lost, everything against this set carry no information about the differences within it.

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
REMEDY = "give a ridge, such as ridge=0.1 (--ridge 0.1), which pulls all ratings together"


class Selection(NamedTuple):
    """The arms that can be rated, and the votes between them."""

    members: IntArray
    """The numbers of the rated arms."""
    unrated: dict[str, str]
    """The names of the other arms, with the reason why they have no rating."""
    arm_votes: IntArray
    """The number of counted votes of each arm, rated or not."""
    counts: IntArray
    """The number of votes of each row that count."""
    tally: Tally
    """Counts of all pairs, without votes of weight 0."""

    def order(self, rating: FloatArray) -> IntArray:
        """Return an order of the rated arms that depends on the votes, not on the arms' names."""
        within = np.ix_(self.members, self.members)
        scores = self.tally.scores[within].sum(axis=1)
        return np.lexsort((scores.round(6), self.arm_votes[self.members], -rating.round(9)))


def select_arms(votes: Votes, repeats: Repeats, ridge: float, minimum: int) -> Selection:
    """Select the largest set of arms whose ratings are finite; with a ridge, the largest connected set.

    If several are equally large, the one with the most votes is selected.
    """
    counts, k = counted_rows(votes, repeats), votes.k
    arm_votes = sum(np.bincount(side, weights=counts, minlength=k) for side in (votes.left, votes.right))
    arm_votes = np.asarray(arm_votes).round().astype(np.int64)
    tally = Tally(k)
    positive = np.flatnonzero(counts if votes.weights is None else counts * (votes.weights > 0.0))
    tally.add_all(votes.left[positive], votes.right[positive], votes.outcomes[positive], counts[positive])
    enough = arm_votes >= minimum
    edges = (tally.wins + tally.ties > 0.0) & enough[:, None] & enough[None, :]
    members = largest_part(edges, tally.votes, strong=ridge == 0.0)
    if len(members) < 2:
        raise PreferenceError(_nothing_to_rate(arm_votes, enough, edges, minimum))
    rated = np.isin(np.arange(k), members)
    unrated = {
        votes.arms[arm]: f"fewer than {counted(minimum, 'vote')}"
        if not enough[arm] and arm_votes[arm]
        else reason(int(arm), members, arm_votes, edges)
        for arm in np.flatnonzero(~rated)
    }
    return Selection(members, unrated, arm_votes, counts, tally)


def largest_part(edges: BoolArray, votes: FloatArray, strong: bool) -> IntArray:
    """Return the largest connected set of arms; if several are equally large, the one with the most votes."""
    parts = _components(edges, strong)
    sums = np.bincount(parts, weights=votes.sum(axis=1))
    largest = np.lexsort((sums, np.bincount(parts)))[-1]
    return np.flatnonzero(parts == largest)


def reason(arm: int, members: IntArray, arm_votes: IntArray, edges: BoolArray) -> str:
    if not arm_votes[arm]:
        return UNSEEN
    if edges[arm, members].any():
        return WON
    return LOST if edges[members, arm].any() else APART


def require_davidson(wins: FloatArray, ties: FloatArray, ridge: float) -> None:
    """Check that Davidson's nu, and the ratings together with it, are finite."""
    if not wins.any():
        raise PreferenceError('all votes are ties, so nu would be infinite; rate them with ties="half".')
    if ridge == 0.0 and ties.any() and _rises_with_ties(wins, ties):
        raise PreferenceError(
            "no cycle of arms has more wins than ties, so ratings and nu would be infinite in Davidson's "
            f'model; rate the votes with ties="half", or {REMEDY}.'
        )


def _nothing_to_rate(arm_votes: IntArray, enough: BoolArray, edges: BoolArray, minimum: int) -> str:
    if not arm_votes.any():
        return "there are no votes, so no arm can be rated; collect votes between at least two arms."
    if not edges.any():
        if minimum > 1:
            return (
                f"no two arms with at least {counted(minimum, 'vote')} were compared "
                f"({int(enough.sum())} of {counted(len(arm_votes), 'arm')} have that many); lower "
                "minimum_votes."
            )
        return "all votes have weight 0, so no arm can be rated; give positive weights."
    return (
        "no two arms have both won and lost against each other, directly or through others, so all ratings "
        f"would be infinite; {REMEDY}, or collect more votes."
    )


def _rises_with_ties(wins: FloatArray, ties: FloatArray) -> bool:
    """Return whether the likelihood of Davidson's model is unbounded.

    It grows without bound along ratings and ln nu together if some ratings differ by at least 1 wherever one
    arm won, and by at most 1 at every tie. Such ratings exist unless a cycle of arms has more wins than ties,
    which corresponds to a cycle of negative length in the graph of these difference constraints.
    """
    if len(set(_components(wins > 0, strong=True).tolist())) < len(wins):
        return False  # wins alone form a cycle
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

    bounds = np.where(wins > 0, -1.0, np.where(ties > 0, 1.0, 0.0))
    try:
        bellman_ford(bounds, indices=[0])
    except NegativeCycleError:
        return False
    return True


def _components(edges: BoolArray, strong: bool) -> IntArray:
    from scipy.sparse.csgraph import connected_components

    _, components = connected_components(edges, directed=True, connection="strong" if strong else "weak")
    return np.asarray(components, np.int64)
