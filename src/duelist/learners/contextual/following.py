"""Following a learned mixture of policies, once learning is over."""

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

FOLLOWS = "it follows a fixed mixture and learns nothing"


class State(NamedTuple):
    wins: FloatArray  # wins[a, b]: how often action a beat action b; a tie is half a win


@dataclass(frozen=True)
class FollowMixture:
    """Draw both actions of every duel from a learned mixture, such as a von Neumann winner.

    This is the phase after exploration (Dudík et al. 2015): the mixture makes every choice, and outcomes are
    only counted.

    Parameters
    ----------
    mixture : PolicyMixture
        The mixture to follow; `PolicyMixture.load` reads one from a file.

    Notes
    -----
    The mixture must have been learned before, for example by `SparringFPL` or `duelist fit`. On a menu
    without self-duels, both actions are drawn until they differ; the propensities are conditional on that.

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
        seeks="nothing: it follows a given mixture",
        assumes="a mixture learned before, for example by `SparringFPL` or `duelist fit`",
        regret="that of the mixture",
        citation="Dudík, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual Dueling Bandits",
        unmet={"finds_the_winner": FOLLOWS, "late_regret": FOLLOWS, "relabelling": FOLLOWS},
        example={"mixture": PolicyMixture([TablePolicy(np.array([2, 0]))], np.ones(1), "abc", ["context"])},
    )

    def __post_init__(self) -> None:
        if not isinstance(self.mixture, PolicyMixture):
            raise ParameterError(
                f"mixture must be a PolicyMixture; got {self.mixture!r}. Read a file with PolicyMixture.load."
            )

    @property
    def context_size(self) -> int:
        """The number of columns of a context."""
        return len(self.mixture.columns)

    def init(self, menu: Any, rng: Generator) -> State:
        """Return the state before the first duel.

        Parameters
        ----------
        menu : Actions
            The actions of the mixture.
        rng : numpy.random.Generator
            Not used, because the initial state is not random.

        Returns
        -------
        State
            A NamedTuple of arrays.

        Raises
        ------
        ParameterError
            If the menu has another number of actions than the mixture.
        """
        require_generator(rng)
        if menu.k != len(self.mixture.actions):
            raise ParameterError(
                f"the menu must have the {counted(len(self.mixture.actions), 'action')} of the mixture, "
                f"{', '.join(self.mixture.actions)}; got {menu.k}."
            )
        return State(np.zeros((menu.k, menu.k)))

    def ask(self, state: State, menu: Actions, rng: Generator) -> Duel:
        """Return a duel of two actions drawn from the mixture; the state does not change.

        Parameters
        ----------
        state : State
            The counts so far, which do not matter.
        menu : Actions
            The actions and the context.
        rng : numpy.random.Generator
            Random number generator for this duel.

        Returns
        -------
        Duel
            Two numbers of actions, with their propensities.
        """
        require_generator(rng)
        [chances] = self.mixture.chances(menu.context[None, :])

        def draw() -> Duel:
            left, right = (int(action) for action in rng.choice(len(chances), size=2, p=chances))
            return Duel(left, right, context=menu.context)

        duel = draw() if menu.self_duels else draw_different(draw)
        if not menu.self_duels and duel.left != duel.right:
            chances, _ = chances_if_different(chances, chances)
        left, right = np.minimum(chances[[duel.left, duel.right]], 1.0).tolist()
        return duel._replace(propensity=(left, right))

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome, which is only counted.

        Parameters
        ----------
        state : State
            The counts so far.
        duel : Duel
            The duel, as returned by `ask`.
        outcome : float
            1 if the left action won, 0 if the right action won, 0.5 for a tie.

        Returns
        -------
        State
            The new state.
        """
        value, k = require_outcome(outcome), len(state.wins)
        left, right = require_arm("left", duel.left, k), require_arm("right", duel.right, k)
        wins = state.wins.copy()
        wins[left, right] += value
        wins[right, left] += 1.0 - value
        return State(wins)

    def best(self, state: State, menu: Actions) -> int:
        """Return the action that the mixture chooses most often in this context.

        Parameters
        ----------
        state : State
            The counts so far, which do not matter.
        menu : Actions
            The actions and the context.

        Returns
        -------
        int
            The number of an action.
        """
        return int(self.mixture.chances(menu.context[None, :])[0].argmax())
