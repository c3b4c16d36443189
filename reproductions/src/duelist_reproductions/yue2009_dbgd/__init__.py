"""Yue, Joachims (2009), Dueling Bandit Gradient Descent: Tables 1 to 3, Figures 2 and 3."""

from duelist.laboratory import Item, Paper
from duelist_reproductions.documents import FILES
from duelist_reproductions.yue2009_dbgd.figures import show_figure2, show_table1
from duelist_reproductions.yue2009_dbgd.sweep import plan_figure2, plan_table1
from duelist_reproductions.yue2009_dbgd.verdicts import find_figure2, find_table1
from duelist_reproductions.yue2009_dbgd.web_figures import show_web_search
from duelist_reproductions.yue2009_dbgd.web_search import plan_fewer_queries, plan_grid, plan_more_runs
from duelist_reproductions.yue2009_dbgd.web_verdicts import find_web_search

PAPER = Paper(
    name="yue2009-dbgd",
    citation="Yue, Joachims (2009). Interactively Optimizing Information Retrieval Systems as a Dueling "
    "Bandits Problem. ICML.",
    package=__name__,
    items=(
        Item(
            name="table1",
            title="Table 1: average regret of DBGD on five utilities, by exploration factor",
            minutes=2.0,
            plan=plan_table1,
            findings=find_table1,
            show=show_table1,
            learners=("DuelingBanditGradientDescent",),
        ),
        Item(
            name="figure2",
            title="Figure 2: average regret of DBGD and of bandit gradient descent with more information",
            minutes=1.0,
            plan=plan_figure2,
            findings=find_figure2,
            show=show_figure2,
            learners=("DuelingBanditGradientDescent", "BGD1", "BGD2"),
        ),
        Item(
            name="websearch",
            title="Table 2, Figure 3, Table 3: DBGD learns to rank, by step sizes and queries per update",
            minutes=10.0,
            plan=plan_grid,
            findings=find_web_search,
            show=show_web_search,
            then=(plan_fewer_queries, plan_more_runs),
            learners=("DuelingBanditGradientDescent",),
            data=FILES,
        ),
    ),
)
