"""Metrics: what a learner is judged by. Only metrics, never learners, see true preferences."""

from duelist.metrics.identification import accuracy, shares
from duelist.metrics.regret import CONCEPT_NAMES, CONCEPTS, Target, generalized, strong, target, weak

__all__ = [
    "CONCEPTS",
    "CONCEPT_NAMES",
    "Target",
    "accuracy",
    "generalized",
    "shares",
    "strong",
    "target",
    "weak",
]
