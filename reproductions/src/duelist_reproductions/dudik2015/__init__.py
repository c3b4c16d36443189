"""Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015), Contextual Dueling Bandits."""

from duelist.laboratory import Paper
from duelist_reproductions.dudik2015 import clones, queries, subsets, theorems, users

PAPER = Paper(
    name="dudik2015",
    citation=(
        "Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual Dueling Bandits. "
        "Conference on Learning Theory."
    ),
    package=__name__,
    items=(subsets.ITEM, users.ITEM, clones.ITEM, theorems.ITEM, queries.ITEM),
)
