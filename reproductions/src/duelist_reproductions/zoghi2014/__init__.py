"""Zoghi, Whiteson, Munos, de Rijke (2014): RUCB, SAVAGE and Beat the Mean, and their assumptions."""

from duelist.laboratory import Item, Paper
from duelist_reproductions.zoghi2014 import figure5, figure5_sweep
from duelist_reproductions.zoghi2014.figure4 import figures, sweep, verdicts
from duelist_reproductions.zoghi2014.rankers import FILE

PAPER = Paper(
    name="zoghi2014",
    citation="Zoghi, Whiteson, Munos, de Rijke (2014). Relative Upper Confidence Bound for the K-Armed "
    "Dueling Bandit Problem. ICML.",
    package=__name__,
    items=(
        Item(
            name="figure4",
            title="Figure 4: regret and accuracy of RUCB, Condorcet SAVAGE and Beat the Mean on NP2004",
            minutes=10.0,
            plan=sweep.plan,
            findings=verdicts.findings,
            show=figures.show,
            learners=("RUCB", "CondorcetSavage", "BeatTheMean"),
            data=(FILE,),
        ),
        Item(
            name="figure5",
            title="Figure 5: chances that random rankers have a Condorcet winner, and a total order",
            minutes=0.1,
            plan=figure5_sweep.plan,
            findings=figure5.findings,
            show=figure5.show,
            data=(FILE,),
        ),
    ),
)
