"""Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015), Contextual Dueling Bandits."""

from duelist.laboratory.items import Item, Paper
from duelist.reproductions.dudik2015 import (
    clones_sweep,
    clones_tables,
    clones_verdicts,
    queries_sweep,
    queries_verdicts,
    subsets_figures,
    subsets_sweep,
    subsets_verdicts,
    theorems_figures,
    theorems_sweep,
    theorems_verdicts,
)
from duelist.reproductions.yue2009_dbgd.documents import FILES

PAPER = Paper(
    name="dudik2015",
    citation=(
        "Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual Dueling Bandits. "
        "Conference on Learning Theory."
    ),
    package=__name__,
    items=(
        Item(
            name="subsets",
            title="Appendix: winners of a million random subsets of MSLR's rankers",
            minutes=1.0,
            plan=subsets_sweep.plan,
            judge=subsets_verdicts.judge,
            show=subsets_figures.show,
            data=(subsets_sweep.MATRIX,),
        ),
        Item(
            name="clones",
            title="Appendix: a duplicate arm changes the Copeland winners, not the von Neumann winner",
            minutes=0.1,
            plan=clones_sweep.plan,
            judge=clones_verdicts.judge,
            show=clones_tables.show,
        ),
        Item(
            name="theorems",
            title="Theorems: regret, error and oracle calls on contexts with a cycle",
            minutes=5.0,
            plan=theorems_sweep.plan,
            judge=theorems_verdicts.judge,
            show=theorems_figures.show,
            learners=("SparringEXP4P", "SparringFPL", "SparringPGD"),
        ),
        Item(
            name="queries",
            title="Not in the paper: which ranker for which query of MQ2008",
            minutes=3.0,
            plan=queries_sweep.plan,
            judge=queries_verdicts.judge,
            show=queries_verdicts.show,
            learners=("LogisticDuels", "SparringFPL", "SparringPGD"),
            data=FILES,
        ),
    ),
)
