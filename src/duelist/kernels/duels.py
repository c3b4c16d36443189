"""Duels and lists in compiled code: buffers that `ask` fills and `tell` reads.

The same buffer serves arms, actions in contexts and points. `sides` holds two numbers of arms or actions, or
two points. Fields that a learner does not know or need keep their initial values.
"""

from typing import Any, NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.kernels.compile import compiled

ANY_ROUND = 0.0  # the round of a duel that the learner did not ask: no round is earlier


class DuelBuffer(NamedTuple):
    """A buffer for one duel, or for a batch of duels along an additional first axis."""

    sides: Any  # the left and the right choice; points are floats, one per row
    propensity: FloatArray  # the probability with which each side was drawn; nan if unknown
    note: FloatArray  # data that the learner needs in `tell`; the shape depends on the learner
    context: IntArray  # one number: the context
    round: FloatArray  # one number: the learner's time when it asked


def arm_buffer(n: int | None = None, note: tuple[int, ...] = (0,)) -> DuelBuffer:
    """Return a buffer for a duel of arms or actions, or for a batch of n.

    Examples
    --------
    >>> arm_buffer().sides.shape, arm_buffer(5).sides.shape
    ((2,), (5, 2))
    """
    return buffer(n, (2,), np.int64, note)


def point_buffer(d: int, n: int | None = None) -> DuelBuffer:
    """Return a buffer for a duel of points in `d` dimensions, or for a batch of n; the note is also a point.

    Examples
    --------
    >>> point_buffer(3).sides.shape, point_buffer(3).note.shape
    ((2, 3), (3,))
    """
    return buffer(n, (2, d), np.float64, (d,))


def buffer(n: int | None, sides: tuple[int, ...], kind: type, note: tuple[int, ...]) -> DuelBuffer:
    """Return a buffer for one duel, or for n, with `sides` and `note` of these shapes."""
    many = () if n is None else (n,)
    propensity, time = np.empty((*many, 2)), np.empty((*many, 1))
    propensity.fill(np.nan)
    time.fill(ANY_ROUND)
    context = np.zeros((*many, 1), np.int64)
    return DuelBuffer(np.zeros((*many, *sides), kind), propensity, np.zeros((*many, *note)), context, time)


@compiled
def duel_at(duels: DuelBuffer, index: int) -> DuelBuffer:
    """Return one duel of a batch, as a view."""
    return DuelBuffer(
        duels.sides[index],
        duels.propensity[index],
        duels.note[index],
        duels.context[index],
        duels.round[index],
    )


class QueryMenu(NamedTuple):
    """The documents of a query."""

    corpus: Any  # all documents, query by query
    query: IntArray  # one number


class ListBuffer(NamedTuple):
    """A buffer for a list to show; holds everything that `tell` needs besides the clicks."""

    corpus: Any
    query: IntArray  # one number
    page: Any  # the documents shown, in order
    workspace: Any  # data that the learner keeps from a list to its clicks
