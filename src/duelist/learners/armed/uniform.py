"""Random play: the baseline every learner must beat."""

from dataclasses import dataclass
from typing import NamedTuple

from numpy.random import Generator

from duelist.card import Card
from duelist.duel import FloatArray, IntArray
from duelist.kernels import arms
from duelist.kernels.arms import Run
from duelist.kernels.compile import compiled
from duelist.kernels.random import below
from duelist.learners.armed.base import ArmedLearner, square
from duelist.learners.armed.tallies import most_beaten, record


class Rules(NamedTuple):
    """Hyperparameters, as the kernels read them."""

    k: int


class State(NamedTuple):
    """What has been learned."""

    wins: FloatArray  # wins[i, j]: how often i beat j
    order: IntArray  # of the arms, drawn at the start: who is named best among equals


@compiled
def ask(rules: Rules, state: State, rng: Generator) -> tuple[int, int]:
    """Return two different arms, every pair as likely."""
    left = below(rules.k, rng)
    right = below(rules.k - 1, rng)
    return left, right + (right >= left)


@compiled
def tell(rules: Rules, state: State, left: int, right: int, outcome: float) -> None:
    """Count the outcome."""
    if left != right:
        record(state.wins, left, right, outcome)


@compiled
def best(rules: Rules, state: State) -> int:
    """Return the arm that beats the most arms."""
    return most_beaten(state.wins, state.order)


@compiled
def play(rules: Rules, state: State, run: Run) -> None:
    """Play one run."""
    arms.play(ask, tell, best, arms.skip_no_idle, arms.skip_no_batch, rules, state, run)


@dataclass(frozen=True)
class Uniform(ArmedLearner[State]):
    """Compare pairs at random for ever; the baseline of every figure.

    Finds the Condorcet winner in the end, since every pair is seen again and again, but never stops showing
    bad arms: its regret is linear in the number of rounds.

    Notes
    -----
    Deviations: none, there is no paper. The two arms always differ.

    References
    ----------
    The random play that every paper on the problem compares with.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> simulate(Uniform(), worst_case(5, 0.2), horizon=5_000, runs=3, seed=0)["Uniform"].best.tolist()
    [0, 0, 0]
    """

    card = Card(
        seeks="Copeland winner",
        assumes="nothing",
        regret="linear: the baseline",
        citation="The random play that every paper on the problem compares with",
        arms_may_change=True,
        hands_out_batches=True,
        unmet={
            "late_regret": "random play never stops showing bad arms: it is the baseline",
        },
    )
    kernels = arms.Kernels(ask, tell, best, play)

    def rules(self, k: int) -> Rules:
        """Return the numbers the kernels need."""
        return Rules(k)

    def blank(self, k: int, rng: Generator) -> State:
        """Return the state before the first duel."""
        return State(square(k), rng.permutation(k))
