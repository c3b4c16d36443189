"""Learners of rankings: they show lists and learn from clicks."""

from duelist.exports import export_lazily
from duelist.registry import LEARNERS

EXPORTS = {name: module for name, module in LEARNERS.modules.items() if module.startswith(__name__)}

__getattr__, __dir__, __all__ = export_lazily(__name__, EXPORTS)
