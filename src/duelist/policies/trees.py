"""Binary trees as arrays: how a context finds its leaf."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import compiled
from duelist.policies.plain import finite_numbers, whole_numbers

LEAF = -1


class Nodes(NamedTuple):
    """Nodes of one tree or of many: a context goes left where its column is at most the threshold.

    Children come after their parents; a leaf has -1 instead of a column and of children.

    Examples
    --------
    >>> nodes = checked(Nodes([0, -1, -1], [0.5, 0, 0], [1, -1, -1], [2, -1, -1]))
    >>> int(leaf_of(nodes, 0, np.array([[0.7]]), 0))
    2
    """

    column: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray


@compiled
def leaf_of(nodes: Nodes, root: int, contexts: FloatArray, row: int) -> int:
    """Return the leaf that a row of contexts reaches from a root."""
    node = root
    column = nodes.column[node]
    while column >= 0:
        # both are read before one is chosen: a branch that cannot be predicted costs more
        left, right = nodes.left[node], nodes.right[node]
        node = left if contexts[row, column] <= nodes.threshold[node] else right
        column = nodes.column[node]
    return node


def checked(nodes: Nodes) -> Nodes:
    """Return the nodes as checked arrays, which must form trees."""
    column = whole_numbers("column", nodes.column)
    left, right = whole_numbers("left", nodes.left), whole_numbers("right", nodes.right)
    threshold = finite_numbers("threshold", nodes.threshold)
    many = len(column)
    if many == 0 or not many == len(threshold) == len(left) == len(right):
        raise ParameterError(
            f"column, threshold, left and right must be as long as there are nodes, at least one; got "
            f"{many}, {len(threshold)}, {len(left)} and {len(right)}."
        )
    parents = np.flatnonzero(column != LEAF)
    if (column < LEAF).any():
        raise ParameterError(f"column must be {LEAF} in a leaf, or a number from 0; got {column.min()}.")
    for name, children in (("left", left), ("right", right)):
        wrong = parents[(children[parents] <= parents) | (children[parents] >= many)]
        if len(wrong):
            raise ParameterError(
                f"{name} of node {wrong[0]} must be a later one of {many} nodes; got {children[wrong[0]]}."
            )
    children = np.concatenate((left[parents], right[parents]))
    if len(np.unique(children)) < len(children):
        raise ParameterError("left and right must not name a node twice; a node of a tree has one parent.")
    return Nodes(column, threshold, left, right)


def as_single_precision(threshold: FloatArray) -> FloatArray:
    """Return thresholds that part double numbers as these part the same numbers in single precision.

    Trees of scikit-learn round contexts to single precision first. Rounding keeps the order, so that the
    numbers that go left are those up to the last one that is rounded to the threshold or below.

    Examples
    --------
    >>> [moved] = as_single_precision(np.array([0.1]))
    >>> around = np.nextafter(moved, [-1.0, 1.0])
    >>> [bool(np.float32(x) <= np.float64(0.1)) for x in (around[0], moved, around[1])]
    [True, True, False]
    """
    single = threshold.astype(np.float32)
    last = np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single)
    middle = (last.astype(np.float64) + np.nextafter(last, np.float32(np.inf))) / 2.0
    return np.where(middle.astype(np.float32) == last, middle, np.nextafter(middle, -np.inf))


def rules(nodes: Nodes, columns: Sequence[str], tell_leaf: Callable[[int], str]) -> list[str]:
    r"""Return the tree of the first node as lines of text.

    Examples
    --------
    >>> nodes = checked(Nodes([0, -1, -1], [0.5, 0, 0], [1, -1, -1], [2, -1, -1]))
    >>> print(*rules(nodes, ["age"], "leaf {}".format), sep="\n")
    age <= 0.5: leaf 1
    age > 0.5: leaf 2
    """
    if nodes.column[0] == LEAF:
        return [f"always: {tell_leaf(0)}"]
    lines = []
    waiting = [(0, right, 0) for right in (True, False)]
    while waiting:
        parent, goes_right, depth = waiting.pop()
        node = int((nodes.right if goes_right else nodes.left)[parent])
        sign = ">" if goes_right else "<="
        condition = f"{columns[nodes.column[parent]]} {sign} {nodes.threshold[parent]:.6g}"
        if nodes.column[node] == LEAF:
            lines.append(f"{'  ' * depth}{condition}: {tell_leaf(node)}")
        else:
            lines.append(f"{'  ' * depth}{condition}:")
            waiting += [(node, right, depth + 1) for right in (True, False)]
    return lines
