"""Yue, Joachims (2009), Dueling Bandit Gradient Descent: Tables 1 to 3, Figures 2 and 3."""

from duelist.laboratory.items import Item, Paper
from duelist_reproductions.yue2009_dbgd.documents import FILES
from duelist_reproductions.yue2009_dbgd.figure2_sweep import plan_figure2
from duelist_reproductions.yue2009_dbgd.figure2_verdicts import judge_figure2
from duelist_reproductions.yue2009_dbgd.figures import show_figure2, show_table1
from duelist_reproductions.yue2009_dbgd.table1_sweep import plan_table1
from duelist_reproductions.yue2009_dbgd.table1_verdicts import judge_table1
from duelist_reproductions.yue2009_dbgd.web_figures import show_web_search
from duelist_reproductions.yue2009_dbgd.web_plan import plan_fewer_queries, plan_more_runs, plan_web_search
from duelist_reproductions.yue2009_dbgd.web_verdicts import judge_web_search

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
            findings=judge_table1,
            show=show_table1,
            learners=("DuelingBanditGradientDescent",),
        ),
        Item(
            name="figure2",
            title="Figure 2: average regret of DBGD beside bandit gradient descent that is told more",
            minutes=1.0,
            plan=plan_figure2,
            findings=judge_figure2,
            show=show_figure2,
            learners=("DuelingBanditGradientDescent", "BGD1", "BGD2"),
        ),
        Item(
            name="websearch",
            title="Table 2, Figure 3, Table 3: DBGD learns to rank, by step sizes and queries an update",
            minutes=10.0,
            plan=plan_web_search,
            findings=judge_web_search,
            show=show_web_search,
            then=(plan_fewer_queries, plan_more_runs),
            learners=("DuelingBanditGradientDescent",),
            data=FILES,
        ),
    ),
)
