"""Policies: functions from contexts to actions, stored as plain arrays that are fast and can be saved."""

from duelist.policies.finite import ExactOracle, FinitePolicies, TablePolicy
from duelist.policies.mixture import PolicyMixture
from duelist.policies.scored import CheapestPolicy, VotingPolicy
from duelist.policies.trees import TreePolicy
from duelist.protocols import Policy

__all__ = [
    "CheapestPolicy",
    "ExactOracle",
    "FinitePolicies",
    "Policy",
    "PolicyMixture",
    "TablePolicy",
    "TreePolicy",
    "VotingPolicy",
]
