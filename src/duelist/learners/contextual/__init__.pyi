# Written by `make derived` from duelist.registry.

from duelist.estimators.exploration import estimation_error as estimation_error
from duelist.estimators.exploration import explore_rounds as explore_rounds
from duelist.estimators.game import CompactGame as CompactGame
from duelist.estimators.game import CountedOracle as CountedOracle
from duelist.estimators.game import Oracle as Oracle
from duelist.estimators.oracles import AllPairsOracle as AllPairsOracle
from duelist.estimators.oracles import RegressionOracle as RegressionOracle
from duelist.estimators.sparring_fpl import SparringFPL as SparringFPL
from duelist.estimators.sparring_pgd import SparringPGD as SparringPGD
from duelist.learners.contextual.following import FollowMixture as FollowMixture
from duelist.learners.contextual.logistic import LogisticDuels as LogisticDuels
from duelist.learners.contextual.sparring_exp4p import SparringEXP4P as SparringEXP4P
from duelist.policies import CheapestPolicy as CheapestPolicy
from duelist.policies import ExactOracle as ExactOracle
from duelist.policies import FinitePolicies as FinitePolicies
from duelist.policies import Policy as Policy
from duelist.policies import TablePolicy as TablePolicy
from duelist.policies import TreePolicy as TreePolicy
from duelist.policies import VotingPolicy as VotingPolicy
from duelist.policies.mixture import PolicyMixture as PolicyMixture

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
