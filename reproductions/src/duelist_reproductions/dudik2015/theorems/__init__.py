"""Regret, error and oracle calls of the three algorithms."""

from duelist.laboratory import Item
from duelist_reproductions.dudik2015.theorems import figures, sweep, verdicts

ITEM = Item(
    name="theorems",
    title="Theorems: regret, error and oracle calls on contexts with a cycle",
    minutes=5.0,
    plan=sweep.plan,
    findings=verdicts.findings,
    show=figures.show,
    learners=("SparringEXP4P", "SparringFPL", "SparringPGD"),
)
