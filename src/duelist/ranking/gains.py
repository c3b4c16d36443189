"""Discounted cumulative gain of a ranking, and of the best one, compiled.

A document of grade r is worth 2^r - 1; at place p, from 1, it counts 1 / log2(p + 1) of that. Both kernels
add up the places from the top, so that a best ranking has the best gain to the last bit.

References
----------
Järvelin, Kekäläinen (2002). Cumulated Gain-Based Evaluation of IR Techniques. ACM TOIS.
Burges et al. (2005). Learning to Rank Using Gradient Descent. ICML.
"""

from math import log2

import numpy as np

from duelist.duel import IntArray
from duelist.kernels.compile import compiled

DISCOUNTS = 1.0 / np.log2(np.arange(1000) + 2.0)
"""Of the first places, from 0; later ones are computed."""
GAINS = 2.0 ** np.arange(32) - 1.0
"""Of the first grades; higher ones are computed."""


@compiled
def gain(grade: int) -> float:
    """Return what a document of a grade is worth."""
    return float(GAINS[grade]) if grade < len(GAINS) else 2.0**grade - 1.0


@compiled
def discount(place: int) -> float:
    """Return how much of a gain counts at a place, from 0."""
    return float(DISCOUNTS[place]) if place < len(DISCOUNTS) else 1.0 / log2(place + 2.0)


@compiled
def dcg(labels: IntArray, first: int, ranking: IntArray, shown: int) -> float:
    """Return the gain of the documents `first + ranking[place]`, for every place below `shown`."""
    total = 0.0
    for place in range(shown):
        total += gain(labels[first + ranking[place]]) * discount(place)
    return total


@compiled
def ideal_dcg(labels: IntArray, first: int, stop: int, k: int) -> float:
    """Return the most that k places can gain with the documents from row `first` up to `stop`."""
    grades = labels[first:stop]
    grade = 0  # the highest comes first, and every look at the documents finds the next lower one
    for i in range(len(grades)):
        grade = max(grade, grades[i])
    total = 0.0
    place = 0
    while grade > 0 and place < k:
        count = 0
        lower = 0
        for i in range(len(grades)):
            count += grades[i] == grade
            lower = max(lower, grades[i] if grades[i] < grade else 0)
        worth = gain(grade)
        for taken in range(place, min(k, place + count)):
            total += worth * discount(taken)
        place += count
        grade = lower
    return total
