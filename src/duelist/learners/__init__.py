"""Learners: they ask for duels and are told outcomes."""

from duelist.exports import export_lazily
from duelist.registry import ESTIMATORS, LEARNERS

EXPORTS = {
    **LEARNERS.modules,
    **ESTIMATORS.modules,
    "PolicyMixture": "duelist.policies.mixture",
}

__getattr__, __dir__, __all__ = export_lazily(__name__, EXPORTS)
