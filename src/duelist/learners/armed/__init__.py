"""Learners for a finite set of arms."""

from duelist.learners.armed.beat_the_mean import BeatTheMean
from duelist.learners.armed.interleaved_filter import InterleavedFilter1, InterleavedFilter2
from duelist.learners.armed.rucb import RUCB
from duelist.learners.armed.savage import CondorcetSavage
from duelist.learners.armed.uniform import Uniform

__all__ = ["RUCB", "BeatTheMean", "CondorcetSavage", "InterleavedFilter1", "InterleavedFilter2", "Uniform"]
