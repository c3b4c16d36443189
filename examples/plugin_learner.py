"""A template for your own learner, in plain Python: copy this file and change `ask`, `tell` and `best`.

    duelist check examples/plugin_learner.py:EpsilonGreedy
    duelist simulate -l examples/plugin_learner.py:EpsilonGreedy:epsilon=0.2 -l RUCB

docs/plugins.md explains the laws that a learner must obey, and how to compile it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from duelist import Arms, Card, Duel


class State(NamedTuple):
    """The learned state: only arrays, whose size does not grow with time."""

    wins: NDArray[np.float64]  # wins[i, j]: how often i beat j; a tie counts as half a win


@dataclass(frozen=True)
class EpsilonGreedy:
    """Compare the arm that looks best with a random rival, and a random pair now and then.

    Parameters
    ----------
    epsilon : float, default 0.1
        Probability of a random pair, in each round.

    Notes
    -----
    Deviations: none, there is no paper. The arm that looks best has the highest mean win rate; a pair that
    never met counts as even.

    References
    ----------
    Sutton, Barto (2018). Reinforcement Learning: An Introduction. MIT Press. Section 2.2, for rewards.

    Examples
    --------
    >>> from duelist import Study
    >>> study = Study(EpsilonGreedy(), ["tea", "milk", "water"])
    >>> for _ in range(300):
    ...     duel = study.ask()
    ...     study.tell(duel, "left" if duel.left == "milk" else "right" if duel.right == "milk" else "tie")
    >>> study.best()
    'milk'
    """

    epsilon: float = 0.1

    card = Card(
        seeks="Borda winner",
        assumes="nothing",
        regret="linear, of slope epsilon",
        citation="Sutton, Barto (2018). Reinforcement Learning: An Introduction",
        unmet={"late_regret": "a fixed share of rounds always explores"},
    )

    def __post_init__(self) -> None:
        """Check that epsilon is a probability."""
        if not 0.0 < self.epsilon <= 1.0:
            raise ValueError(f"epsilon must lie in (0, 1]; got {self.epsilon!r}.")

    def init(self, menu: Arms, rng: Generator) -> State:
        """Return the state before the first duel."""
        return State(np.zeros((menu.k, menu.k)))

    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        """Return the duel to show next; do not change the state, and draw random numbers only from `rng`."""
        if rng.random() < self.epsilon:
            left, right = rng.choice(menu.k, size=2, replace=False)
            return Duel(int(left), int(right))
        leader = self.best(state, menu)
        rival = (leader + 1 + int(rng.integers(menu.k - 1))) % menu.k
        return Duel(leader, rival)

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the new state; `outcome` is 1 if left wins, 0 if right wins, 0.5 for a tie."""
        wins = state.wins.copy()
        wins[duel.left, duel.right] += outcome
        wins[duel.right, duel.left] += 1.0 - outcome
        return State(wins)

    def best(self, state: State, menu: Arms) -> int:
        """Return the arm believed to be the winner."""
        duels = state.wins + state.wins.T
        rates = np.divide(state.wins, duels, out=np.full_like(duels, 0.5), where=duels > 0)
        return int(rates.mean(axis=1).argmax())
