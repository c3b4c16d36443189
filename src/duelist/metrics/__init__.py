"""Metrics of a learner's performance. Metrics, unlike learners, have access to the true preferences."""

from duelist.metrics.lowest_win_rate import LowestWinRate, lowest_win_rate
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

__all__ = [
    "CONCEPTS",
    "CONCEPT_NAMES",
    "LowestWinRate",
    "Target",
    "WinRate",
    "accuracy",
    "generalized",
    "lowest_win_rate",
    "scored_target",
    "shares",
    "strong",
    "target",
    "weak",
    "win_rate_against",
]
