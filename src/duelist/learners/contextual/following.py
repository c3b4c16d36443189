"""Following a learned mixture of policies: what is done once there is a winner."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.duel import Duel, FloatArray, require_arm
from duelist.errors import ParameterError, require_generator, require_outcome
from duelist.learners.contextual.different import chances_if_different, draw_different
from duelist.menus import Actions
from duelist.policies.finite import TablePolicy
from duelist.policies.mixture import PolicyMixture
from duelist.text import counted

FOLLOWS = "it follows a mixture as it is, and learns nothing"


class State(NamedTuple):
    """What was seen while following."""

    wins: FloatArray  # wins[a, b]: how often action a beat action b, a tie being half a win


@dataclass(frozen=True)
class FollowMixture:
    """Draw both actions of every duel from a learned mixture, such as a von Neumann winner.

    What follows exploration (Dudík et al. 2015): the mixture decides, and what comes of it is only counted.

    Parameters
    ----------
    mixture : PolicyMixture
        What is followed; `PolicyMixture.load` reads one from a file.

    Notes
    -----
    Needs a mixture that was learned before, for instance by `SparringFPL` or `duelist fit`. On a menu without
    self-duels both actions are drawn until they differ, and propensities are given that they do.

    References
    ----------
    Dudík, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual Dueling Bandits. COLT.

    Examples
    --------
    >>> from duelist import Study
    >>> policies = [TablePolicy([0, 1]), TablePolicy([1, 0])]
    >>> mixture = PolicyMixture(policies, [0.5, 0.5], ["bm25", "dense"], ["weekend"])
    >>> study = Study(FollowMixture(mixture), ["bm25", "dense"])
    >>> duel = study.ask(context=[1.0])
    >>> duel.propensity
    (0.5, 0.5)
    """

    mixture: PolicyMixture

    card = Card(
        setting="contexts",
        seeks="nothing: it follows what was found before",
        assumes="a mixture that was learned before, for instance by `SparringFPL` or `duelist fit`",
        regret="that of the mixture",
        citation="Dudík, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual Dueling Bandits",
        unmet={"finds_the_winner": FOLLOWS, "late_regret": FOLLOWS, "relabelling": FOLLOWS},
        example={"mixture": PolicyMixture([TablePolicy(np.array([2, 0]))], np.ones(1), "abc", ["context"])},
    )

    def __post_init__(self) -> None:
        if not isinstance(self.mixture, PolicyMixture):
            raise ParameterError(
                f"mixture must be a PolicyMixture; got {self.mixture!r}. Read a file by PolicyMixture.load."
            )

    @property
    def context_size(self) -> int:
        """The number of columns of a context."""
        return len(self.mixture.columns)

    def init(self, menu: Any, rng: Generator) -> State:
        """Return the state before the first duel."""
        require_generator(rng)
        if menu.k != len(self.mixture.actions):
            raise ParameterError(
                f"the mixture knows the {counted(len(self.mixture.actions), 'action')} "
                f"{', '.join(self.mixture.actions)}; got a menu of {menu.k}."
            )
        return State(np.zeros((menu.k, menu.k)))

    def ask(self, state: State, menu: Actions, rng: Generator) -> Duel:
        """Return two actions drawn from the mixture; the state stays as it is."""
        require_generator(rng)
        [chances] = self.mixture.chances(menu.context[None, :])

        def draw() -> Duel:
            left, right = (int(action) for action in rng.choice(len(chances), size=2, p=chances))
            return Duel(left, right, context=menu.context)

        duel = draw() if menu.self_duels else draw_different(draw)
        if not menu.self_duels and duel.left != duel.right:
            chances, _ = chances_if_different(chances, chances)
        shown = np.minimum(chances[[duel.left, duel.right]], 1.0).tolist()
        return duel._replace(propensity=(shown[0], shown[1]))

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome: 1 left wins, 0 right wins, 0.5 a tie."""
        value, k = require_outcome(outcome), len(state.wins)
        left, right = require_arm("left", duel.left, k), require_arm("right", duel.right, k)
        wins = state.wins.copy()
        wins[left, right] += value
        wins[right, left] += 1.0 - value
        return State(wins)

    def best(self, state: State, menu: Actions) -> int:
        """Return the action that the mixture takes most often in this context."""
        return int(self.mixture.chances(menu.context[None, :])[0].argmax())
