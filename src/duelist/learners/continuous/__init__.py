"""Learners for the points of a space."""

from duelist.registry import LEARNERS, export_lazily

EXPORTS = {name: module for name, module in LEARNERS.modules.items() if module.startswith(__name__)}

__getattr__, __dir__, __all__ = export_lazily(__name__, EXPORTS)
