"""Default values that several subpackages share."""

from typing import Final

CONFIDENCE: Final = 0.95
"""The level of an interval."""
DELTA: Final = 0.05
"""The share of studies in which a verdict may be wrong, however often one looks."""
ANSWER_TIMEOUT: Final = 3600.0
"""Seconds after which a duel is no longer taken to be open, and an answer is marked as late."""
INTERLEAVING: Final = "team_draft"
"""How two rankings become one list."""
