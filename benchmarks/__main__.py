"""Measure and print everything, or the parts that are named; takes several minutes on an idle machine."""

import sys
from collections.abc import Callable

from benchmarks import (
    contextual,
    delay,
    interleaving,
    knobs,
    learners,
    online_ranking,
    parsing,
    ranking_metrics,
    ratings,
    reproductions,
    shell,
    votes,
    winners,
)
from benchmarks.table import Figure, show

PARTS: dict[str, tuple[str, Callable[[], list[Figure]]]] = {
    "learners": ("Simulation", learners.figures),
    "shell": ("Live use", shell.figures),
    "delay": ("Many people at once", delay.figures),
    "knobs": ("Few answers", knobs.figures),
    "interleaving": ("Interleaving", interleaving.figures),
    "ranking": ("Learning to rank", online_ranking.figures),
    "metrics": ("Measures of rankings", ranking_metrics.figures),
    "parsing": ("Loading", parsing.figures),
    "votes": ("Recorded comparisons", votes.figures),
    "ratings": ("Ratings", ratings.figures),
    "winners": ("Winners", winners.figures),
    "contextual": ("Contexts", contextual.figures),
    "reproductions": ("Published experiments", reproductions.figures),
}

for name in sys.argv[1:] or PARTS:
    title, figures = PARTS[name]
    show(title, figures())
