"""Who wins, given all preferences: five definitions, each a function of the preference matrix.

A Condorcet winner beats every other arm, but may not exist. The others always do: Copeland counts the
arms beaten, Borda averages the chances of winning, a random walk weights a win by the strength of
the loser, and the von Neumann winner is a lottery over arms that no arm beats.

Examples
--------
>>> rock_paper_scissors = [[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]]
>>> condorcet(rock_paper_scissors) is None
True
>>> copeland(rock_paper_scissors)
(0, 1, 2)
>>> von_neumann(rock_paper_scissors).round(3)
array([0.333, 0.333, 0.333])
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
from duelist.winners.von_neumann import von_neumann, von_neumann_many, von_neumann_support

__all__ = [
    "borda",
    "borda_scores",
    "condorcet",
    "copeland",
    "copeland_scores",
    "random_walk",
    "random_walk_distribution",
    "top_cycle",
    "von_neumann",
    "von_neumann_many",
    "von_neumann_support",
]
