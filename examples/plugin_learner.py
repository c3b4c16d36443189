"""A learner of your own, in plain Python: copy this file and change what `ask`, `tell` and `best` do.

    duelist check examples/plugin_learner.py:EpsilonGreedy
    duelist simulate -l examples/plugin_learner.py:EpsilonGreedy:epsilon=0.2 -l RUCB

docs/plugins.md explains the laws it keeps, and how to compile it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from duelist import Arms, Card, Duel


class State(NamedTuple):
    """What has been learned: arrays alone, of a size that does not depend on time."""

    wins: NDArray[np.float64]  # wins[i, j]: how often i beat j, a tie being half a win


@dataclass(frozen=True)
class EpsilonGreedy:
    """Let the arm that looks best meet another one, and a random pair now and then.

    Parameters
    ----------
    epsilon : float, default 0.1
        The share of rounds in which the pair is drawn at random.

    Notes
    -----
    Deviations: none, there is no paper. The best-looking arm is the one with the highest mean of its rates of
    wins, a pair that never met counting as even.

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
        unmet={"late_regret": "a fixed share of rounds explores for ever"},
    )

    def __post_init__(self) -> None:
        """Refuse a share that is none."""
        if not 0.0 < self.epsilon <= 1.0:
            raise ValueError(f"epsilon must lie in (0, 1]; got {self.epsilon!r}.")

    def init(self, menu: Arms, rng: Generator) -> State:
        """Return the state before the first duel."""
        return State(np.zeros((menu.k, menu.k)))

    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        """Return the duel to show next; the state stays as it is, and luck comes from `rng` alone."""
        if rng.random() < self.epsilon:
            left, right = rng.choice(menu.k, size=2, replace=False)
            return Duel(int(left), int(right))
        leader = self.best(state, menu)
        rival = (leader + 1 + int(rng.integers(menu.k - 1))) % menu.k
        return Duel(leader, rival)

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return a new state: 1 left wins, 0 right wins, 0.5 a tie."""
        wins = state.wins.copy()
        wins[duel.left, duel.right] += outcome
        wins[duel.right, duel.left] += 1.0 - outcome
        return State(wins)

    def best(self, state: State, menu: Arms) -> int:
        """Return the arm believed to be the winner."""
        duels = state.wins + state.wins.T
        rates = np.divide(state.wins, duels, out=np.full_like(duels, 0.5), where=duels > 0)
        return int(rates.mean(axis=1).argmax())
