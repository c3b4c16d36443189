"""The hull of the policies seen so far, in which points are weights: distances and gains are small tables."""

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.estimators.game import CompactGame, SeenPolicies
from duelist.estimators.oracles.protocol import Oracle
from duelist.kernels.compile import compiled

RIDGE = 1e-9
"""Added to policies' products, which are at most 1, where they are divided by: some are mixtures of some."""

MOST_MOVES = 10_000  # of weight between two policies in one projection; a few for each policy are common
MOST_ACTIONS = 1 << 16


@compiled
def meet(
    left: IntArray,
    right: IntArray,
    stakes: FloatArray,
    table: NDArray[np.uint16],
    newcomer: int,
    alike: FloatArray,
    gains: FloatArray,
) -> None:
    """Compare a newcomer with every earlier policy: how often they do the same, what it gains."""
    rows = len(stakes)
    for rival in range(newcomer + 1):
        same, gain = 0, 0.0
        for i in range(rows):
            one, other = table[newcomer, i], table[rival, i]
            same += one == other
            if one == left[i] and other == right[i]:
                gain += stakes[i]
            elif one == right[i] and other == left[i]:
                gain -= stakes[i]
        alike[newcomer, rival] = alike[rival, newcomer] = same / rows
        gains[newcomer, rival] = gain / rows
        gains[rival, newcomer] = 0.0 - gain / rows


@compiled
def factor(alike: FloatArray, roots: FloatArray, newcomer: int) -> None:
    """Add a row to the triangular root of a table of products (Cholesky)."""
    rest = alike[newcomer, newcomer] + RIDGE
    for j in range(newcomer):
        left_over = alike[newcomer, j]
        for i in range(j):
            left_over -= roots[newcomer, i] * roots[j, i]
        roots[newcomer, j] = left_over / roots[j, j]
        rest -= roots[newcomer, j] ** 2
    roots[newcomer, newcomer] = max(rest, RIDGE) ** 0.5


@compiled
def steepest(roots: FloatArray, slopes: FloatArray) -> float:
    """Return the largest squared slope between mixtures, per squared distance, given it at every policy."""
    many = len(slopes)
    rises, ones = np.empty(many), np.empty(many)
    squares, crossed, sized = 0.0, 0.0, 0.0
    for j in range(many):
        rise, one = slopes[j], 1.0
        for i in range(j):
            rise -= roots[j, i] * rises[i]
            one -= roots[j, i] * ones[i]
        rises[j], ones[j] = rise / roots[j, j], one / roots[j, j]
        squares += rises[j] ** 2
        crossed += rises[j] * ones[j]
        sized += ones[j] ** 2
    return squares - crossed**2 / sized


@compiled
def mix(table: NDArray[np.uint16], weights: FloatArray, chances: FloatArray) -> None:
    """Add weighted policies to a table with a row for each duel and a column for each action."""
    for policy in range(len(weights)):
        if weights[policy] != 0.0:
            for i in range(len(chances)):
                chances[i, table[policy, i]] += weights[policy]


@compiled
def approach(alike: FloatArray, slopes: FloatArray, weights: FloatArray, tolerance: float) -> None:
    """Move weights to where the hull is nearest to a target; slopes say how much each policy leads away.

    Weight goes from the policy that leads away most to the one that leads nearer most, by exact line search,
    until no policy leads nearer by more than the tolerance (pairwise Frank-Wolfe).
    """
    for _ in range(MOST_MOVES):
        best, worst = 0, -1
        for policy in range(len(weights)):
            if slopes[policy] < slopes[best]:
                best = policy
            if weights[policy] > 0.0 and (worst < 0 or slopes[policy] > slopes[worst]):
                worst = policy
        gap = slopes[worst] - slopes[best]
        if gap <= tolerance:
            break
        length = gap / max(alike[best, best] + alike[worst, worst] - 2.0 * alike[best, worst], 1e-300)
        moved = min(weights[worst], length)
        weights[worst] -= moved
        weights[best] += moved
        for policy in range(len(weights)):
            slopes[policy] += moved * (alike[policy, best] - alike[policy, worst])


class PolicyHull:
    """Policies that were seen, and mixtures of them, as points of the compact game."""

    def __init__(self, game: CompactGame) -> None:
        if game.k > MOST_ACTIONS:
            raise ParameterError(f"there may be {MOST_ACTIONS} actions at most; the log has {game.k}.")
        self.game = game
        self.seen = SeenPolicies()
        self._actions = np.empty((1, len(game)), np.uint16)
        self._alike = np.empty((1, 1))
        self._gains = np.empty((1, 1))
        self._roots = np.empty((1, 1))

    def __len__(self) -> int:
        """Return how many policies were seen."""
        return len(self.seen)

    @property
    def alike(self) -> FloatArray:
        """The products of policy vectors: the share of the duels in which two policies do the same."""
        return self._alike[: len(self), : len(self)]

    @property
    def gains(self) -> FloatArray:
        """What one policy gains against another on the log, on the average."""
        return self._gains[: len(self), : len(self)]

    def ask(self, oracle: Oracle, costs: FloatArray) -> int:
        """Return the number of the oracle's policy for these costs; it may be a new one."""
        policy, actions = self.game.ask(oracle, costs)
        known = len(self)
        place = self.seen.place(policy, actions)
        if place == known:
            self._take_in(place, actions)
        return place

    def _take_in(self, place: int, actions: IntArray) -> None:
        room = len(self._actions)
        if place == room:
            self._actions = np.concatenate([self._actions, np.empty_like(self._actions)])
            tables = (self._alike, self._gains, self._roots)
            self._alike, self._gains, self._roots = (np.pad(table, (0, room)) for table in tables)
        self._actions[place] = actions
        game = self.game
        meet(game.left, game.right, game.stakes, self._actions, place, self._alike, self._gains)
        factor(self._alike, self._roots, place)

    def actions(self, place: int) -> IntArray:
        """Return what a policy does in every duel."""
        return np.asarray(self._actions[place], np.int64)

    def mix(self, weights: FloatArray, table: FloatArray) -> None:
        """Add policies, weighted, to a table with a row for each duel and a column for each action."""
        mix(self._actions, weights, table)

    def project(self, weights: FloatArray, target: FloatArray, tolerance: float) -> FloatArray:
        """Return the point of the hull that is nearest to a target, given by its products with policies."""
        nearest = weights.copy()
        approach(self.alike, self.alike @ weights - target, nearest, tolerance)
        return nearest

    def steepness(self, rival: int) -> float:
        """Return the squared length of the gradient of the gain against a rival, within the hull.

        What sticks out of the hull's span is taken away again by any projection, and is mostly noise: a duel
        has few outcomes, and a large stake.
        """
        return steepest(self._roots, np.ascontiguousarray(self.gains[:, rival]))
