"""The stateful shell around a learner: named arms, questions with tickets, answers in any order."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import default_rng
from numpy.typing import ArrayLike

from duelist.card import card_of
from duelist.duel import Duel
from duelist.errors import ConflictError, OutcomeError, ParameterError, UnknownNameError, require_whole
from duelist.kernels.live import without_waiting
from duelist.menus import Actions, Arms
from duelist.protocols import Learner
from duelist.study.outcomes import as_outcome
from duelist.study.storage import load_study, save_study


class Study:
    """A learner at work: ask for a duel, show it, tell the outcome.

    Answers may come late, in any order, or twice: each duel has a ticket, a repeated answer changes nothing,
    and one that contradicts the first is refused. A duel that was never asked for, such as one from old
    records, can be told too: `study.tell(Duel("a", "b"), "left")`.

    Parameters
    ----------
    learner : Learner
        For example `RUCB()`.
    arms : sequence of str
        The arms' names, at least two, all different.
    seed : int, default 0
        Equal seeds and equal answers give equal duels.
    context, features : array, optional
        For a learner that looks at contexts and does not know how long they are: an example, such as zeros.

    Examples
    --------
    >>> from duelist import RUCB
    >>> study = Study(RUCB(), arms=["bm25", "bm25f", "dense"], seed=7)
    >>> for _ in range(200):
    ...     duel = study.ask()
    ...     study.tell(duel, "left" if duel.left == "bm25" else "right" if duel.right == "bm25" else "tie")
    >>> study.best()
    'bm25'
    """

    @without_waiting
    def __init__(
        self,
        learner: Learner[Any],
        arms: Sequence[str],
        seed: int = 0,
        context: ArrayLike | None = None,
        features: ArrayLike | None = None,
    ) -> None:
        require_whole("seed", seed, 0)
        self.arms = check_arms(arms)
        self.learner = learner
        self.menu = first_menu(learner, len(self.arms), context, features)
        self.rng = default_rng(seed)
        self.state = learner.init(self.menu, self.rng)
        self.asked = 0
        self.answers: dict[int, float] = {}
        self._index = {name: arm for arm, name in enumerate(self.arms)}

    @without_waiting
    def ask(self, context: ArrayLike | None = None, features: ArrayLike | None = None) -> Duel:
        """Return the duel to show next, with the arms' names and a ticket of its own.

        Parameters
        ----------
        context : array, optional
            What is known before the duel, for a learner whose preferences depend on it.
        features : array of shape (arms, f), optional
            What is known of each arm in this context, for a learner that looks at it.
        """
        duel = self.learner.ask(self.state, self._menu(context, features), self.rng)
        ticket = self.asked
        self.asked += 1
        left, right, propensity, _, note, known, time = duel
        return Duel(self.arms[left], self.arms[right], propensity, ticket, note, known, time)

    @without_waiting
    def tell(self, duel: Duel, outcome: str | float) -> None:
        """Learn from an answer: "left", "right" or "tie", or a number from 0 (right) to 1 (left wins).

        Raises
        ------
        ConflictError
            The same duel was answered before, differently.
        OutcomeError, UnknownNameError
            The duel or the outcome cannot be learned from. In every case nothing was learned.
        """
        value = as_outcome(outcome)
        left, right, propensity, ticket, note, known, time = duel
        indexed = Duel(self._arm(left), self._arm(right), propensity, ticket, note, known, time)
        if duel.ticket is not None and self._is_repeated(duel.ticket, value):
            return
        self.state = self.learner.tell(self.state, indexed, value)
        if duel.ticket is not None:
            self.answers[duel.ticket] = value

    @without_waiting
    def best(self, context: ArrayLike | None = None, features: ArrayLike | None = None) -> str:
        """Return the name of the arm believed to be the winner, in a context if the learner needs one."""
        return self.arms[self.learner.best(self.state, self._menu(context, features))]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the whole study to a JSON file and return its path."""
        return save_study(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], learner: Learner[Any] | None = None) -> "Study":
        """Read a study that `save` wrote: same state, same next duel.

        Parameters
        ----------
        path : path
            What `save` returned.
        learner : Learner, optional
            Needed only for a learner outside the catalogue, equal to the one that was saved.
        """
        return load_study(cls, path, learner)

    def _menu(self, context: ArrayLike | None, features: ArrayLike | None) -> Arms | Actions:
        name = type(self.learner).__name__
        if isinstance(self.menu, Actions):
            if context is None:
                raise ParameterError(f"{name} needs to know the context: ask(context), best(context).")
            return in_context(len(self.arms), context, features)
        if context is not None:
            raise ParameterError(f"{name} does not look at contexts; leave the context out.")
        return self.menu

    def _arm(self, name: object) -> int:
        if not isinstance(name, str) or name not in self._index:
            raise UnknownNameError("arm", name, self.arms)
        return self._index[name]

    def _is_repeated(self, ticket: int, outcome: float) -> bool:
        if not 0 <= ticket < self.asked:
            raise OutcomeError(
                f"ticket {ticket} was never given out by this study; tell a duel that ask() returned, "
                "or one without a ticket."
            )
        first = self.answers.get(ticket)
        if first is not None and first != outcome:
            raise ConflictError(
                f"ticket {ticket} was answered before with {first:g}, now with {outcome:g}; "
                "the first answer stands."
            )
        return first is not None


def first_menu(
    learner: Learner[Any], k: int, context: ArrayLike | None, features: ArrayLike | None
) -> Arms | Actions:
    """Return the menu that a learner begins with: arms, or actions in an example of a context."""
    name = type(learner).__name__
    if card_of(learner).setting != "contexts":
        if context is not None:
            raise ParameterError(f"{name} does not look at contexts; leave the context out.")
        return Arms(k)
    size = getattr(learner, "context_size", None)
    if context is None and size is None:
        raise ParameterError(
            f"{name} must know how long a context is; give an example: Study(..., context=[0.0, 0.0])."
        )
    return in_context(k, np.zeros(size or 0) if context is None else context, features)


def in_context(k: int, context: ArrayLike, features: ArrayLike | None) -> Actions:
    """Return the menu of so many actions in a context."""
    return Actions(k, np.asarray(context), None if features is None else np.asarray(features))


def check_arms(arms: Sequence[str]) -> tuple[str, ...]:
    """Return the names, or say which one cannot be an arm's."""
    if isinstance(arms, str):
        raise ParameterError(f"arms must be a list of names; got the single text {arms!r}.")
    names = tuple(arms)
    for place, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise ParameterError(f"arms[{place}] must be a name, a text that is not empty; got {name!r}.")
        if name in names[:place]:
            raise ParameterError(f"arms[{place}] repeats the name {name!r}; every arm needs its own.")
    if len(names) < 2:
        raise ParameterError(f"arms must name at least 2, because a duel needs two; got {len(names)}.")
    return names
