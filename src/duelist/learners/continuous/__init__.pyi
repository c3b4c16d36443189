# Written by `make derived` from duelist.registry.

from duelist.learners.continuous.gradient_descent import BGD1 as BGD1
from duelist.learners.continuous.gradient_descent import BGD2 as BGD2
from duelist.learners.continuous.gradient_descent import (
    DuelingBanditGradientDescent as DuelingBanditGradientDescent,
)
from duelist.learners.continuous.multileaving import (
    MultileavingGradientDescent as MultileavingGradientDescent,
)
from duelist.learners.continuous.preferential_optimization import (
    PreferentialOptimization as PreferentialOptimization,
)

__all__ = [
    "BGD1",
    "BGD2",
    "DuelingBanditGradientDescent",
    "MultileavingGradientDescent",
    "PreferentialOptimization",
]
