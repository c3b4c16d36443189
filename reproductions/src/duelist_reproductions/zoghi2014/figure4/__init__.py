"""Figure 4: regret and accuracy of RUCB, Condorcet SAVAGE and Beat the Mean."""

from duelist.laboratory import Item
from duelist_reproductions.zoghi2014.figure4 import figures, sweep, verdicts
from duelist_reproductions.zoghi2014.rankers import FILE

ITEM = Item(
    name="figure4",
    title="Figure 4: regret and accuracy of RUCB, Condorcet SAVAGE and Beat the Mean on NP2004",
    minutes=10.0,
    plan=sweep.plan,
    findings=verdicts.judge,
    show=figures.show,
    learners=("RUCB", "CondorcetSavage", "BeatTheMean"),
    data=(FILE,),
)
