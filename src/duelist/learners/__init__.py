"""Learners: they choose duels and learn from the outcomes."""

from duelist.exports import export_lazily
from duelist.registry import LEARNERS

EXPORTS = LEARNERS.modules

__getattr__, __dir__, __all__ = export_lazily(__name__, EXPORTS)
