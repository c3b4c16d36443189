"""Votes that belong together, such as those of one voter: they may resemble each other, others may not."""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from duelist.duel import LEFT_WINS, TIE, IntArray
from duelist.errors import ParameterError, PreferenceError
from duelist.ratings.pairs import Pairs
from duelist.text import counted
from duelist.votes import Votes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Clusters: TypeAlias = Literal["voter", "item"]
Grouping: TypeAlias = Literal["voter", "item", "ranking"]
Counts: TypeAlias = "csr_array[Any, Any]"  # a sparse table
ALONE = 'collect more, or ask for ratings without them: intervals="none"'


def cluster_counts(votes: Votes, pairs: Pairs, order: IntArray, clusters: Grouping) -> Counts:
    """Return how often each cluster of votes has each pair won, then lost, then tied: a row for each cluster.

    `order` says which arm has which number in the pairs. A vote whose voter, item or ranking is not known is
    a cluster by itself.
    """
    from scipy.sparse import csr_array

    names = {"voter": votes.voters, "item": votes.items, "ranking": votes.rankings}[clusters]
    if names is None:
        raise ParameterError(
            f"the votes name no {clusters}s; leave clusters out, or load them with {clusters}=."
        )
    texts = names.tolist()
    known = {text: number for number, text in enumerate(sorted(set(texts) - {""}))}
    numbers = np.fromiter((known.get(text, -1) for text in texts), np.int64, len(texts))
    alone = numbers < 0
    numbers[alone] = len(known) + np.arange(alone.sum())
    many = len(known) + int(alone.sum())
    if many <= pairs.k:
        told = (
            f"{counted(many, clusters)} cannot tell how much {clusters}s differ: intervals for {pairs.k} "
            f"arms need more than {pairs.k}"
        )
        if clusters == "ranking":  # which nobody asked for: the votes are so
            raise PreferenceError(f"{told}; {ALONE}.")
        raise ParameterError(f"{told}; leave clusters out.")
    place = np.argsort(order)
    left, right = place[votes.left], place[votes.right]
    pair_of = np.zeros((pairs.k, pairs.k), np.int64)
    pair_of[pairs.first, pairs.second] = np.arange(len(pairs.first))
    ahead = np.where(left < right, votes.outcomes, 1.0 - votes.outcomes)
    kind = np.where(ahead == TIE, 2, np.where(ahead == LEFT_WINS, 0, 1))
    cells = pair_of[np.minimum(left, right), np.maximum(left, right)] + kind * len(pairs.first)
    shape = (many, 3 * len(pairs.first))
    return csr_array((votes.counts.astype(np.float64), (numbers, cells)), shape=shape)
