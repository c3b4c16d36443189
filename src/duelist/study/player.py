"""A learner at work: how a journal names it, its state, and its random numbers.

Random numbers depend only on what is asked, so asking once more does no harm.
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
from duelist.learners.ranking.base import RankingLearner
from duelist.protocols import AnyLearner, Learner
from duelist.registry import LEARNERS, build_learner, hyperparameters

MANY = 20_000
"""The number of answers told at once from which on waiting for compiled kernels pays."""
SETTINGS = {"arms": "arms", "contexts": "arms", "points of a space": "parameters", "rankings": "documents"}
"""For each setting of learners, the kind of choices they can learn about."""
START = np.iinfo(np.uint64).max
"""A pretended sequence number: the random stream of the beginning, such as orders of arms."""


class Player:
    """A learner and its state.

    Parameters
    ----------
    learner : Learner
        Any learner of the protocol; one made of kernels learns in place and never waits for the compiler.
    menu : Menu
        The menu at the start.
    rng : Generator
        The random stream of the start.
    """

    def __init__(self, learner: AnyLearner, menu: Any, rng: Generator) -> None:
        self.learner = learner.live() if isinstance(learner, KernelLearner) else learner
        self.state = require_state(learner, without_waiting(learner.init, menu, rng))
        self._armed = isinstance(learner, ArmedLearner)
        self.is_plug_in = not isinstance(learner, KernelLearner | RankingLearner)
        """Whether the learner is made of plain functions, which nothing has checked yet."""

    @property
    def takes_new_arms(self) -> bool:
        """Whether arms can be added."""
        return isinstance(self.learner, ArmedLearner) and card_of(self.learner).arms_may_change

    def ask(self, menu: Any, rng: Generator) -> Any:
        if self._armed:
            return self.learner.ask(self.state, menu, rng)
        return without_waiting(self.learner.ask, self.state, menu, rng)

    def best(self, menu: Any) -> Any:
        return without_waiting(self.learner.best, self.state, menu)

    def check(self, asked: Any, answer: Any) -> None:
        """Raise the learner's error if it cannot learn from an answer."""
        without_waiting(self.learner.tell, self.state, asked, answer)

    def tell(self, asked: Any, answer: Any) -> None:
        """Learn from an answer; one that the learner declines is only counted."""
        try:
            if isinstance(self.learner, ArmedLearner):
                self.learner.learn(self.state, asked, answer)
            elif isinstance(self.learner, KernelLearner):
                without_waiting(self.learner.learn, self.state, asked, answer)
            else:
                self.state = without_waiting(self.learner.tell, self.state, asked, answer)
        except DuelistError:
            return

    def tell_all(self, answers: Sequence[Answered], learner_number: int) -> None:
        """Learn from many answers on arms, in order; learners of arms are told all at once."""
        if not isinstance(self.learner, ArmedLearner):
            for answer in answers:
                self.tell(*as_told(answer, learner_number))
            return
        rounds = np.array([asked_round(answer, learner_number) for answer in answers], np.float64)
        sides, outcomes = as_chosen(answers)
        told = 0
        if len(answers) > MANY:
            # interpreting so many takes longer than waiting for the compiler, which the first one starts
            told = 1
            without_waiting(self.learner.fold_votes, self.state, sides[:1], rounds[:1], outcomes[:1])
            BACKGROUND.finish()
        without_waiting(self.learner.fold_votes, self.state, sides[told:], rounds[told:], outcomes[told:])

    def grow(self, ranks: FloatArray) -> None:
        """Add as many arms as there are more ranks than arms."""
        assert isinstance(self.learner, ArmedLearner)
        self.state = self.learner.grown(self.state, ranks)

    def eliminate(self, arm: int) -> bool:
        """Drop an arm that is no longer shown; return False if the learner must restart."""
        if not isinstance(self.learner, ArmedLearner):
            return True
        return without_waiting(self.learner.eliminate, self.state, arm)


def as_chosen(answers: Sequence[Answered]) -> tuple[IntArray, FloatArray]:
    """Return the sides and outcomes of answers on arms, with the sides as the learner chose them."""
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


def require_state(learner: AnyLearner, state: Any) -> Any:
    """Return a state; raise ParameterError unless it is a NamedTuple of arrays, which can be stored."""
    if not (hasattr(state, "_asdict") and all(isinstance(field, np.ndarray) for field in state)):
        raise ParameterError(
            f"the state of {type(learner).__name__} must be a NamedTuple of NumPy arrays; got {state!r:.200}."
        )
    return state


