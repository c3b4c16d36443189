"""Who wins, given all preferences: definitions that are functions of the preference matrix.

`matrix[i, j]` is the probability that arm i beats arm j. A Condorcet winner beats every other arm, but may
not exist. The others always do: Copeland counts the arms beaten, Borda averages the chances of winning, a
random walk weights a win by the strength of the loser, and the von Neumann winner is a lottery over arms that
no arm beats.
"""

from duelist.winners.scores import (
    borda,
    borda_scores,
    condorcet,
    copeland,
    copeland_scores,
    random_walk,
    random_walk_distribution,
)
from duelist.winners.top_cycle import top_cycle
from duelist.winners.von_neumann import (
    has_one_von_neumann,
    von_neumann,
    von_neumann_many,
    von_neumann_support,
)

__all__ = [
    "borda",
    "borda_scores",
    "condorcet",
    "copeland",
    "copeland_scores",
    "has_one_von_neumann",
    "random_walk",
    "random_walk_distribution",
    "top_cycle",
    "von_neumann",
    "von_neumann_many",
    "von_neumann_support",
]
