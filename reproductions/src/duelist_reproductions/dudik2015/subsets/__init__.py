"""Winners of random subsets of rankers."""

from duelist.laboratory import Item
from duelist_reproductions.dudik2015.subsets import figures, sweep, verdicts

ITEM = Item(
    name="subsets",
    title="Appendix: winners of a million random subsets of MSLR's rankers",
    minutes=1.0,
    plan=sweep.plan,
    findings=verdicts.findings,
    show=figures.show,
    data=(sweep.MATRIX,),
)
