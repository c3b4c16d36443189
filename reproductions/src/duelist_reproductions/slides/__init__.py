"""Yue, Broder, Kleinberg, Joachims (2009). The K-armed dueling bandits problem, slides."""

from duelist.laboratory import Item, Paper
from duelist_reproductions.slides import figures, sweep, verdicts

PAPER = Paper(
    name="slides",
    citation="Yue, Broder, Kleinberg, Joachims (2009). The K-armed dueling bandits problem. Slides.",
    package=__name__,
    items=(
        Item(
            name="summary",
            title="Paired comparison tests: six rankers of known order by balanced interleaving",
            minutes=1,
            plan=sweep.plan,
            findings=verdicts.findings,
            show=figures.show,
            data=sweep.FILES,
        ),
    ),
)
