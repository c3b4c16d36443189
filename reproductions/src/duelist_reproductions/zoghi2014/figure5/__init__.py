"""Figure 5: how likely random rankers have a Condorcet winner, and a total order."""

from duelist.laboratory import Item
from duelist_reproductions.zoghi2014.figure5 import figures, sweep, verdicts
from duelist_reproductions.zoghi2014.rankers import FILE

ITEM = Item(
    name="figure5",
    title="Figure 5: how likely random rankers have a Condorcet winner, and a total order",
    minutes=0.1,
    plan=sweep.plan,
    findings=verdicts.judge,
    show=figures.show,
    data=(FILE,),
)
