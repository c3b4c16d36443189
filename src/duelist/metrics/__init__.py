"""Metrics: what a learner is judged by. Only metrics, never learners, see true preferences."""

from duelist.metrics.identification import accuracy, shares
from duelist.metrics.regret import (
    CONCEPT_NAMES,
    CONCEPTS,
    Target,
    generalized,
    scored_target,
    strong,
    target,
    weak,
)

__all__ = [
    "CONCEPTS",
    "CONCEPT_NAMES",
    "Target",
    "accuracy",
    "generalized",
    "scored_target",
    "shares",
    "strong",
    "target",
    "weak",
]
