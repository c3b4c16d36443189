"""What a study says: its arms and votes, who is best, and whether there are enough votes."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from duelist.journal import Journal
from duelist.protocols import Learner
from duelist.stopping import Verdict
from duelist.study.choices import Arm, require_context, require_named
from duelist.study.fold import Fold
from duelist.study.live_fold import LiveFold
from duelist.study.storage import save_journal
from duelist.study.verdicts import forecast_of, has_verdicts, verdict_of
from duelist.study.votes import VoteLog, moment_of
from duelist.votes.table import Votes

if TYPE_CHECKING:
    from pandas import DataFrame

DELTA = 0.05
"""The share of studies in which a verdict may be wrong, where none is named."""


class Reading:
    """The part of a study that changes nothing.

    `delta` is the share of studies in which a verdict may be wrong, however pairs were chosen and however
    often one looks; `within` is a difference that does not matter, such as 0.02: the winner may lose to
    others by that much.
    """

    journal: Journal
    live: LiveFold
    vote_log: VoteLog

    @property
    def learner(self) -> Learner[Any]:
        """The learner at work."""
        return self._now().learner

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms that may be shown; none for a study of knobs."""
        return self._now().choices.shown

    def arm(self, name: str) -> Arm:
        """Return an arm with what it shows, retired ones too."""
        return require_named(self._now().choices).about(name)

    @property
    def answers(self) -> int:
        """The number of answers that count."""
        return self._now().tally.answers

    def votes(self, all: bool = False) -> Votes:
        """Return a row for each vote that counts; with `all`, also for the others, marked by their status."""
        with self.live.lock:
            moment = moment_of(self.live.current())
        return self.vote_log.votes(moment, all)  # others may ask and tell meanwhile

    def to_frame(self, all: bool = False) -> "DataFrame":
        """Return the votes as a pandas data frame, as `votes().to_frame()` does."""
        return self.votes(all).to_frame()

    def best(self, context: ArrayLike | None = None, features: ArrayLike | None = None) -> Any:
        """Return the arm or setting believed to be the winner, in a context if the learner needs one.

        Once an arm is proven to be the winner, it is that one.
        """
        with self.live.lock:
            fold = self.live.current()
            require_context(fold.learner, context, features)
            proven = verdict_of(fold, DELTA, 0.0).winner if has_verdicts(fold) else None
            return fold.choices.show(fold.best(fold.menu(context, features))) if proven is None else proven

    def exploit(self, context: ArrayLike | None = None, features: ArrayLike | None = None) -> Any:
        """Return what to show where only one is shown, and nothing is asked: what is believed to be best."""
        return self.best(context, features)

    def verdict(self, delta: float = DELTA, within: float = 0.0) -> Verdict:
        """Return what the votes have proven: a winner, that there is none, or nothing yet.

        It looks at the present, and can turn back when votes are retracted or arms come.

        Examples
        --------
        >>> from duelist import RUCB, Duel, Study
        >>> study = Study(RUCB(), arms=["a", "b", "c"])
        >>> study.verdict().finding
        'undecided'
        """
        with self.live.lock:
            return verdict_of(self.live.current(), delta, within)

    def done(self, delta: float = DELTA, within: float = 0.0) -> bool:
        """Return whether there are enough votes: a winner is proven, or that there is none."""
        return self.verdict(delta, within).finding != "undecided"

    def confidence(self, within: float = 0.0) -> float:
        """Return how sure it is that `verdict().leader` is the winner: from 0 to 1, and never too sure."""
        return self.verdict(DELTA, within).confidence

    def votes_left(self, delta: float = DELTA, within: float = 0.0) -> tuple[float, float]:
        """Return about how many more votes it will take until it is done: a range, low and high.

        What is known is played on many times, with pairs chosen as they are when a verdict is near; the range
        leaves out a tenth of the plays on each side. High is infinite where they came to no end.
        """
        with self.live.lock:
            forecast = forecast_of(self.live.current(), delta, within)
        return forecast()  # others may ask and tell meanwhile

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all that happened to one file to carry away; the key of tickets is not in it."""
        return save_journal(self.journal, path)

    def _now(self) -> Fold:
        return self.live.now()
