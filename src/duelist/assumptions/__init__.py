"""What guarantees rest on: total order, stochastic transitivity, triangle inequality.

Examples
--------
>>> ladder = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]
>>> total_order(ladder)
(0, 1, 2)
>>> strong_stochastic_transitivity(ladder), stochastic_triangle_inequality(ladder)
(True, True)
"""

from duelist.assumptions.describe import Description, describe
from duelist.assumptions.transitivity import (
    relaxed_gamma,
    stochastic_triangle_inequality,
    strong_stochastic_transitivity,
    total_order,
)

__all__ = [
    "Description",
    "describe",
    "relaxed_gamma",
    "stochastic_triangle_inequality",
    "strong_stochastic_transitivity",
    "total_order",
]
