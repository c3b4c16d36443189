"""Binary trees as arrays: policies with an action at every leaf, and models.

A model predicts several numbers as a sum or mean of trees: single trees, forests, boosting.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from duelist.constraints import Positive, check_fields
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import compiled
from duelist.policies.plain import Plain, finite_numbers, whole_numbers

LEAF = -1
ROWS = 256  # rows passed through all trees at once, while their values are in the cache


class Nodes(NamedTuple):
    """The nodes of one or more trees: a context goes left if its column is at most the threshold.

    Children come after their parents. A leaf has -1 instead of a column and children.
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
        # both are read before one is chosen, because a mispredicted branch costs more
        left, right = nodes.left[node], nodes.right[node]
        node = left if contexts[row, column] <= nodes.threshold[node] else right
        column = nodes.column[node]
    return node


def checked(nodes: Nodes) -> Nodes:
    """Return the nodes as arrays, after checking that they form trees."""
    column = whole_numbers("column", nodes.column)
    left, right = whole_numbers("left", nodes.left), whole_numbers("right", nodes.right)
    threshold = finite_numbers("threshold", nodes.threshold)
    many = len(column)
    if many == 0 or not many == len(threshold) == len(left) == len(right):
        raise ParameterError(
            f"column, threshold, left and right must have the same length, at least 1; got {many}, "
            f"{len(threshold)}, {len(left)} and {len(right)}."
        )
    parents = np.flatnonzero(column != LEAF)
    if (column < LEAF).any():
        raise ParameterError(f"column must be {LEAF} in a leaf, and 0 or more elsewhere; got {column.min()}.")
    for name, children in (("left", left), ("right", right)):
        wrong = parents[(children[parents] <= parents) | (children[parents] >= many)]
        if len(wrong):
            raise ParameterError(
                f"{name} of node {wrong[0]} must be a later node, at most {many - 1}; got "
                f"{children[wrong[0]]}."
            )
    children = np.concatenate((left[parents], right[parents]))
    if len(np.unique(children)) < len(children):
        raise ParameterError(
            "left and right must name each node at most once, because a node of a tree has one parent."
        )
    return Nodes(column, threshold, left, right)


def as_single_precision(threshold: FloatArray) -> FloatArray:
    """Return thresholds that split double-precision numbers like these split them in single precision.

    Trees of scikit-learn round contexts first. Rounding is monotonic, so all numbers up to the last one that
    is rounded to the threshold or below go left.
    """
    single = threshold.astype(np.float32)
    last = np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single)
    middle = (last.astype(np.float64) + np.nextafter(last, np.float32(np.inf))) / 2.0
    return np.where(middle.astype(np.float32) == last, middle, np.nextafter(middle, -np.inf))


def rules(nodes: Nodes, columns: Sequence[str], describe_leaf: Callable[[int], str]) -> list[str]:
    """Return the tree of the first node as lines of text."""
    if nodes.column[0] == LEAF:
        return [f"always: {describe_leaf(0)}"]
    lines = []
    waiting = [(0, right, 0) for right in (True, False)]
    while waiting:
        parent, goes_right, depth = waiting.pop()
        node = int((nodes.right if goes_right else nodes.left)[parent])
        sign = ">" if goes_right else "<="
        condition = f"{columns[nodes.column[parent]]} {sign} {nodes.threshold[parent]:.6g}"
        if nodes.column[node] == LEAF:
            lines.append(f"{'  ' * depth}{condition}: {describe_leaf(node)}")
        else:
            lines.append(f"{'  ' * depth}{condition}:")
            waiting += [(node, right, depth + 1) for right in (True, False)]
    return lines


