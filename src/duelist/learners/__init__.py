"""Learners: they ask for duels and are told outcomes."""

from duelist.learners.armed import (
    RUCB,
    BeatTheMean,
    CondorcetSavage,
    InterleavedFilter1,
    InterleavedFilter2,
    Uniform,
)

__all__ = ["RUCB", "BeatTheMean", "CondorcetSavage", "InterleavedFilter1", "InterleavedFilter2", "Uniform"]
