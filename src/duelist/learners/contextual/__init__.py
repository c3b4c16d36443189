"""Learners of contextual duels: which action is preferred depends on a context."""

from duelist.exports import export_lazily
from duelist.registry import ESTIMATORS, LEARNERS

EXPORTS = {
    **{name: module for name, module in LEARNERS.modules.items() if module.startswith(__name__)},
    **ESTIMATORS.modules,
    "AllPairsOracle": "duelist.estimators.oracles",
    "CheapestPolicy": "duelist.policies",
    "CompactGame": "duelist.estimators.game",
    "CountedOracle": "duelist.estimators.game",
    "ExactOracle": "duelist.policies",
    "FinitePolicies": "duelist.policies",
    "Oracle": "duelist.estimators.game",
    "Policy": "duelist.policies",
    "PolicyMixture": "duelist.policies.mixture",
    "RegressionOracle": "duelist.estimators.oracles",
    "TablePolicy": "duelist.policies",
    "TreePolicy": "duelist.policies",
    "VotingPolicy": "duelist.policies",
    "estimation_error": "duelist.estimators.exploration",
    "explore_rounds": "duelist.estimators.exploration",
}

__getattr__, __dir__, __all__ = export_lazily(__name__, EXPORTS)
