"""Yue, Broder, Kleinberg, Joachims (2009). The K-armed dueling bandits problem, slides."""

from duelist.laboratory.items import Item, Paper
from duelist_reproductions.slides.figures import show
from duelist_reproductions.slides.sweep import FILES, plan
from duelist_reproductions.slides.verdicts import judge

PAPER = Paper(
    name="slides",
    citation="Yue, Broder, Kleinberg, Joachims (2009). The K-armed dueling bandits problem. Slides.",
    package=__name__,
    items=(
        Item(
            name="summary",
            title="Paired comparison tests: six rankers of known order by balanced interleaving",
            minutes=1,
            plan=plan,
            findings=judge,
            show=show,
            data=FILES,
        ),
    ),
)
