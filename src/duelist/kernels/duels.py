"""Duels and lists as kernels see them: arrays that `ask` fills and `tell` reads.

One form serves arms, actions in contexts and points. `sides` holds two numbers of arms or actions, or two
points; what a learner does not know or does not need stays as it was made.
"""

from typing import Any, NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.kernels.compile import compiled

ANY_ROUND = 0.0  # the round of a duel that was asked by someone else: none is earlier


class DuelBuffer(NamedTuple):
    """Room for one duel, or for a batch of them with a first axis more."""

    sides: Any  # the left and the right choice; points are floats, one a row
    propensity: FloatArray  # the chance with which each side was drawn; nan where it is not known
    note: FloatArray  # what the learner wants to be reminded of, in a shape of its own
    context: IntArray  # one number: the context
    round: FloatArray  # one number: the learner's time when it asked


def arm_buffer(n: int | None = None, note: tuple[int, ...] = (0,)) -> DuelBuffer:
    """Return room for a duel of arms or actions, or for a batch of n.

    Examples
    --------
    >>> arm_buffer().sides.shape, arm_buffer(5).sides.shape
    ((2,), (5, 2))
    """
    return buffer(n, (2,), np.int64, note)


def point_buffer(d: int, n: int | None = None) -> DuelBuffer:
    """Return room for a duel of points of `d` dimensions, or for a batch of n; the note is a point too.

    Examples
    --------
    >>> point_buffer(3).sides.shape, point_buffer(3).note.shape
    ((2, 3), (3,))
    """
    return buffer(n, (2, d), np.float64, (d,))


def buffer(n: int | None, sides: tuple[int, ...], kind: type, note: tuple[int, ...]) -> DuelBuffer:
    """Return room for a duel, or for n, with sides and a note of these shapes."""
    many = () if n is None else (n,)
    propensity, time = np.empty((*many, 2)), np.empty((*many, 1))
    propensity.fill(np.nan)
    time.fill(ANY_ROUND)
    context = np.zeros((*many, 1), np.int64)
    return DuelBuffer(np.zeros((*many, *sides), kind), propensity, np.zeros((*many, *note)), context, time)


@compiled
def duel_at(duels: DuelBuffer, index: int) -> DuelBuffer:
    """Return one duel of a batch, in the batch's own memory."""
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
    """Room for a list to show; carries all that `tell` needs besides the clicks."""

    corpus: Any
    query: IntArray  # one number
    page: Any  # the documents shown, in order
    workspace: Any  # what the learner remembers from a list to its clicks
