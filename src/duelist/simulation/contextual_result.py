"""What a simulation in contexts found."""

from dataclasses import dataclass
from typing import ClassVar

from duelist.duel import FloatArray
from duelist.simulation.result import Results, Runs


@dataclass(frozen=True, eq=False, repr=False)
class ContextualResult(Runs):
    """One learner's runs in contexts.

    Margins are twice the chance beyond 1/2, from -1 to 1, as the paper counts them.
    """

    arrays: ClassVar[tuple[str, ...]] = (*Runs.arrays, "regret", "error", "learned")
    measures: ClassVar[tuple[str, ...]] = ("regret", "error")

    regret: FloatArray
    """A round's mean regret up to each checkpoint: the margin of the best policy, in hindsight, over the two
    actions shown, their mean."""
    error: FloatArray
    """By how much the best policy beats what is learned: nothing, where that is a von Neumann winner."""
    learned: FloatArray
    """What was learned at the end: for every run, context and action, the action's chance."""


@dataclass(frozen=True, eq=False, repr=False)
class ContextualSimulationResult(Results[ContextualResult]):
    """The results of several learners in contexts, by name.

    Examples
    --------
    >>> from duelist.learners.contextual.sparring_exp4p import SparringEXP4P
    >>> from duelist.problems.cyclic_contexts import cyclic_contexts
    >>> from duelist.simulation.contexts import simulate_contextual
    >>> policies = [[0, 0], [1, 1], [2, 2]]
    >>> learner = SparringEXP4P(policies, horizon=1000)
    >>> result = simulate_contextual(learner, cyclic_contexts(1, 1), policies, horizon=1000, runs=2)
    >>> result["SparringEXP4P"].learned.shape
    (2, 2, 3)
    """

    runs: ClassVar[type[Runs]] = ContextualResult

    policies: int
    """How many policies regret is measured against."""
    delta: float
    """The chance that the bound does not hold."""
    bound: FloatArray
    """What the regret of sparring EXP4.P, set to each checkpoint as its horizon, does not exceed."""