@dataclass(frozen=True, eq=False, repr=False)
class TreePolicy:
    """A decision tree with an action at every leaf.

    Splits that make no difference are removed, so trees that choose the same actions are more often equal.

    Parameters
    ----------
    nodes : Nodes
        The nodes of the tree; the first one is the root.
    actions : array of int
        The number of an action for each node; only those of leaves are used.

    Examples
    --------
    >>> nodes = Nodes([0, -1, 0, -1, -1], [0.5, 0, 0.7, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1])
    >>> policy = TreePolicy(nodes, [2, 0, 2, 1, 1])
    >>> policy
    TreePolicy(2 leaves)
    >>> policy.act(np.array([[0.5], [0.6], [0.8]]))
    array([0, 1, 1])
    """

    nodes: Nodes
    actions: IntArray

    def __post_init__(self) -> None:
        nodes = checked(self.nodes)
        actions = whole_numbers("actions", self.actions)
        if len(actions) != len(nodes.column):
            raise ParameterError(
                f"actions must have one number per node, {len(nodes.column)}; got {len(actions)}."
            )
        leaves = nodes.column == LEAF
        if actions[leaves].min() < 0:
            raise ParameterError(f"actions must be 0 or more at leaves; got {actions[leaves].min()}.")
        order = shorten(nodes, actions := np.where(leaves, actions, LEAF))
        renumbered = np.full(len(actions), LEAF)
        renumbered[order] = np.arange(len(order))
        asks = actions[order] == LEAF
        shorter = Nodes(
            np.where(asks, nodes.column[order], LEAF),
            np.where(asks, nodes.threshold[order], 0.0),
            np.where(asks, renumbered[nodes.left[order]], LEAF),
            np.where(asks, renumbered[nodes.right[order]], LEAF),
        )
        vars(self).update(nodes=shorter, actions=actions[order])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({int((self.nodes.column == LEAF).sum())} leaves)"

    def act(self, contexts: FloatArray) -> IntArray:
        """Return the action for each row of contexts.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row.

        Returns
        -------
        array of int, shape (n,)
            The numbers of the actions.
        """
        actions = np.empty(len(contexts), np.int64)
        follow(self.nodes, self.actions, np.ascontiguousarray(contexts, np.float64), actions)
        return actions

    @property
    def needs(self) -> tuple[int, int]:
        return int(self.actions.max()) + 1, int(self.nodes.column.max()) + 1

    def plain(self) -> Plain:
        return {"kind": "tree", **self.nodes._asdict(), "actions": self.actions}

    @classmethod
    def always(cls, action: int) -> "TreePolicy":
        """Return a tree that always chooses the same action.

        Parameters
        ----------
        action : int
            The number of the action.

        Returns
        -------
        TreePolicy
            A tree with a single leaf.
        """
        return cls(Nodes(*(np.array([value]) for value in (LEAF, 0.0, LEAF, LEAF))), np.array([action]))

    @classmethod
    def from_plain(cls, content: dict[str, Any]) -> "TreePolicy":
        return cls(Nodes(*(content[name] for name in Nodes._fields)), content["actions"])

    def lines(self, actions: Sequence[str], columns: Sequence[str]) -> list[str]:
        return rules(self.nodes, columns, lambda leaf: actions[self.actions[leaf]])


@compiled
def follow(nodes: Nodes, actions: IntArray, contexts: FloatArray, chosen: IntArray) -> None:
    for row in range(len(contexts)):
        chosen[row] = actions[leaf_of(nodes, 0, contexts, row)]


@compiled
def shorten(nodes: Nodes, actions: IntArray) -> IntArray:
    """Write the action of every node whose leaves all have the same action; return the nodes still reached.

    They are in the order of a traversal that goes left first, so equal trees get equal numbers.
    """
    for node in range(len(actions) - 1, -1, -1):
        if nodes.column[node] >= 0:
            on_left, on_right = actions[nodes.left[node]], actions[nodes.right[node]]
            if on_left == on_right:
                actions[node] = on_left
    order, waiting = np.empty(len(actions), np.int64), np.empty(len(actions) + 1, np.int64)
    waiting[0] = 0
    many, ahead = 0, 1
    while ahead > 0:
        ahead -= 1
        node = waiting[ahead]
        order[many] = node
        many += 1
        if actions[node] < 0:
            waiting[ahead] = nodes.right[node]
            waiting[ahead + 1] = nodes.left[node]
            ahead += 2
    return order[:many]