def asked_round(answer: Answered, learner_number: int) -> float | None:
    """Return the learner's round when it asked; None if another learner asked, or nobody."""
    return answer.round if answer.learner == learner_number else None


def as_told(answer: Answered, learner_number: int) -> tuple[Duel, float]:
    """Return an answer as the learner is told it: with the sides it chose, and only its own notes."""
    left, right, propensity, outcome = answer.left, answer.right, answer.propensity, answer.outcome
    if answer.flipped:
        left, right, outcome = right, left, 1.0 - outcome
        propensity = None if propensity is None else (propensity[1], propensity[0])
    own = answer.learner == learner_number
    note = answer.note if own else None
    return Duel(
        left, right, propensity, None, note, answer.context, asked_round(answer, learner_number)
    ), outcome


def write_learner(learner: AnyLearner) -> dict[str, Any]:
    """Return a learner as a journal stores it."""
    kind = type(learner)
    own = kind.__name__ in LEARNERS and LEARNERS[kind.__name__] is kind
    name = kind.__name__ if own else f"{kind.__module__}:{kind.__qualname__}"
    record = {"name": name, "parameters": hyperparameters(learner)}
    try:
        written: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise ParameterError(
            f"the hyperparameters of {learner!r} cannot be stored as JSON: {error}."
        ) from error
    return written


def read_learner(content: dict[str, Any], known: Sequence[AnyLearner] = ()) -> AnyLearner:
    """Return the learner that `write_learner` wrote: one of those given, or from the registry."""
    for learner in known:
        if write_learner(learner) == content:
            return learner
    name, parameters = content.get("name"), content.get("parameters")
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise FileError("the learner has no name or no parameters; use a backup.")
    if name not in LEARNERS:
        raise FileError(
            f"the learner {name!r} is not in the catalogue; pass it: Study.open(path, learner=...)."
        )
    try:
        return build_learner(name, **parameters)
    except (DuelistError, TypeError, ValueError) as error:
        raise FileError(f"the learner {name} cannot be rebuilt: {error}") from error


def names_learner(content: dict[str, Any], learner: AnyLearner) -> bool:
    """Return whether a journal names this learner; missing hyperparameters have their defaults."""
    try:
        return write_learner(read_learner(content, [learner])) == write_learner(learner)
    except DuelistError:
        return False


def require_learner(learner: object, choices: str) -> None:
    """Raise ParameterError unless a learner can learn about "arms", "parameters" or "documents"."""
    if isinstance(learner, type):
        raise ParameterError(
            f"learner must be an instance, not a class; write {learner.__name__}() with parentheses."
        )
    if isinstance(learner, str):
        raise ParameterError(f"learner must be a learner such as RUCB(), not a text; got {learner!r}.")
    if not isinstance(learner, Learner):
        raise ParameterError(
            f"learner must have the methods init, ask, tell and best, as RUCB() has; got {learner!r}."
        )
    setting = card_of(learner).setting
    if SETTINGS.get(setting) != choices:
        fitting = " or ".join(name for name, fits in SETTINGS.items() if fits == choices)
        raise ParameterError(
            f"{type(learner).__name__} is a learner of {setting} and cannot learn about {choices}; use a "
            f"learner of {fitting}."
        )


class RandomStreams:
    """A generator that is set to a separate random stream before every use, which is faster than a new one.

    A stream is a counter of NumPy's Philox. Equal counters give equal random numbers, in any process and in
    any order; different streams never overlap.

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
        """Return the generator of an ask: after which event, how many asks later, and for whom."""
        counter = self._counter
        counter[0], counter[1], counter[2] = 0, seq, asks
        counter[3] = 0 if voter is None else voter_number(voter)
        self._source.state = self._blank
        return self._rng

    def start(self) -> Generator:
        """Return the generator of the beginning of a study."""
        return self.at(START)

    def rank(self, arm: int) -> float:
        """Return the random rank of an arm in initial orders: the same whenever the arm is added."""
        return self.at(START, arm + 1).random()


def page_rng(ticket: str, page: int) -> Generator:
    """Return the random stream of one page of a list, given the id of its ticket: a draft is repeatable.

    Examples
    --------
    >>> first, again, next_page = (page_rng("0a" * 16, page).random() for page in (1, 1, 2))
    >>> first == again, first == next_page
    (True, False)
    """
    return Generator(Philox(key=int(ticket, 16), counter=page << 64))


@lru_cache(maxsize=4096)
def voter_number(voter: str) -> int:
    return int.from_bytes(blake2b(voter.encode(), digest_size=8).digest(), "little") | 1
