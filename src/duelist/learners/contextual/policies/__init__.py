"""Policies: from a context to an action, as plain arrays that are fast and can be saved."""

from duelist.learners.contextual.policies.finite import ExactOracle, FinitePolicies, TablePolicy
from duelist.learners.contextual.policies.scored import CheapestPolicy, VotingPolicy
from duelist.learners.contextual.policies.tree_policy import TreePolicy
from duelist.protocols import Policy

__all__ = [
    "CheapestPolicy",
    "ExactOracle",
    "FinitePolicies",
    "Policy",
    "TablePolicy",
    "TreePolicy",
    "VotingPolicy",
]
