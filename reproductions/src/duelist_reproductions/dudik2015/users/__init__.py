"""Preferences of rankers estimated anew, by who clicks."""

from duelist.laboratory import Item
from duelist_reproductions.dudik2015.users import figures, sweep, verdicts

ITEM = Item(
    name="users",
    title="Appendix: how rare Condorcet winners are, by who clicks",
    minutes=4.0,
    plan=sweep.plan,
    findings=verdicts.findings,
    show=figures.show,
    data=sweep.FILES,
)
