"""Which ranker for which query."""

from duelist.laboratory import Item
from duelist_reproductions.documents import FILES
from duelist_reproductions.dudik2015.queries import figures, sweep, verdicts

ITEM = Item(
    name="queries",
    title="Not in the paper: which ranker for which query of MQ2008",
    minutes=3.0,
    plan=sweep.plan,
    findings=verdicts.judge,
    show=figures.show,
    learners=("LogisticDuels", "SparringFPL", "SparringPGD"),
    data=FILES,
)
