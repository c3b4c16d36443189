"""Zoghi, Whiteson, Munos, de Rijke (2014): RUCB against SAVAGE and Beat the Mean, and what they assume."""

from duelist.laboratory import Item, Paper
from duelist.reproductions.zoghi2014 import (
    figure4_figures,
    figure4_sweep,
    figure4_verdicts,
    figure5_figures,
    figure5_sweep,
    figure5_verdicts,
)
from duelist.reproductions.zoghi2014.rankers import FILE

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
            plan=figure4_sweep.plan,
            judge=figure4_verdicts.judge,
            show=figure4_figures.show,
            learners=("RUCB", "CondorcetSavage", "BeatTheMean"),
            data=(FILE,),
        ),
        Item(
            name="figure5",
            title="Figure 5: how likely random rankers have a Condorcet winner, and a total order",
            minutes=0.1,
            plan=figure5_sweep.plan,
            judge=figure5_verdicts.judge,
            show=figure5_figures.show,
            data=(FILE,),
        ),
    ),
)
