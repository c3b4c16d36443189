"""The calls by which a study is read: they change nothing, and may be sent as often as one likes."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from duelist.client.answers import (
    StudyAnswer,
    read_best,
    read_exhausted,
    read_study,
    read_verdict,
    read_votes,
    read_votes_left,
)
from duelist.client.call import Call, post
from duelist.protocols import Learner
from duelist.stopping import Verdict
from duelist.study import Arm
from duelist.study.choices import as_items, plain, require_named
from duelist.study.player import read_learner
from duelist.study.study import DELTA
from duelist.study.votes import as_voter
from duelist.votes import Votes


class ReadingCalls:
    """Makes the calls that change nothing.

    Parameters
    ----------
    name : str
        The study's name.

    Examples
    --------
    >>> call = ReadingCalls("home").done(delta=0.01)
    >>> call.method, call.path, call.query
    ('GET', '/api/studies/home/verdict', {'delta': 0.01, 'within': 0.0})
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._path = f"/api/studies/{name}"

    def learner(self) -> Call[Learner[Any]]:
        """Return the learner at work."""
        return self._summary().then(lambda study: read_learner(study.learner))

    def arms(self) -> Call[tuple[str, ...]]:
        """Return the names of the arms that may be shown; none for a study of knobs."""
        return self._summary().then(lambda study: study.choices().shown)

    def arm(self, name: str) -> Call[Arm]:
        """Return an arm with what it shows, retired ones too."""
        return self._summary().then(lambda study: require_named(study.choices()).about(name))

    def answers(self) -> Call[int]:
        """Return the number of answers that count."""
        return self._summary().then(lambda study: study.answers)

    def votes(self, all: bool = False) -> Call[Votes]:
        """Return a row for each vote that counts; with `all`, also for the others, marked by their status."""
        return Call("GET", f"{self._path}/votes", read_votes, query={"all": bool(all), "arms": True})

    def best(self, context: ArrayLike | None = None, features: ArrayLike | None = None) -> Call[Any]:
        """Return the arm or setting believed to be the winner, in a context if the learner needs one.

        Once an arm is proven to be the winner, it is that one.
        """
        return post(f"{self._path}/best", read_best, context=plain(context), features=plain(features))

    def exploit(self, context: ArrayLike | None = None, features: ArrayLike | None = None) -> Call[Any]:
        """Return what to show where only one is shown, and nothing is asked: what is believed to be best."""
        return self.best(context, features)

    def verdict(self, delta: float = DELTA, within: float = 0.0) -> Call[Verdict]:
        """Return what the votes have proven: a winner, that there is none, or nothing yet.

        Parameters
        ----------
        delta : float, default 0.05
            The share of studies in which a verdict may be wrong, however often one looks.
        within : float, default 0.0
            A difference that does not matter: the winner may lose to others by that much.
        """
        query = {"delta": delta, "within": within}
        return Call("GET", f"{self._path}/verdict", read_verdict, query=query)

    def done(self, delta: float = DELTA, within: float = 0.0) -> Call[bool]:
        """Return whether there are enough votes: a winner is proven, or that there is none."""
        return self.verdict(delta, within).then(lambda verdict: verdict.finding != "undecided")

    def confidence(self, within: float = 0.0) -> Call[float]:
        """Return how sure it is that `verdict().leader` is the winner: from 0 to 1, and never too sure."""
        return self.verdict(DELTA, within).then(lambda verdict: verdict.confidence)

    def votes_left(self, delta: float = DELTA, within: float = 0.0) -> Call[tuple[float, float]]:
        """Return about how many more votes it will take until it is done: a range, low and high.

        High is infinite where it came to no end.
        """
        query = {"delta": delta, "within": within}
        call = Call("GET", f"{self._path}/votes-left", read_votes_left, query=query)
        return call.then(lambda answer: answer.range())

    def exhausted(self, voter: str, items: Sequence[str] | None = None) -> Call[bool]:
        """Return whether a voter has seen every pair of arms, on every item: `ask` would repeat one."""
        fields = {"voter": as_voter(voter), "items": as_items(items)}
        return post(f"{self._path}/exhausted", read_exhausted, **fields)

    def _summary(self) -> Call[StudyAnswer]:
        return Call("GET", self._path, read_study)
