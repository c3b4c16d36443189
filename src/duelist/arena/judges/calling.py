"""Calls of a judge: in both orders, within a budget, again where they fail, and never twice."""

from threading import Event, Lock
from typing import NamedTuple

from duelist.arena.judges.cache import AnswerCache, key_of
from duelist.arena.judges.judge import OTHER_SIDE, Answer, Judge, JudgeError, JudgeRefusalError, Showing

LONGEST_WAIT = 60.0
"""Seconds before a call is sent again, at most; each wait is twice as long as the one before."""


class UnfinishedError(Exception):
    """The run ended, or its budget, before both answers were there; its cause is a call that failed."""


class Comparison(NamedTuple):
    """What a judge said of two outputs, shown in both orders.

    Examples
    --------
    >>> Comparison("left", "right").outcome, Comparison("left", "left").outcome
    ('left', 'tie')
    """

    first: Answer
    second: Answer
    """With the outputs swapped."""

    @property
    def favoured(self) -> Answer | None:
        """The side for which the answer changed with the order; None if it stayed."""
        if self.first == OTHER_SIDE[self.second]:
            return None
        return self.second if self.first == "tie" else self.first

    @property
    def outcome(self) -> Answer:
        """What counts: an answer that changes with the order is a tie."""
        return self.first if self.favoured is None else "tie"


class Budget:
    """How many calls may still be made, by all threads together."""

    def __init__(self, calls: int) -> None:
        self._left, self._lock = calls, Lock()

    def reserve(self, calls: int) -> bool:
        """Take calls out of the budget, or none and return False if there are not as many."""
        with self._lock:
            enough = self._left >= calls
            self._left -= calls if enough else 0
            return enough

    def give_back(self, calls: int) -> None:
        """Put back calls that were not made."""
        with self._lock:
            self._left += calls


class Caller:
    """Asks a judge; used by many threads at once.

    Parameters
    ----------
    judge : Judge
        Who is asked.
    cache : AnswerCache
        What it has answered before.
    budget : int
        How many calls may be made, with all that are made again.
    retries : int
        How often a call that fails is made again.
    """

    def __init__(self, judge: Judge, cache: AnswerCache, budget: int, retries: int) -> None:
        self._judge, self._cache, self._retries = judge, cache, retries
        self.budget, self.calls, self.failures = Budget(budget), 0, 0
        self._lock, self._ending = Lock(), Event()

    def end(self) -> None:
        """Begin no further call; those under way go on to their answers."""
        self._ending.set()

    def unanswered(self, shown: Showing) -> list[Showing]:
        """Return the orders of two outputs that the judge has not answered before."""
        return [order for order in (shown, shown.swapped()) if self._cache.find(self._key(order)) is None]

    def compare(self, shown: Showing, orders: list[Showing]) -> Comparison:
        """Return what the judge says in both orders; calls for those unanswered must be reserved.

        Raises
        ------
        JudgeError, JudgeRefusalError
            It gave no answer, however often it was asked.
        UnfinishedError
            The run ended, or its budget.
        """
        reserved = len(orders)
        try:
            for order in orders:
                reserved -= 1
                self._cache.add(self._key(order), self._judge.name, self._ask(order))
        finally:
            self.budget.give_back(reserved)
        return Comparison(self._known(shown), self._known(shown.swapped()))

    def _ask(self, shown: Showing) -> Answer:
        """Return an answer that is paid for, after as many calls as it takes."""
        retried = 0
        while True:
            if self._ending.is_set():
                raise UnfinishedError
            with self._lock:
                self.calls += 1
            try:
                return self._judge.judge(shown)
            except (JudgeError, JudgeRefusalError) as error:
                with self._lock:
                    self.failures += 1
                if isinstance(error, JudgeRefusalError) or error.wait is None or retried == self._retries:
                    raise
                if not self.budget.reserve(1):
                    raise UnfinishedError from error
                self._ending.wait(min(error.wait * 2.0**retried, LONGEST_WAIT))
                retried += 1

    def _key(self, shown: Showing) -> str:
        return key_of(self._judge.identity, shown)

    def _known(self, shown: Showing) -> Answer:
        answer = self._cache.find(self._key(shown))
        if answer is None:
            raise UnfinishedError
        return answer
