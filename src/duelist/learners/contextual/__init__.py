"""Learners of contextual duels: which action is preferred depends on a context."""

from duelist.estimators.exploration import estimation_error, explore_rounds
from duelist.estimators.game import CompactGame
from duelist.estimators.oracles import AllPairsOracle, CountedOracle, Oracle, RegressionOracle
from duelist.estimators.sparring_fpl import SparringFPL
from duelist.estimators.sparring_pgd import SparringPGD
from duelist.learners.contextual.following import FollowMixture
from duelist.learners.contextual.logistic import LogisticDuels
from duelist.learners.contextual.sparring_exp4p import SparringEXP4P
from duelist.policies import (
    CheapestPolicy,
    ExactOracle,
    FinitePolicies,
    Policy,
    TablePolicy,
    TreePolicy,
    VotingPolicy,
)
from duelist.policies.mixture import PolicyMixture

__all__ = [
    "AllPairsOracle",
    "CheapestPolicy",
    "CompactGame",
    "CountedOracle",
    "ExactOracle",
    "FinitePolicies",
    "FollowMixture",
    "LogisticDuels",
    "Oracle",
    "Policy",
    "PolicyMixture",
    "RegressionOracle",
    "SparringEXP4P",
    "SparringFPL",
    "SparringPGD",
    "TablePolicy",
    "TreePolicy",
    "VotingPolicy",
    "estimation_error",
    "explore_rounds",
]
