"""Learners for the points of a space."""

from duelist.learners.continuous.baselines import BGD1, BGD2
from duelist.learners.continuous.gradient_descent import DuelingBanditGradientDescent
from duelist.learners.continuous.multileaving import MultileavingGradientDescent
from duelist.learners.continuous.preferential_optimization import PreferentialOptimization

__all__ = [
    "BGD1",
    "BGD2",
    "DuelingBanditGradientDescent",
    "MultileavingGradientDescent",
    "PreferentialOptimization",
]
