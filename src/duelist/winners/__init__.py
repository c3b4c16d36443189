"""Definitions of the winner as functions of the preference matrix.

`matrix[i, j]` is the probability that arm i beats arm j. A Condorcet winner beats every other arm, but may
not exist. The other winners always exist: Copeland counts the arms beaten, with ties as half; Borda averages
the probabilities of winning; a random walk weights a win by the strength of the loser; Schulze compares
chains of defeats; ranked pairs drops the weakest defeats of cycles; Kemeny ranks all arms with maximum
agreement; and the von Neumann winner is a lottery over arms that no arm beats.
"""

from duelist.winners.defeats import ranked_pairs, ranked_pairs_order, schulze, schulze_strengths
from duelist.winners.kemeny import kemeny, kemeny_order
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
    VonNeumannSolution,
    has_one_von_neumann,
    von_neumann,
    von_neumann_many,
    von_neumann_solution,
    von_neumann_support,
)

__all__ = [
    "VonNeumannSolution",
    "borda",
    "borda_scores",
    "condorcet",
    "copeland",
    "copeland_scores",
    "has_one_von_neumann",
    "kemeny",
    "kemeny_order",
    "random_walk",
    "random_walk_distribution",
    "ranked_pairs",
    "ranked_pairs_order",
    "schulze",
    "schulze_strengths",
    "top_cycle",
    "von_neumann",
    "von_neumann_many",
    "von_neumann_solution",
    "von_neumann_support",
]
