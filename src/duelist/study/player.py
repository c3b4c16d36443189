"""A learner at work on a state of its own, which is changed in place where the learner can do so."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.card import card_of
from duelist.duel import Duel, FloatArray, IntArray
from duelist.errors import DuelistError, ParameterError
from duelist.journal import Answered
from duelist.kernels.live import BACKGROUND, without_waiting
from duelist.learners.armed.base import ArmedLearner
from duelist.learners.base import KernelLearner
from duelist.protocols import Learner

MANY = 20_000
"""Answers that are told at once, above which compiled kernels are waited for."""


class Player:
    """A learner and its state.

    Parameters
    ----------
    learner : Learner
        Any that follows the protocol; those made of kernels are told in place, and never wait for a compiler.
    menu : Menu
        What it chooses from at the start.
    rng : Generator
        Luck of the start.
    """

    def __init__(self, learner: Learner[Any], menu: Any, rng: Generator) -> None:
        self.learner = learner.live() if isinstance(learner, KernelLearner) else learner
        self.state = require_state(learner, without_waiting(learner.init, menu, rng))
        self._armed = isinstance(learner, ArmedLearner)

    @property
    def is_plug_in(self) -> bool:
        """Whether the learner is made of plain functions, which nothing has checked yet."""
        return not isinstance(self.learner, KernelLearner)

    @property
    def takes_new_arms(self) -> bool:
        """Whether arms may be added."""
        return isinstance(self.learner, ArmedLearner) and card_of(self.learner).arms_may_change

    def ask(self, menu: Any, rng: Generator) -> Duel:
        """Return the duel to show next."""
        if self._armed:
            return self.learner.ask(self.state, menu, rng)
        return without_waiting(self.learner.ask, self.state, menu, rng)

    def best(self, menu: Any) -> Any:
        """Return the choice believed to be the winner."""
        return without_waiting(self.learner.best, self.state, menu)

    def check(self, duel: Duel, outcome: float) -> None:
        """Refuse a duel that the learner would refuse."""
        without_waiting(self.learner.tell, self.state, duel, outcome)

    def tell(self, duel: Duel, outcome: float) -> None:
        """Learn from an answer; one that the learner cannot learn from is left to the tally."""
        try:
            if isinstance(self.learner, ArmedLearner):
                self.learner.learn(self.state, duel, outcome)
            elif isinstance(self.learner, KernelLearner):
                without_waiting(self.learner.learn, self.state, duel, outcome)
            else:
                self.state = without_waiting(self.learner.tell, self.state, duel, outcome)
        except DuelistError:
            return

    def tell_all(self, answers: Sequence[Answered], learner_number: int) -> None:
        """Learn from many answers, in order; learners of arms are told all at once."""
        if not isinstance(self.learner, ArmedLearner):
            for answer in answers:
                self.tell(*as_told(answer, learner_number))
            return
        rounds = np.array([asked_round(answer, learner_number) for answer in answers], np.float64)
        sides, outcomes = as_chosen(answers)
        told = 0
        if len(answers) > MANY:
            # to interpret so many would take longer than to wait for the compiler, which the first starts
            told = 1
            without_waiting(self.learner.fold_votes, self.state, sides[:1], rounds[:1], outcomes[:1])
            BACKGROUND.finish()
        without_waiting(self.learner.fold_votes, self.state, sides[told:], rounds[told:], outcomes[told:])

    def grow(self, ranks: FloatArray) -> None:
        """Take new arms, as many as there are ranks more than arms."""
        assert isinstance(self.learner, ArmedLearner)
        self.state = self.learner.grown(self.state, ranks)

    def eliminate(self, arm: int) -> bool:
        """Give up an arm, which will not be shown any more; return False if the learner must begin anew."""
        if not isinstance(self.learner, ArmedLearner):
            return True
        return without_waiting(self.learner.eliminate, self.state, arm)


def as_chosen(answers: Sequence[Answered]) -> tuple[IntArray, FloatArray]:
    """Return the sides and outcomes of answers about arms as the learner chose the sides."""
    sides, outcomes = columns_of(answers)
    flipped = np.fromiter([answer.flipped for answer in answers], np.bool_, len(answers))
    return np.where(flipped[:, None], sides[:, ::-1], sides), np.where(flipped, 1.0 - outcomes, outcomes)


def columns_of(answers: Sequence[Answered]) -> tuple[IntArray, FloatArray]:
    """Return the left and right arms of answers as they were shown, and the outcomes."""
    n = len(answers)
    sides = np.empty((n, 2), np.int64)
    sides[:, 0] = np.fromiter([answer.left for answer in answers], np.int64, n)
    sides[:, 1] = np.fromiter([answer.right for answer in answers], np.int64, n)
    return sides, np.fromiter([answer.outcome for answer in answers], np.float64, n)


def require_state(learner: Learner[Any], state: Any) -> Any:
    """Return a learner's state, which can be kept only as a NamedTuple of arrays."""
    if not (hasattr(state, "_asdict") and all(isinstance(field, np.ndarray) for field in state)):
        raise ParameterError(
            f"the state of {type(learner).__name__} must be a NamedTuple of NumPy arrays; got {state!r:.200}."
        )
    return state


def asked_round(answer: Answered, learner_number: int) -> float | None:
    """Return the learner's time when it asked; None where another learner asked, or nobody."""
    return answer.round if answer.learner == learner_number else None


def as_told(answer: Answered, learner_number: int) -> tuple[Duel, float]:
    """Return an answer as the learner is told it: sides as it chose them, its own notes alone."""
    left, right, propensity, outcome = answer.left, answer.right, answer.propensity, answer.outcome
    if answer.flipped:
        left, right, outcome = right, left, 1.0 - outcome
        propensity = None if propensity is None else (propensity[1], propensity[0])
    own = answer.learner == learner_number
    note = answer.note if own else None
    return Duel(
        left, right, propensity, None, note, answer.context, asked_round(answer, learner_number)
    ), outcome
