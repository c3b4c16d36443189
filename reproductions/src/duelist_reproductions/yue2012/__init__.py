"""Interleaved Filter 1 and 2: how much pruning reduces regret, and what is proven about it."""

from functools import partial

from duelist.laboratory import Item, Paper
from duelist_reproductions.documents import TRAINING
from duelist_reproductions.yue2012.figures import show_synthetic, show_web_search
from duelist_reproductions.yue2012.sweep import plan_synthetic, plan_theory
from duelist_reproductions.yue2012.theory_figures import show_theory
from duelist_reproductions.yue2012.theory_verdicts import find_theory
from duelist_reproductions.yue2012.verdicts import find_synthetic, find_web_search
from duelist_reproductions.yue2012.web_search import plan_web_search

PAPER = Paper(
    name="yue2012",
    citation="Yue, Broder, Kleinberg, Joachims (2012). The K-armed Dueling Bandits Problem. Journal of "
    "Computer and System Sciences 78(5).",
    package=__name__,
    items=(
        Item(
            name="figure1",
            title="Figure 1: ratio of the regrets of IF1 and IF2 in the worst case",
            minutes=3.0,
            plan=partial(plan_synthetic, case="worst"),
            findings=find_synthetic,
            show=partial(show_synthetic, name="figure1", title="Worst case"),
            learners=("InterleavedFilter1", "InterleavedFilter2"),
        ),
        Item(
            name="figure2",
            title="Figure 2: ratio of the regrets of IF1 and IF2 in random cases",
            minutes=1.0,
            plan=partial(plan_synthetic, case="random"),
            findings=find_synthetic,
            show=partial(show_synthetic, name="figure2", title="Random Bradley-Terry case"),
            learners=("InterleavedFilter1", "InterleavedFilter2"),
        ),
        Item(
            name="figures34",
            title="Figures 3 and 4: ratio of regrets and of matches of IF1 and IF2 in web search",
            minutes=5.0,
            plan=plan_web_search,
            findings=find_web_search,
            show=show_web_search,
            learners=("InterleavedFilter1", "InterleavedFilter2"),
            data=TRAINING,
        ),
        Item(
            name="theorems",
            title="Sections 4 and 5: rounds, matches and regret against the theorems",
            minutes=0.5,
            plan=plan_theory,
            findings=find_theory,
            show=show_theory,
            learners=("InterleavedFilter1", "InterleavedFilter2"),
        ),
    ),
)
