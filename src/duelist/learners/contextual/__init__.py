"""Learners of contextual duels: which action is preferred depends on a context."""

from duelist.learners.contextual.exploration import estimation_error, explore_rounds
from duelist.learners.contextual.following import FollowMixture
from duelist.learners.contextual.game import CompactGame
from duelist.learners.contextual.logistic import LogisticDuels
from duelist.learners.contextual.mixture import PolicyMixture
from duelist.learners.contextual.oracles import AllPairsOracle, CountedOracle, Oracle, RegressionOracle
from duelist.learners.contextual.policies import (
    CheapestPolicy,
    ExactOracle,
    FinitePolicies,
    Policy,
    TablePolicy,
    TreePolicy,
    VotingPolicy,
)
from duelist.learners.contextual.sparring_exp4p import SparringEXP4P
from duelist.learners.contextual.sparring_fpl import SparringFPL
from duelist.learners.contextual.sparring_pgd import SparringPGD

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
