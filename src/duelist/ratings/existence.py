"""When the most likely ratings exist, and what to say when they do not.

They do if and only if for every way to split the arms in two, some arm of either part won or tied against one
of the other: the graph from winners to losers is strongly connected (Ford 1957). Davidson's model needs a tie
and a win too, and more: ratings and ln nu may rise together unless some circle of arms has more wins than
ties.

Lester R. Ford, Jr. (1957). Solution of a ranking problem from binary comparisons. American Mathematical
Monthly 64.
"""

import numpy as np

from duelist.duel import BoolArray, IntArray
from duelist.errors import PreferenceError
from duelist.text import enumeration

REMEDY = "give a ridge, such as ridge=0.1 (--ridge 0.1), which draws all ratings towards each other"


def require_ratings(
    arms: tuple[str, ...], wins: IntArray, ties: IntArray, davidson: bool, ridge: float
) -> None:
    """Refuse votes whose most likely ratings are not unique or not finite; a ridge makes them both."""
    if davidson and not wins.any():
        raise PreferenceError('all votes are ties, so that nu is infinite; rate them with ties="half".')
    if ridge > 0.0:
        return
    beaten = wins + ties > 0
    components = _components(beaten, strong=True)
    if components.max() > 0:
        require_one_piece(arms, _components(beaten, strong=False))
        raise PreferenceError(f"{_unbounded(arms, beaten, components)}; {REMEDY}.")
    if davidson and ties.any() and _rises_with_ties(wins, ties):
        raise PreferenceError(
            "the arms differ by wins that no other wins contradict, and by ties, so that ratings and nu are "
            f'infinite in Davidson\'s model; rate them with ties="half", or {REMEDY}.'
        )


def require_one_piece(arms: tuple[str, ...], pieces: IntArray) -> None:
    """Refuse arms of which some were never compared with the others, not even through third ones."""
    if pieces.max() == 0:
        return
    named = [enumeration(_named(arms, pieces == piece)) for piece in range(min(int(pieces.max()) + 1, 5))]
    more = "" if pieces.max() < 5 else "; and more"
    raise PreferenceError(
        f"the votes fall into {int(pieces.max()) + 1} pieces between which there is no vote: "
        f"{' | '.join(named)}{more}; gather votes between them, rate each alone, or {REMEDY}."
    )


def _unbounded(arms: tuple[str, ...], beaten: BoolArray, components: IntArray) -> str:
    """Return which arms have infinite ratings, at the top and at the bottom."""
    outside = components[:, None] != components[None, :]
    losers, winners = (beaten & outside).any(axis=0), (beaten & outside).any(axis=1)
    told = []
    for word, excluded in (("won", losers), ("lost", winners)):
        for component in range(int(components.max()) + 1):
            members = components == component
            if not (members & excluded).any():
                names = _named(arms, members)
                others = "all its votes" if len(names) == 1 else "all votes against the others"
                told.append(f"{enumeration(names)} {word} {others}")
    return f"{enumeration(told, 4)}: such ratings are infinite"


def _rises_with_ties(wins: IntArray, ties: IntArray) -> bool:
    """Return whether some ratings differ by 1 or more wherever one arm won, and by 1 at most at every tie.

    Along such ratings and ln nu together the likelihood rises for ever. They exist unless a circle of arms
    has more wins than ties: a sum of differences that would have to be below 0.
    """
    if len(set(_components(wins > 0, strong=True).tolist())) < len(wins):
        return False  # wins alone make a circle
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


def _named(arms: tuple[str, ...], members: BoolArray) -> list[str]:
    return [arms[arm] for arm in np.flatnonzero(members)]
