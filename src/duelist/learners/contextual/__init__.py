"""Learners of contextual duels: which action is preferred depends on a context."""

from duelist.learners.contextual.mixture import PolicyMixture
from duelist.learners.contextual.oracles import Oracle
from duelist.learners.contextual.policies import FinitePolicies, Policy

__all__ = ["FinitePolicies", "Oracle", "Policy", "PolicyMixture"]
