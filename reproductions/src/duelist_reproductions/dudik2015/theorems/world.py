"""Contexts with a cycle and without: the world in which the theorems are measured."""

from functools import cache
from itertools import product

import numpy as np

from duelist.duel import FloatArray
from duelist.kernels.contexts import ContextWorld, largest_gain
from duelist.learners.contextual import FinitePolicies
from duelist.logs import DuelLog
from duelist.problems.contextual import FiniteContexts
from duelist.problems.cyclic_contexts import cyclic_contexts


@cache
def problem() -> FiniteContexts:
    """Two contexts with rock, paper and scissors, two with a best action."""
    return cyclic_contexts(hard=2, easy=2, k=3, epsilon=0.3, rng=0)


@cache
def policies() -> FinitePolicies:
    """Return every way to choose an action in each context."""
    return FinitePolicies(list(product(range(problem().k), repeat=problem().contexts)))


@cache
def world() -> ContextWorld:
    """Return what is true."""
    true, table = problem(), policies().actions
    return ContextWorld(true.matrices, true.chances, true.cumulated, true.order, table)


def gain_over(chances: FloatArray) -> float:
    """Return by how much the best policy beats these chances of actions in each context."""
    return float(largest_gain(world(), world().chances[:, np.newaxis] * chances))


def gap_on(log: DuelLog, chances: FloatArray) -> float:
    """Return by how much the best policy beats these chances by what a log says, however they were learned.

    From a table of estimated margins, one policy after the other: neither the learners' game of the log nor
    an oracle has a part in it.
    """
    margins = np.zeros_like(problem().matrices)
    numbers = log.contexts[:, 0].astype(np.int64)
    stakes = log.signs / (2.0 * log.propensities * len(log))
    np.add.at(margins, (numbers, log.left, log.right), stakes)
    np.subtract.at(margins, (numbers, log.right, log.left), stakes)
    places = np.arange(problem().contexts)
    return max(float((margins[places, actions] * chances).sum()) for actions in policies().actions)
