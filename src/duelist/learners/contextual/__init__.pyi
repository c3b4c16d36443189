# Written by `make derived` from duelist.registry.

from duelist.learners.contextual.following import FollowMixture as FollowMixture
from duelist.learners.contextual.logistic import LogisticDuels as LogisticDuels
from duelist.learners.contextual.sparring_exp4p import SparringEXP4P as SparringEXP4P

__all__ = [
    "FollowMixture",
    "LogisticDuels",
    "SparringEXP4P",
]
