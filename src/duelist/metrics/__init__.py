"""Metrics: what a learner is judged by. Only metrics, never learners, see true preferences."""

from duelist.metrics.identification import accuracy, shares
from duelist.metrics.regret import CONCEPTS, Target, generalized, strong, target, weak

__all__ = ["CONCEPTS", "Target", "accuracy", "generalized", "shares", "strong", "target", "weak"]
