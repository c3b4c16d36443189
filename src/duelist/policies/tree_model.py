"""A sum or mean of trees that predicts several numbers, as plain arrays: single trees, forests, boosting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.constraints import Positive, check_fields
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import compiled
from duelist.policies.plain import Plain, finite_numbers, whole_numbers
from duelist.policies.trees import LEAF, Nodes, checked, leaf_of

ROWS = 256  # rows that meet one tree after the other, while their values are close at hand


@dataclass(frozen=True, eq=False, repr=False)
class TreeModel:
    """Trees whose leaves are added up, in their order."""

    nodes: Nodes  # of all trees
    leaves: FloatArray  # a row for each node: what a leaf adds
    roots: IntArray  # the first node of each tree
    places: IntArray  # the output to which the first number of a tree's leaves is added; the others follow it
    base: FloatArray  # what each sum starts from
    divisor: Positive = 1.0  # of the sums: as many as there are trees, where the mean is meant

    def __post_init__(self) -> None:
        """Refuse what does not belong together."""
        check_fields(self)
        nodes, leaves = checked(self.nodes), finite_numbers("leaves", self.leaves, 2)
        roots, places = whole_numbers("roots", self.roots), whole_numbers("places", self.places)
        base = finite_numbers("base", self.base)
        if len(leaves) != len(nodes.column) or len(roots) != len(places) or len(base) == 0:
            raise ParameterError(
                f"leaves must be one a node, {len(nodes.column)}, places one a tree, {len(roots)}, and base "
                f"at least one number; got {len(leaves)}, {len(places)} and {len(base)}."
            )
        if len(roots) and not 0 <= roots.min() <= roots.max() < len(leaves):
            raise ParameterError(f"roots must be nodes from 0 to {len(leaves) - 1}; got {roots}.")
        if len(places) and not 0 <= places.min() <= places.max() <= len(base) - leaves.shape[1]:
            raise ParameterError(
                f"places must leave room for {leaves.shape[1]} of {len(base)} outputs; got {places}."
            )
        divisor = float(self.divisor)
        vars(self).update(nodes=nodes, leaves=leaves, roots=roots, places=places, base=base, divisor=divisor)

    def __repr__(self) -> str:
        """Describe the model in a line."""
        return f"{type(self).__name__}({len(self.roots)} trees with {self._leaves()} leaves)"

    @property
    def outputs(self) -> int:
        """How many numbers it predicts."""
        return len(self.base)

    @property
    def d(self) -> int:
        """The number of columns up to the last one it reads."""
        return int(self.nodes.column.max()) + 1

    def values(self, contexts: FloatArray) -> FloatArray:
        """Return its predictions, a row for each row of contexts."""
        values = np.tile(self.base, (len(contexts), 1))
        table = np.ascontiguousarray(contexts, np.float64)
        add_leaves(self.nodes, self.leaves, self.roots, self.places, table, values)
        values /= self.divisor
        return values

    def plain(self) -> Plain:
        """Return its arrays."""
        numbers = {name: getattr(self, name) for name in ("divisor", "base", "roots", "places")}
        return {"kind": "trees", **numbers, **self.nodes._asdict(), "leaves": self.leaves}

    @classmethod
    def from_plain(cls, content: dict[str, Any]) -> "TreeModel":
        """Return the model of these arrays."""
        nodes = Nodes(*(content[name] for name in Nodes._fields))
        others = ("leaves", "roots", "places", "base", "divisor")
        return cls(nodes, *(content[name] for name in others))

    def lines(self, names: Sequence[str], columns: Sequence[str]) -> list[str]:
        """Return how many trees there are, and what they ask most about."""
        asked = np.bincount(self.nodes.column[self.nodes.column != LEAF], minlength=len(columns))
        most = [column for column in np.argsort(-asked, kind="stable")[:5] if asked[column]]
        about = ", ".join(f"{columns[column]} {asked[column]} times" for column in most)
        many = f"{len(self.roots)} {'tree' if len(self.roots) == 1 else 'trees'}"
        return [f"{many} with {self._leaves()} leaves; asked most about: {about or 'nothing'}"]

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
    """Add what each tree says to each row of values, in the order of the trees."""
    for start in range(0, len(contexts), ROWS):
        end = min(start + ROWS, len(contexts))
        for tree in range(len(roots)):
            for row in range(start, end):
                leaf = leaf_of(nodes, roots[tree], contexts, row)
                for place in range(leaves.shape[1]):
                    values[row, places[tree] + place] += leaves[leaf, place]
