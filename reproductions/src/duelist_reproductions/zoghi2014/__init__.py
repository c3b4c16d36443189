"""Zoghi, Whiteson, Munos, de Rijke (2014): RUCB against SAVAGE and Beat the Mean, and what they assume."""

from duelist.laboratory import Paper
from duelist_reproductions.zoghi2014 import figure4, figure5

PAPER = Paper(
    name="zoghi2014",
    citation="Zoghi, Whiteson, Munos, de Rijke (2014). Relative Upper Confidence Bound for the K-Armed "
    "Dueling Bandit Problem. ICML.",
    package=__name__,
    items=(figure4.ITEM, figure5.ITEM),
)
