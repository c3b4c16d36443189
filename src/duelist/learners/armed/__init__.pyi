# Written by `make derived` from duelist.registry.

from duelist.learners.armed.beat_the_mean import BeatTheMean as BeatTheMean
from duelist.learners.armed.interleaved_filter import InterleavedFilter1 as InterleavedFilter1
from duelist.learners.armed.interleaved_filter import InterleavedFilter2 as InterleavedFilter2
from duelist.learners.armed.rucb import RUCB as RUCB
from duelist.learners.armed.savage import CondorcetSavage as CondorcetSavage
from duelist.learners.armed.top_two import TopTwoBradleyTerry as TopTwoBradleyTerry
from duelist.learners.armed.uniform import Uniform as Uniform

__all__ = [
    "RUCB",
    "BeatTheMean",
    "CondorcetSavage",
    "InterleavedFilter1",
    "InterleavedFilter2",
    "TopTwoBradleyTerry",
    "Uniform",
]
