"""Measure and print everything; takes a few minutes on an idle machine."""

from benchmarks import knobs, learners, shell
from benchmarks.table import show

show("Simulation", [figure() for figure in learners.figures()])
show("Live use", [figure() for figure in shell.figures()])
show("Few answers", [figure() for figure in knobs.figures()])
