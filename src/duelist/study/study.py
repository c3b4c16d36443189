"""A study: a learner at work for people and services, whose journal loses nothing."""

import os
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from time import time
from typing import Any, Unpack, overload

from numpy.typing import ArrayLike

from duelist.duel import Duel
from duelist.errors import ParameterError, require_positive, require_whole
from duelist.journal import Closed, Journal
from duelist.learners.armed.auto import Auto
from duelist.protocols import Learner
from duelist.study.arm import Arm, as_name
from duelist.study.asking import Asker, AskOptions
from duelist.study.changes import Changing
from duelist.study.choices import as_choices
from duelist.study.clicking import Collector
from duelist.study.contexts import example_of
from duelist.study.drafting import Interleaver, method_named
from duelist.study.items import as_items
from duelist.study.keys import KeyRing
from duelist.study.knobs import Knob, Knobs
from duelist.study.learner_record import require_learner, write_learner
from duelist.study.listing import Listing
from duelist.study.live_fold import LiveFold
from duelist.study.open_duels import OpenDuels
from duelist.study.storage import as_journal, create_in, load_journal, require_study
from duelist.study.telling import Teller
from duelist.study.votes import VoteLog, as_outcome, as_voter


class Study(Listing, Changing):
    """A learner at work: ask for a duel, show it, tell the outcome. Nothing that was told is lost.

    What a study knows is the fold of its journal: every process that opens the journal knows the same.
    Answers may come late, in any order, from many threads and processes, or twice: each duel has a ticket
    that carries it, a repeated answer changes nothing, and one that contradicts the first is refused.

    Parameters
    ----------
    learner : Learner, optional
        For example `RUCB()`; by default `Auto()` for arms. Knobs need one.
    arms : sequence of str or Arm, optional
        At least two, with names that all differ; an `Arm` has a text, a link or an image to show.
    seed : int, default 0
        Equal seeds and equal answers give equal duels.
    journal : path or Journal, optional
        Where all that happens is kept: a file such as "votes.db", which is made or gone on with, an address
        of PostgreSQL, or a journal of another kind. By default memory, which ends with the process.
    knobs : mapping, optional
        Instead of arms: numbers to be set, by name, each a `Knob` with its range.
    context, features : array, optional
        For a learner that looks at contexts and does not know how long they are: an example, such as zeros.
    patience : float, default 3600.0
        Seconds after which a duel is no longer taken to be open, and an answer is marked as late.
    worker : int, default 0
        Tells processes apart that ask at the same time, so that their luck differs.
    interleaving : str, default "team_draft"
        How lists are made and clicks on them credited: also "balanced", "probabilistic" or "optimized".

    Examples
    --------
    >>> study = Study(arms=["bm25", "bm25f", "dense"], seed=7)
    >>> while not study.done():
    ...     duel = study.ask()
    ...     study.tell(duel, "left" if duel.left == "bm25" else "right" if duel.right == "bm25" else "tie")
    >>> study.best()
    'bm25'
    >>> print(study.verdict())
    bm25 is the winner: it beats every other arm. Such a verdict is wrong in at most 5% of studies.
    """

    def __init__(
        self,
        learner: Learner[Any] | None = None,
        arms: Sequence[str | Arm] | None = None,
        seed: int = 0,
        *,
        journal: str | os.PathLike[str] | Journal | None = None,
        knobs: Knobs | Mapping[str, Knob] | None = None,
        context: ArrayLike | None = None,
        features: ArrayLike | None = None,
        patience: float = 3600.0,
        worker: int = 0,
        interleaving: str = "team_draft",
    ) -> None:
        require_whole("seed", seed, 0)
        require_positive("patience", patience)
        method_named(interleaving)
        choices = as_choices(arms, knobs)
        if learner is None and knobs is not None:
            raise ParameterError("a study of knobs needs a learner: PreferentialOptimization(), for example.")
        learner = Auto() if learner is None else learner
        require_learner(learner, "arms" if knobs is None else "knobs")
        kept = as_journal(journal)
        create_in(
            kept,
            learner,
            seed=int(seed),
            choices=choices.as_json(),
            example=example_of(learner, context, features),
            patience=float(patience),
            interleaving=interleaving,
        )
        self._begin(kept, [learner], worker)

    def _begin(self, journal: Journal, learners: list[Learner[Any]], worker: int) -> None:
        require_whole("worker", worker, 0)
        self.journal, self._learners = journal, learners
        open_duels = OpenDuels(require_study(journal).patience)
        keys = KeyRing(journal.key_store)
        self.live = LiveFold(journal, learners, open_duels, worker)
        self.vote_log = VoteLog(journal)
        self.asker = Asker(self.live, open_duels, keys)
        self.teller = Teller(self.live, keys)
        self.interleaver = Interleaver(self.live, keys)
        self.collector = Collector(self.live, keys, self.interleaver.method)

    @classmethod
    def open(
        cls, journal: str | os.PathLike[str] | Journal, learner: Learner[Any] | None = None, worker: int = 0
    ) -> "Study":
        """Return the study of a journal, in any process: what it knows is the fold of what is written there.

        Parameters
        ----------
        journal : path or Journal
            The one that a study was made with.
        learner : Learner, optional
            Needed only for a learner outside the catalogue, equal to the one that the journal names.
        worker : int, default 0
            Tells processes apart that ask at the same time.
        """
        study = cls.__new__(cls)
        study._begin(as_journal(journal, create=False), [] if learner is None else [learner], worker)
        if learner is not None and write_learner(study.learner) != write_learner(learner):
            raise ParameterError(f"the journal names the learner {study.learner!r}, not {learner!r}.")
        return study

    @classmethod
    def load(cls, path: str | os.PathLike[str], learner: Learner[Any] | None = None) -> "Study":
        """Return a study that `save` wrote, in memory: the same answers and state, but new tickets."""
        return cls.open(load_journal(path), learner)

    def __reduce__(self) -> Any:
        """Refuse to be copied or pickled: a study is where its journal is."""
        raise ParameterError("a study cannot be copied or pickled; open its journal there: Study.open(path).")

    @overload
    def ask(self, **given: Unpack[AskOptions]) -> Duel: ...
    @overload
    def ask(self, *, n: int, **given: Unpack[AskOptions]) -> list[Duel]: ...
    def ask(
        self,
        *,
        voter: str | None = None,
        n: int | None = None,
        context: ArrayLike | None = None,
        features: ArrayLike | None = None,
        items: Sequence[str] | None = None,
    ) -> Duel | list[Duel]:
        """Return the duel to show next, of two different choices and with a ticket; or n of them.

        A duel that is never answered leaves no trace; clicks on lists that are due are settled before.

        Parameters
        ----------
        voter : str, optional
            Who is asked. They get the same duel again until it is answered, and no pair twice while there are
            others.
        n : int, optional
            How many duels, as different as the learner allows, in a list.
        context : array, optional
            What is known before the duel, for a learner whose preferences depend on it.
        features : array of shape (arms, f), optional
            What is known of each arm in this context, for a learner that looks at it.
        items : sequence of str, optional
            What the two may be compared on, by name, such as questions that all arms answer: `duel.item` is
            one of them, on which the voter has not seen the pair. One vote a voter, pair and item counts.
        """
        if n is not None:
            require_whole("n", n, 1)
        name = as_voter(voter)
        self._settle(time(), name)
        asked = self.asker.ask(name, 1 if n is None else int(n), context, features, as_items(items))
        return asked[0] if n is None else asked

    def exhausted(self, voter: str, items: Sequence[str] | None = None) -> bool:
        """Return whether a voter has seen every pair of arms, on every item: `ask` would repeat one."""
        return self.asker.exhausted(as_name("voter", voter), as_items(items))

    def tell(self, duel: Duel | str, outcome: str | float, *, voter: str | None = None) -> None:
        """Learn from an answer: "left", "right" or "tie", or a number from 0 (right) to 1 (left wins).

        When this returns, the answer is in the journal. To tell it again does no harm.

        Parameters
        ----------
        duel : Duel or str
            What `ask` returned, or its ticket. A duel without a ticket was recorded elsewhere.
        outcome : str or float
            Who won.
        voter : str, optional
            Who answered a duel that was recorded elsewhere; tickets know their voters.

        Raises
        ------
        ConflictError
            The same duel was answered before with another outcome, skipped or retracted.
        TicketError
            The ticket is not of this study, or was changed.
        OutcomeError, UnknownNameError
            The duel or the outcome cannot be learned from. In every case nothing was written.
        """
        self.teller.record(self.teller.answered(duel, as_outcome(outcome), as_voter(voter)))

    def skip(self, duel: Duel | str) -> None:
        """Record that a duel was seen and not answered: nothing is learned from it."""
        self.teller.record(self.teller.skipped(duel))

    def retract(self, duel: Duel | str) -> None:
        """Take back an answer, given by its duel, its ticket or the ticket's id in `votes()`.

        The record of it stays, and all is folded again without it. To take it back twice does no harm.
        """
        self.teller.record(self.teller.retracted(duel))

    def import_votes(self, votes: Iterable[Any]) -> int:
        """Record votes that were recorded elsewhere, and return how many were new: twice counts once.

        Parameters
        ----------
        votes : iterable of mappings or of Vote
            Each with left, right and outcome, and perhaps voter, time and ticket, as `votes()` returns them.
            A vote without a ticket gets an id of its own content.
        """
        return self.teller.import_votes(votes)

    def close(self) -> None:
        """End the study, after clicks were settled: it can be read, but asks and records no more."""
        self._settle(inf)
        self.teller.record(Closed(time=round(time(), 3)))
