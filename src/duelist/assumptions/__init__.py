"""The assumptions behind guarantees: total order, stochastic transitivity, triangle inequality."""

from duelist.assumptions.describe import Description, describe
from duelist.assumptions.transitivity import (
    Cycle,
    cycles,
    relaxed_gamma,
    stochastic_triangle_inequality,
    strong_stochastic_transitivity,
    total_order,
)

__all__ = [
    "Cycle",
    "Description",
    "cycles",
    "describe",
    "relaxed_gamma",
    "stochastic_triangle_inequality",
    "strong_stochastic_transitivity",
    "total_order",
]
