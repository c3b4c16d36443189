# Written by `make derived` from duelist.registry.

from duelist.learners.armed.auto import Auto as Auto
from duelist.learners.armed.beat_the_mean import BeatTheMean as BeatTheMean
from duelist.learners.armed.double_thompson import DoubleThompsonSampling as DoubleThompsonSampling
from duelist.learners.armed.interleaved_filter import InterleavedFilter1 as InterleavedFilter1
from duelist.learners.armed.interleaved_filter import InterleavedFilter2 as InterleavedFilter2
from duelist.learners.armed.rmed import RMED1 as RMED1
from duelist.learners.armed.rmed import RMED2 as RMED2
from duelist.learners.armed.rmed import RMED2FH as RMED2FH
from duelist.learners.armed.rucb import RUCB as RUCB
from duelist.learners.armed.savage import CondorcetSavage as CondorcetSavage
from duelist.learners.armed.top_two import TopTwoBradleyTerry as TopTwoBradleyTerry
from duelist.learners.armed.uniform import Uniform as Uniform
from duelist.learners.armed.widest_interval import WidestInterval as WidestInterval

__all__ = [
    "RMED1",
    "RMED2",
    "RMED2FH",
    "RUCB",
    "Auto",
    "BeatTheMean",
    "CondorcetSavage",
    "DoubleThompsonSampling",
    "InterleavedFilter1",
    "InterleavedFilter2",
    "TopTwoBradleyTerry",
    "Uniform",
    "WidestInterval",
]
