"""Simulation: run learners on problems whose true preferences are known, and measure them."""

from duelist.simulation.arguments import log_spaced
from duelist.simulation.engine import simulate
from duelist.simulation.result import Result, Runs, Summary

__all__ = ["Result", "Runs", "Summary", "log_spaced", "simulate"]
