"""Problems that answer duels: given by a matrix, recorded votes, a model, functions, or rankers and clicks.

Examples
--------
>>> condorcet_cycle(4)
MatrixProblem(labels=('0', '1', '2', '3'))
"""

from duelist.preferences import estimate, wilson_interval
from duelist.problems.contextual import FiniteContexts
from duelist.problems.cyclic_contexts import cyclic_contexts
from duelist.problems.function_contexts import FunctionContexts
from duelist.problems.matrix import MatrixProblem
from duelist.problems.models import (
    bradley_terry,
    condorcet_cycle,
    cycle,
    from_utilities,
    random_bradley_terry,
    thurstone,
    with_clones,
    worst_case,
)
from duelist.problems.query_contexts import QueryContexts
from duelist.problems.ranker_duel import RankerDuel
from duelist.problems.ranker_space import LinearRankerSpace
from duelist.problems.ranking_problem import RankingProblem
from duelist.problems.utility import Separable, UtilityProblem, p1, p2, p3, p4, p5

__all__ = [
    "FiniteContexts",
    "FunctionContexts",
    "LinearRankerSpace",
    "MatrixProblem",
    "QueryContexts",
    "RankerDuel",
    "RankingProblem",
    "Separable",
    "UtilityProblem",
    "bradley_terry",
    "condorcet_cycle",
    "cycle",
    "cyclic_contexts",
    "estimate",
    "from_utilities",
    "p1",
    "p2",
    "p3",
    "p4",
    "p5",
    "random_bradley_terry",
    "thurstone",
    "wilson_interval",
    "with_clones",
    "worst_case",
]
