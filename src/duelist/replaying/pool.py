"""What was recorded, as replays read it: counts of every pair, and who truly wins."""

import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, PreferenceError, UnknownNameError
from duelist.preferences import estimate
from duelist.replaying.world import NO_WINNER
from duelist.text import enumeration
from duelist.votes import Votes, count
from duelist.votes.table import as_arms
from duelist.winners import condorcet

PARTS = 1e6  # of a vote that is drawn, where there are votes by degree
MOST_PAIRS = 5  # how many pairs without a vote an error names


class Pool(NamedTuple):
    """What a replay draws from: for every two arms, whole numbers that weigh a win, a loss and a tie."""

    arms: tuple[str, ...]
    wins: IntArray
    """`wins[i, j]` weighs votes for i against j, whichever was shown left."""
    ties: IntArray
    truth: int
    """The Condorcet winner of all of them, a tie as half a win for each; `NO_WINNER` if there is none."""
    total: float
    """The number of votes that count."""


def pool_of(votes: Votes, arms: Sequence[str] | None = None) -> Pool:
    """Return the votes between these arms, by default all; every two of them must have met.

    Examples
    --------
    >>> pool = pool_of(Votes(["a", "b"], [0, 1], [1, 0], [1.0, 0.5], counts=[3, 2]))
    >>> pool.wins.tolist(), pool.ties.tolist(), pool.truth
    ([[0, 3], [0, 0]], [[0, 2], [2, 0]], 0)
    """
    if not isinstance(votes, Votes):
        raise ParameterError(f"votes must be Votes, as load_votes(path) returns them; got {votes!r:.80}.")
    if isinstance(arms, str) or not isinstance(arms, Iterable | None):
        raise ParameterError(
            f"arms must be a list of names, such as {list(votes.arms[:2])}; got {arms!r:.80}."
        )
    names = votes.arms if arms is None else as_arms(arms)
    for name in names:
        if name not in votes.arms:
            raise UnknownNameError("arm", name, votes.arms)
    if len(names) < 2:
        raise ParameterError(f"arms must name at least 2, because a vote needs two; got {list(names)}.")
    places = [votes.arms.index(name) for name in names]
    tally, some = count(votes), np.ix_(places, places)
    total = tally.votes[some]
    require_every_pair(names, total)
    winner = condorcet(estimate(tally.scores[some]))
    truth = NO_WINNER if winner is None else winner
    wins, ties = tally.wins[some], tally.ties[some]
    # votes by degree are parts of a win and of a tie
    parts = 1.0 if not ((wins % 1.0).any() or (ties % 1.0).any()) else PARTS
    won, tied = (np.ascontiguousarray(np.rint(parts * counts).astype(np.int64)) for counts in (wins, ties))
    return Pool(names, won, tied, truth, float(total.sum() / 2.0))


def require_every_pair(names: Sequence[str], total: FloatArray) -> None:
    """Refuse votes in which two arms never met, and say which arms have all met."""
    met = (total > 0) | np.eye(len(names), dtype=np.bool_)
    missing = [f"{names[i]} and {names[j]}" for i, j in np.argwhere(np.triu(~met)).tolist()]
    if not missing:
        return
    kept = list(range(len(names)))
    while not met[np.ix_(kept, kept)].all():
        # who met the fewest others goes, of several who has the fewest votes
        kept.remove(min(kept, key=lambda arm: (met[arm, kept].sum(), total[arm, kept].sum())))
    rest = [names[arm] for arm in kept]
    options = shlex.join([word for name in rest for word in ("--arm", name)])
    remedy = f"take arms that all met: arms={rest} ({options})" if len(rest) > 1 else "record votes on them"
    pairs = enumeration(missing, limit=MOST_PAIRS)
    raise PreferenceError(f"no vote is recorded on {pairs}, so that none can be drawn; {remedy}.")
