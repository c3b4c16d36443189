"""A learner at work: how a journal names it, the state that it learns on, and its random numbers.

Random numbers depend on what is asked and on nothing else, so that asking once more does no harm.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import msgspec
import numpy as np
from numpy.random import Generator, Philox, SeedSequence

from duelist.card import card_of
from duelist.duel import Duel, FloatArray, IntArray
from duelist.errors import DuelistError, FileError, ParameterError
from duelist.journal import Answered
from duelist.kernels.live import BACKGROUND, without_waiting
from duelist.learners.armed.base import ArmedLearner
from duelist.learners.base import KernelLearner
from duelist.protocols import Learner
from duelist.registry import LEARNERS, build_learner, hyperparameters

MANY = 20_000
"""Answers that are told at once, above which compiled kernels are waited for."""
SETTINGS = {"arms": "arms", "contexts": "arms", "points of a space": "parameters"}
"""For each setting of learners, the choices of a study that it can learn about."""
START = np.iinfo(np.uint64).max
"""In the place of a sequence number: luck of the beginning, such as orders of arms."""


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
        self.is_plug_in = not isinstance(learner, KernelLearner)
        """Whether the learner is made of plain functions, which nothing has checked yet."""

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


def write_learner(learner: Learner[Any]) -> dict[str, Any]:
    """Return a learner as a journal has it."""
    kind = type(learner)
    own = kind.__name__ in LEARNERS and LEARNERS[kind.__name__] is kind
    name = kind.__name__ if own else f"{kind.__module__}:{kind.__qualname__}"
    record = {"name": name, "parameters": hyperparameters(learner)}
    try:
        written: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise ParameterError(
            f"the hyperparameters of {learner!r} cannot be kept as JSON: {error}."
        ) from error
    return written


def read_learner(content: dict[str, Any], known: Sequence[Learner[Any]] = ()) -> Learner[Any]:
    """Return the learner that `write_learner` wrote: one of those known, or of the registry."""
    for learner in known:
        if write_learner(learner) == content:
            return learner
    name, parameters = content.get("name"), content.get("parameters")
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise FileError("the learner has no name or no parameters; use a backup.")
    if name not in LEARNERS:
        raise FileError(
            f"the learner is {name!r}, which is not in the catalogue; pass it: Study.open(path, learner=...)."
        )
    try:
        return build_learner(name, **parameters)
    except (DuelistError, TypeError, ValueError) as error:
        raise FileError(f"the learner {name} cannot be made again: {error}") from error


def names_learner(content: dict[str, Any], learner: Learner[Any]) -> bool:
    """Return whether a journal names this learner; what earlier versions did not write has its default."""
    try:
        return write_learner(read_learner(content, [learner])) == write_learner(learner)
    except DuelistError:
        return False


def require_learner(learner: object, choices: str) -> None:
    """Refuse what is not a learner, or not one for these choices: "arms" or "parameters"."""
    if isinstance(learner, type):
        raise ParameterError(
            f"learner must be a learner, not its class: write {learner.__name__}() with parentheses."
        )
    if isinstance(learner, str):
        raise ParameterError(f"learner must be a learner, such as RUCB(); got the text {learner!r}.")
    if not isinstance(learner, Learner):
        raise ParameterError(
            f"learner must have the methods init, ask, tell and best, as RUCB() has; got {learner!r}."
        )
    setting = card_of(learner).setting
    if SETTINGS.get(setting) != choices:
        fitting = " or ".join(name for name, fits in SETTINGS.items() if fits == choices)
        raise ParameterError(
            f"{type(learner).__name__} chooses from {setting}, and cannot learn about {choices}; "
            f"take a learner of {fitting}."
        )


class RandomStreams:
    """A generator that is set to a place of its own before every use, rather than made anew.

    The place is a counter of NumPy's Philox. Equal places give equal luck, in any process and in any order,
    and different places never overlap.

    Examples
    --------
    >>> streams = RandomStreams(seed=7)
    >>> first = streams.at(seq=3).random()
    >>> streams.at(seq=4).random() == first, streams.at(seq=3).random() == first
    (False, True)
    """

    def __init__(self, seed: int, worker: int = 0) -> None:
        self._source = Philox(key=SeedSequence([seed, worker]).generate_state(2, np.uint64))
        self._rng = Generator(self._source)
        self._blank = self._source.state
        self._counter = self._blank["state"]["counter"]

    def at(self, seq: int, asks: int = 0, voter: str | None = None) -> Generator:
        """Return the generator, set to an ask: after which event, which ask since then, and for whom."""
        counter = self._counter
        counter[0], counter[1], counter[2] = 0, seq, asks
        counter[3] = 0 if voter is None else voter_number(voter)
        self._source.state = self._blank
        return self._rng

    def start(self) -> Generator:
        """Return the generator, set to the beginning of a study."""
        return self.at(START)

    def rank(self, arm: int) -> float:
        """Return a number that gives an arm its place in orders drawn at the start, whenever it joined."""
        return self.at(START, arm + 1).random()


def page_rng(ticket: str, page: int) -> Generator:
    """Return the luck of one page of a list: given the id of its ticket, to draft it again gives the same.

    Examples
    --------
    >>> first, again, next_page = (page_rng("0a" * 16, page).random() for page in (1, 1, 2))
    >>> first == again, first == next_page
    (True, False)
    """
    return Generator(Philox(key=int(ticket, 16), counter=page << 64))


@lru_cache(maxsize=4096)
def voter_number(voter: str) -> int:
    """Return a number from 1 that stands for a voter."""
    return int.from_bytes(blake2b(voter.encode(), digest_size=8).digest(), "little") | 1
