"""Measure and print everything; takes about two minutes on one idle core."""

from benchmarks import learners, shell
from benchmarks.table import show

show("Simulation", [figure() for figure in learners.figures()])
show("Live use", [figure() for figure in shell.figures()])
