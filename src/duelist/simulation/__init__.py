"""The laboratory: play learners on problems whose truth is known, and measure."""

from duelist.simulation.arguments import log_spaced
from duelist.simulation.engine import simulate
from duelist.simulation.result import Result, Runs, Summary

__all__ = ["Result", "Runs", "Summary", "log_spaced", "simulate"]