@dataclass(frozen=True, eq=False, repr=False)
class TreeModel:
    """Trees whose leaves are added up in order."""

    nodes: Nodes  # of all trees
    leaves: FloatArray  # one row per node: the numbers that a leaf adds
    roots: IntArray  # the first node of each tree
    places: IntArray  # for each tree: the output to which the first number of its leaves is added
    base: FloatArray  # the initial value of each sum
    divisor: Positive = 1.0  # of the sums: the number of trees for a mean

    def __post_init__(self) -> None:
        check_fields(self)
        nodes, leaves = checked(self.nodes), finite_numbers("leaves", self.leaves, 2)
        roots, places = whole_numbers("roots", self.roots), whole_numbers("places", self.places)
        base = finite_numbers("base", self.base)
        if len(leaves) != len(nodes.column) or len(roots) != len(places) or len(base) == 0:
            raise ParameterError(
                f"leaves must have one row per node ({len(nodes.column)}), places one number per tree "
                f"({len(roots)}), and base at least one number; got {len(leaves)}, {len(places)} and "
                f"{len(base)}."
            )
        if len(roots) and not 0 <= roots.min() <= roots.max() < len(leaves):
            raise ParameterError(f"roots must be nodes from 0 to {len(leaves) - 1}; got {roots}.")
        if len(places) and not 0 <= places.min() <= places.max() <= len(base) - leaves.shape[1]:
            raise ParameterError(
                f"places must lie from 0 to {len(base) - leaves.shape[1]}, since leaves have "
                f"{leaves.shape[1]} of {len(base)} outputs; got {places}."
            )
        divisor = float(self.divisor)
        vars(self).update(nodes=nodes, leaves=leaves, roots=roots, places=places, base=base, divisor=divisor)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.roots)} trees with {self._leaves()} leaves)"

    @property
    def outputs(self) -> int:
        return len(self.base)

    @property
    def d(self) -> int:
        """One more than the last column it reads."""
        return int(self.nodes.column.max()) + 1

    def values(self, contexts: FloatArray) -> FloatArray:
        values = np.tile(self.base, (len(contexts), 1))
        table = np.ascontiguousarray(contexts, np.float64)
        add_leaves(self.nodes, self.leaves, self.roots, self.places, table, values)
        values /= self.divisor
        return values

    def plain(self) -> Plain:
        numbers = {name: getattr(self, name) for name in ("divisor", "base", "roots", "places")}
        return {"kind": "trees", **numbers, **self.nodes._asdict(), "leaves": self.leaves}

    @classmethod
    def from_plain(cls, content: dict[str, Any]) -> "TreeModel":
        nodes = Nodes(*(content[name] for name in Nodes._fields))
        others = ("leaves", "roots", "places", "base", "divisor")
        return cls(nodes, *(content[name] for name in others))

    def lines(self, names: Sequence[str], columns: Sequence[str]) -> list[str]:
        """Return the number of trees, and the columns on which they split most often."""
        asked = np.bincount(self.nodes.column[self.nodes.column != LEAF], minlength=len(columns))
        most = [column for column in np.argsort(-asked, kind="stable")[:5] if asked[column]]
        about = ", ".join(f"{columns[column]} {asked[column]} times" for column in most)
        many = f"{len(self.roots)} {'tree' if len(self.roots) == 1 else 'trees'}"
        return [f"{many} with {self._leaves()} leaves; most frequent splits: {about or 'none'}"]

    def _leaves(self) -> int:
        return int((self.nodes.column == LEAF).sum())


@compiled
def add_leaves(
    nodes: Nodes,
    leaves: FloatArray,
    roots: IntArray,
    places: IntArray,
    contexts: FloatArray,
    values: FloatArray,
) -> None:
    """Add the leaves that each row of contexts reaches to its values, in the order of the trees."""
    for start in range(0, len(contexts), ROWS):
        end = min(start + ROWS, len(contexts))
        for tree in range(len(roots)):
            for row in range(start, end):
                leaf = leaf_of(nodes, roots[tree], contexts, row)
                for output in range(leaves.shape[1]):
                    values[row, places[tree] + output] += leaves[leaf, output]
