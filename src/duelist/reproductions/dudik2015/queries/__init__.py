"""Which ranker for which query."""

from duelist.laboratory import Item
from duelist.reproductions.dudik2015.queries import figures, sweep, verdicts
from duelist.reproductions.yue2009_dbgd.documents import FILES

ITEM = Item(
    name="queries",
    title="Not in the paper: which ranker for which query of MQ2008",
    minutes=3.0,
    plan=sweep.plan,
    judge=verdicts.judge,
    show=figures.show,
    learners=("LogisticDuels", "SparringFPL", "SparringPGD"),
    data=FILES,
)
