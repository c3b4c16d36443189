"""Metrics: how good a learner is. Only metrics, never learners, see true preferences."""

from duelist.metrics.off_policy import WinRate, win_rate_against
from duelist.metrics.regret import (
    CONCEPT_NAMES,
    CONCEPTS,
    Target,
    accuracy,
    generalized,
    scored_target,
    shares,
    strong,
    target,
    weak,
)
from duelist.metrics.worst_case import WorstCase, worst_case

__all__ = [
    "CONCEPTS",
    "CONCEPT_NAMES",
    "Target",
    "WinRate",
    "WorstCase",
    "accuracy",
    "generalized",
    "scored_target",
    "shares",
    "strong",
    "target",
    "weak",
    "win_rate_against",
    "worst_case",
]
