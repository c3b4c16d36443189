"""A study: a learner at work for people and services, whose journal loses nothing."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from numpy.typing import ArrayLike

from duelist.card import card_of
from duelist.defaults import ANSWER_TIMEOUT, DELTA, INTERLEAVING
from duelist.duel import Duel
from duelist.errors import ParameterError, require_positive, require_whole
from duelist.interleaving.analysis import AnytimeReport, PreferenceReport
from duelist.journal import Journal
from duelist.learners.armed.auto import Auto
from duelist.protocols import AnyLearner
from duelist.stopping import Verdict
from duelist.study.asking import AskOptions, has_seen_all
from duelist.study.choices import (
    Arm,
    Choices,
    as_choices,
    as_documents,
    as_items,
    as_name,
    example_of,
    most_votes,
    require_context,
    require_named,
)
from duelist.study.clicking import preference_of
from duelist.study.drafting import Document, ShownList, method_named
from duelist.study.parameters import Parameter, Parameters
from duelist.study.player import require_learner, write_learner
from duelist.study.recording import StudySteps, run
from duelist.study.state import StudyState, forecast_of, verdict_of
from duelist.study.storage import as_journal, create_in, load_journal, require_path, save_journal
from duelist.study.votes import as_outcome, as_voter
from duelist.votes.table import Votes

if TYPE_CHECKING:
    from pandas import DataFrame


class Study:
    """A learner at work on live votes: `ask` returns the next duel, `tell` records its outcome.

    The state of a study is the fold of its journal: all processes that open the journal know the same.
    Answers may come late, in any order, from many threads and processes, or twice. Each duel has a ticket
    that carries it: repeating an answer is a no-op, contradicting it raises ConflictError.

    Parameters
    ----------
    learner : Learner, optional
        For example `RUCB()`; `Auto()` by default. A study of parameters or documents needs one.
    arms : sequence of str or Arm, optional
        At least two arms with different names; an `Arm` can show a text, a link or an image.
    seed : int, default 0
        Equal seeds and equal answers give equal duels.
    journal : path or Journal, optional
        Where events are stored: a file such as "votes.db", which is created or resumed; an address of
        PostgreSQL; or a `Journal`. By default memory, which is lost when the process ends.
    parameters : mapping, optional
        Instead of arms: numbers to tune, each name with a `Parameter`, its range.
    context, features : array, optional
        An example, such as zeros: of a context and of the features of all arms, for a learner of contexts
        that does not know their length; of the features of one document, in one row, for a learner of
        rankings.
    answer_timeout : float, default 3600.0
        Seconds after which a duel is no longer open and an answer to it is late.
    worker : int, default 0
        Distinguishes processes that ask at the same time: each has its own random stream.
    interleaving : str, default "team_draft"
        How lists are interleaved and clicks credited: also "balanced", "probabilistic" or "optimized".

    Raises
    ------
    ParameterError
        An argument is invalid, the learner does not fit, or the journal has a study that began differently.
    FileError, StorageError
        The journal is damaged or cannot be used.

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
        learner: AnyLearner | None = None,
        arms: Sequence[str | Arm] | None = None,
        seed: int = 0,
        *,
        journal: str | os.PathLike[str] | Journal | None = None,
        parameters: Parameters | Mapping[str, Parameter] | None = None,
        context: ArrayLike | None = None,
        features: ArrayLike | None = None,
        answer_timeout: float = ANSWER_TIMEOUT,
        worker: int = 0,
        interleaving: str = INTERLEAVING,
    ) -> None:
        require_whole("seed", seed, 0)
        require_positive("answer_timeout", answer_timeout)
        method_named(interleaving)
        if learner is None and parameters is not None:
            raise ParameterError(
                "a study of parameters needs a learner: PreferentialOptimization(), for example."
            )
        learner = Auto() if learner is None else learner
        choices: Choices
        if arms is None and parameters is None and card_of(learner).setting == "rankings":
            require_learner(learner, "documents")
            choices, example = as_documents(learner, context, features), {}
        else:
            choices = as_choices(arms, parameters)
            require_learner(learner, choices.kind)
            example = example_of(learner, context, features)
        kept = as_journal(journal)
        create_in(
            kept,
            learner,
            seed=int(seed),
            choices=choices.as_json(),
            example=example,
            answer_timeout=float(answer_timeout),
            interleaving=interleaving,
        )
        self._begin(kept, [learner], worker)

    def _begin(self, journal: Journal, learners: list[AnyLearner], worker: int) -> None:
        require_whole("worker", worker, 0)
        self._journal = journal
        self._steps = StudySteps(journal, learners, worker)
        self._live = self._steps.live

    @classmethod
    def open(
        cls, journal: str | os.PathLike[str] | Journal, learner: AnyLearner | None = None, worker: int = 0
    ) -> "Study":
        """Open the study of a journal, in any process.

        Parameters
        ----------
        journal : path or Journal
            The journal of the study.
        learner : Learner, optional
            Needed only for a learner outside the catalogue: one equal to that of the journal.
        worker : int, default 0
            Distinguishes processes that ask at the same time.

        Returns
        -------
        Study
            A study with the same state as every other study of this journal.

        Raises
        ------
        FileError
            There is no study, it is damaged, or it needs a learner outside the catalogue.
        ParameterError
            The journal names another learner.

        Examples
        --------
        >>> from duelist.journal import MemoryJournal
        >>> journal = MemoryJournal()
        >>> Study(arms=["tea", "coffee"], journal=journal).tell(Duel("tea", "coffee"), "left")
        >>> Study.open(journal).best()
        'tea'
        """
        study = cls.__new__(cls)
        study._begin(as_journal(journal, create=False), [] if learner is None else [learner], worker)
        if learner is not None and write_learner(study.learner) != write_learner(learner):
            raise ParameterError(f"the journal names the learner {study.learner!r}, not {learner!r}.")
        return study

    @classmethod
    def load(cls, path: str | os.PathLike[str], learner: AnyLearner | None = None) -> "Study":
        """Load a study that `save` wrote into memory: the same answers and state, but new tickets.

        Parameters
        ----------
        path : path
            A file that `save` or `duelist db export --events` wrote. It stays as it is.
        learner : Learner, optional
            Needed only for a learner outside the catalogue.

        Returns
        -------
        Study
            A study in memory.

        Raises
        ------
        FileError
            The file cannot be read or is damaged.
        """
        return cls.open(load_journal(path), learner)

    def __reduce__(self) -> Any:
        """Raise ParameterError: a study cannot be copied, because it lives in its journal."""
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
        """Return the next duel to show, with a ticket; or n duels.

        The two choices differ. A duel that is never answered leaves no trace. Clicks on lists that are due
        are settled first.

        Parameters
        ----------
        voter : str, optional
            Who is asked. A voter gets the same duel until they answer it, and no pair twice while there are
            others.
        n : int, optional
            The number of duels, as different as the learner allows; they are returned as a list.
        context : array, optional
            What is known before the duel, for a learner of contexts.
        features : array of shape (arms, f), optional
            The features of each arm in this context, for a learner that uses them.
        items : sequence of str, optional
            What the two can be compared on, by name, such as questions that all arms answer. `duel.item` is
            an item on which the voter has not seen the pair. One vote per voter, pair and item counts.

        Returns
        -------
        Duel or list of Duel
            Tell the outcome by `tell(duel, outcome)`, or by the duel's ticket.

        Raises
        ------
        ClosedError
            The study has ended.
        ParameterError
            An argument is invalid, or this is a study of documents: see `rank`.

        Examples
        --------
        >>> study = Study(arms=["tea", "coffee"], seed=7)
        >>> duel = study.ask(voter="Ann")
        >>> sorted(duel[:2]), study.ask(voter="Ann") == duel
        (['coffee', 'tea'], True)
        """
        if n is not None:
            require_whole("n", n, 1)
        many = 1 if n is None else int(n)
        steps = self._steps.ask(as_voter(voter), many, context, features, as_items(items))
        asked = run(steps, self._journal.append)
        return asked[0] if n is None else asked

    def exhausted(self, voter: str, items: Sequence[str] | None = None) -> bool:
        """Return whether a voter has seen every pair of arms, on every item: `ask` would repeat one.

        Parameters
        ----------
        voter : str
            The name of the voter.
        items : sequence of str, optional
            As in `ask`.

        Returns
        -------
        bool
            False in a study without arms or with contexts.

        Raises
        ------
        ParameterError
            If `voter` or an item is not a name.

        Examples
        --------
        >>> study = Study(arms=["tea", "coffee"])
        >>> study.tell(study.ask(voter="Ann"), "left")
        >>> study.exhausted("Ann"), study.exhausted("Ben")
        (True, False)
        """
        name, among = as_name("voter", voter), as_items(items)
        with self._live.lock:
            return has_seen_all(self._live.current(), name, among)

    def tell(self, duel: Duel | str, outcome: str | float, *, voter: str | None = None) -> None:
        """Record an answer and learn from it.

        When this returns, the answer is in the journal. Telling the same answer again is a no-op.

        Parameters
        ----------
        duel : Duel or str
            What `ask` returned, or its ticket. A duel without a ticket was recorded elsewhere.
        outcome : str or float
            "left", "right" or "tie", or a number from 0 (right wins) to 1 (left wins).
        voter : str, optional
            Who answered a duel that was recorded elsewhere; a ticket already names its voter.

        Raises
        ------
        ConflictError
            The duel was answered with another outcome before, skipped or retracted.
        TicketError
            The ticket belongs to another study, or was changed.
        OutcomeError, UnknownNameError
            The outcome or the duel is invalid. In every case, nothing is written.

        Examples
        --------
        >>> study = Study(arms=["tea", "coffee"])
        >>> duel = study.ask()
        >>> study.tell(duel, "left")
        >>> study.tell(duel.ticket, "left")
        >>> study.answers
        1
        """
        run(self._steps.tell(duel, as_outcome(outcome), as_voter(voter)), self._journal.append)

    def run(
        self,
        judge: Callable[[Duel], str | float | None],
        until: float | Callable[[], bool] = DELTA,
        *,
        votes: int | None = None,
        voter: str | None = None,
        items: Sequence[str] | None = None,
    ) -> None:
        """Ask, judge and tell until there are enough votes.

        The loop also ends when `votes` duels are judged, or when `voter` has seen every pair on every item.

        Parameters
        ----------
        judge : callable
            Takes a duel and returns its outcome as `tell` takes it, or None to skip the duel.
        until : float or callable, default 0.05
            The error probability of the verdict to wait for, as in `done`; or a function that returns
            whether to stop, which a study without verdicts (of parameters, in contexts) needs.
        votes : int, optional
            The largest number of duels to judge.
        voter, items : optional
            As in `ask`.

        Examples
        --------
        >>> study = Study(arms=["ab", "abc", "a"], seed=7)
        >>> study.run(lambda duel: "left" if len(duel.left) > len(duel.right) else "right")
        >>> study.verdict().winner
        'abc'
        """
        most = most_votes(judge, until, votes)
        judged = 0
        while judged < most and not (until() if callable(until) else self.done(until)):
            if voter is not None and self.exhausted(voter, items):
                return
            duel = self.ask(voter=voter, items=items)
            outcome = judge(duel)
            if outcome is None:
                self.skip(duel)
            else:
                self.tell(duel, outcome)
            judged += 1

    def skip(self, duel: Duel | str) -> None:
        """Record that a duel was shown and skipped: nothing is learned from it.

        Parameters
        ----------
        duel : Duel or str
            What `ask` returned, or its ticket.

        Raises
        ------
        ConflictError
            The duel was answered before.
        TicketError
            The ticket belongs to another study, or was changed.

        Examples
        --------
        >>> study = Study(arms=["tea", "coffee"])
        >>> study.skip(study.ask())
        >>> study.answers, len(study.votes(all=True))
        (0, 1)
        """
        run(self._steps.skip(duel), self._journal.append)

    def retract(self, duel: Duel | str) -> None:
        """Retract an answer; its event stays in the journal, and the study is folded again without it.

        Retracting an answer twice is a no-op.

        Parameters
        ----------
        duel : Duel or str
            The duel, its ticket, the ticket of a list, or the ticket's id in `votes()`.

        Raises
        ------
        TicketError
            There is no answer to retract.

        Examples
        --------
        >>> study = Study(arms=["tea", "coffee"])
        >>> duel = study.ask()
        >>> study.tell(duel, "left")
        >>> study.retract(duel)
        >>> study.answers
        0
        """
        run(self._steps.retract(duel), self._journal.append)

    def import_votes(self, votes: Iterable[Any]) -> int:
        """Record votes from elsewhere; a vote that is imported twice counts once.

        Parameters
        ----------
        votes : iterable of mappings or of Vote
            Each with left, right and outcome, and optionally voter, time and ticket, as `votes()` returns
            them. A vote without a ticket gets an id made of its content.

        Returns
        -------
        int
            The number of new votes.

        Raises
        ------
        OutcomeError
            A vote is invalid; the message names its index. Nothing is written.
        ConflictError
            A ticket is recorded with another vote.

        Examples
        --------
        >>> study = Study(arms=["tea", "coffee"])
        >>> votes = [{"left": "tea", "right": "coffee", "outcome": "left", "voter": "Ann"}]
        >>> study.import_votes(votes), study.import_votes(votes)
        (1, 0)
        """
        return run(self._steps.import_votes(votes), self._journal.append)

    def import_clicks(
        self,
        shown: str | os.PathLike[str],
        clicks: str | os.PathLike[str],
        sides: tuple[str, str] | None = None,
    ) -> int:
        """Record clicks on lists that `duelist interleave` drew, one answer for each list with clicks.

        The method that drew a list credits its clicks. Importing a file again, when it has grown, adds only
        what is new.

        Parameters
        ----------
        shown : path
            The lists, as `duelist interleave --save` writes them.
        clicks : path
            The clicks on them, as `duelist interleave --clicks` reads them.
        sides : pair of str, optional
            The arms of the left and the right rankings; by default, those named like the files of rankings,
            without their extensions.

        Returns
        -------
        int
            The number of new answers.

        Raises
        ------
        FileError
            A file cannot be read or has an invalid line.
        ConflictError
            A list is on record with other sides. In every case, nothing is written.
        """
        return run(
            self._steps.import_clicks(Path(require_path(shown)), Path(require_path(clicks)), sides),
            self._journal.append,
        )

    def preference(
        self, left: str | None = None, right: str | None = None, *, once: bool = False
    ) -> AnytimeReport | PreferenceReport | None:
        """Return which of two arms the clicks on their lists prefer, as `duelist interleave` reports it.

        Every voter counts once, and every list; lists without clicks do not count.

        Parameters
        ----------
        left, right : str, optional
            The arms; not needed in a study of two.
        once : bool, default False
            Test once, at a number of lists fixed in advance, which needs fewer lists. By default, the test is
            anytime-valid.

        Returns
        -------
        AnytimeReport, PreferenceReport or None
            None with clicks on fewer than two lists.

        Raises
        ------
        ParameterError
            If only one arm is given, or the same twice, or none in a study of several, or the study has no
            arms.
        UnknownNameError
            If an arm is not in the study.

        Examples
        --------
        >>> from duelist import Study
        >>> study = Study(arms=["bm25", "dense"])
        >>> for _ in range(20):
        ...     shown = study.interleave(study.ask(), {"bm25": ["a", "b"], "dense": ["c", "d"]})
        ...     study.clicks(shown.ticket, ["a"], final=True)
        >>> study.preference().verdict
        'bm25 is preferred, at 100.0% (p = 0.011); you may stop here.'
        """
        if (left is None) != (right is None):
            raise ParameterError("give both arms, left and right, or none in a study of two.")
        pair = None if left is None or right is None else (left, right)
        fold = self._live.now()
        return preference_of(self._journal.read(), fold, pair, once)

    def interleave(
        self,
        duel: Duel | str,
        rankings: Mapping[str, Sequence[Document]] | None = None,
        length: int = 10,
        page: int = 1,
    ) -> ShownList:
        """Return one list from the rankings of a duel's two arms, a page at a time.

        The same call gives the same list again. Clicks on the voter's other lists are settled first.

        Parameters
        ----------
        duel : Duel or str
            What `ask` returned, or its ticket; for further pages, the ticket of the list so far.
        rankings : mapping, optional
            The documents of each arm of the duel, best first: texts or whole numbers. Rankings can differ in
            length and share documents. The ticket of a list already has them.
        length : int, default 10
            The number of documents on a page.
        page : int, default 1
            The number of the page; a page beyond the end has no documents.

        Returns
        -------
        ShownList
            The documents of the page, and the ticket that `clicks` takes.

        Raises
        ------
        ParameterError
            The rankings do not fit the duel or the first page, or the page or its length is invalid.
        TicketError
            The ticket belongs to another study, or was changed.

        Examples
        --------
        >>> from duelist import Study
        >>> study = Study(arms=["bm25", "dense"])
        >>> rankings = {"bm25": ["a", "b", "c"], "dense": ["c", "d", "e"]}
        >>> shown = study.interleave(study.ask(), rankings, length=3)
        >>> more = study.interleave(shown.ticket, length=3, page=2)
        >>> sorted(shown.documents + more.documents)
        ['a', 'b', 'c', 'd', 'e']
        """
        return run(self._steps.interleave(duel, rankings, length, page), self._journal.append)

    def rank(
        self,
        features: ArrayLike,
        documents: Sequence[Document] | None = None,
        *,
        voter: str | None = None,
    ) -> ShownList:
        """Return the list to show for a query, made by a learner of rankings from the query's documents.

        A list that is never clicked leaves no trace. Clicks on the voter's other lists are settled first.

        Parameters
        ----------
        features : array of shape (documents, d)
            A row of features for each document, with as many columns as the study began with.
        documents : sequence of str or int, optional
            The names of the documents, all different; by default, the numbers of their rows.
        voter : str, optional
            Who is shown the list.

        Returns
        -------
        ShownList
            The documents to show, best first, and the ticket that `clicks` takes.

        Raises
        ------
        ParameterError
            This is not a study of documents, or the features or names are invalid.
        ClosedError
            The study has ended.

        Examples
        --------
        >>> from duelist import PairwiseGradientRanker, Study
        >>> study = Study(PairwiseGradientRanker(), features=[[0.0, 0.0]], seed=7)
        >>> for _ in range(50):
        ...     shown = study.rank([[0.9, 0.1], [0.2, 0.8]], ["faq", "news"])
        ...     study.clicks(shown.ticket, ["news"], final=True)
        >>> study.answers, study.best().rank([[0.9, 0.1], [0.2, 0.8]])
        (50, array([1, 0]))
        """
        return run(self._steps.rank(features, documents, as_voter(voter)), self._journal.append)

    def clicks(self, ticket: str, clicked: Iterable[Document], final: bool = False) -> None:
        """Record clicks on a list; they are settled later as one answer, from which the learner learns.

        When this returns, the clicks are in the journal. Recording the same clicks again is a no-op. Clicks
        are settled when the voter asks again or is shown another list, and at the latest ten minutes after
        the first.

        Parameters
        ----------
        ticket : str
            The ticket of a list that `interleave` or `rank` returned.
        clicked : iterable
            Documents of the list, in any order; earlier clicks need not be repeated.
        final : bool, default False
            Whether there will be no more clicks: they are settled at once. Without any clicks, an interleaved
            list counts as skipped; a learner of rankings learns that its list was not clicked.

        Raises
        ------
        OutcomeError
            A document was not shown. Nothing is written.
        ConflictError
            The list was settled without these clicks, or its duel was answered in another way.
        TicketError
            The ticket is not that of a list of this study.

        Examples
        --------
        >>> from duelist import Study
        >>> study = Study(arms=["bm25", "dense"])
        >>> shown = study.interleave(study.ask(), {"bm25": ["a", "b"], "dense": ["c", "d"]})
        >>> study.clicks(shown.ticket, ["a"])
        >>> study.clicks(shown.ticket, ["b"], final=True)
        >>> study.answers, study.best()
        (1, 'bm25')
        """
        run(self._steps.clicks(ticket, clicked, final), self._journal.append)

    def add_arm(self, arm: str | Arm) -> None:
        """Add an arm, or bring back a retired one with all its votes.

        Parameters
        ----------
        arm : str or Arm
            Its name; an `Arm` also shows a text, a link or an image, which replaces what it showed before.

        Raises
        ------
        ParameterError
            The arm exists, the learner cannot take new arms, or the study has no arms.

        Examples
        --------
        >>> study = Study(arms=["tea", "coffee"])
        >>> study.add_arm("milk")
        >>> study.arms
        ('tea', 'coffee', 'milk')
        """
        run(self._steps.add_arm(arm), self._journal.append)

    def retire_arm(self, name: str) -> None:
        """Stop showing an arm; its votes stay in the journal. Retiring an arm twice is a no-op.

        Parameters
        ----------
        name : str
            The name of the arm.

        Raises
        ------
        UnknownNameError
            There is no arm of this name.
        ParameterError
            Fewer than two arms would be left, or the learner cannot drop an arm.

        Examples
        --------
        >>> study = Study(arms=["tea", "coffee", "milk"])
        >>> study.retire_arm("milk")
        >>> study.arms
        ('tea', 'coffee')
        """
        run(self._steps.retire_arm(name), self._journal.append)

    def change_learner(
        self, learner: AnyLearner, context: ArrayLike | None = None, features: ArrayLike | None = None
    ) -> None:
        """Switch to another learner, which learns from all earlier answers.

        Parameters
        ----------
        learner : Learner
            A learner of the same choices: arms, parameters or documents.
        context, features : array, optional
            An example, for a learner of contexts that does not know their length.

        Raises
        ------
        ParameterError
            The learner does not fit the study.

        Examples
        --------
        >>> from duelist import RMED1
        >>> study = Study(arms=["tea", "coffee"])
        >>> study.change_learner(RMED1())
        >>> type(study.learner).__name__
        'RMED1'
        """
        run(self._steps.change_learner(learner, context, features), self._journal.append)

    def close(self) -> None:
        """Settle all clicks and end the study: it can be read, but asks and records no more."""
        run(self._steps.close(), self._journal.append)

    @property
    def steps(self) -> StudySteps:
        """The methods that write, as steps, for a program that commits events itself."""
        return self._steps

    def state(self) -> StudyState:
        """Return the current state of the study: its arms, settings and counts.

        Returns
        -------
        StudyState
            A view that stays as it is while the study continues.

        Examples
        --------
        >>> from duelist import Study
        >>> study = Study(arms=["tea", "coffee", "milk"])
        >>> study.retire_arm("milk")
        >>> state = study.state()
        >>> state.shown, state.retired, state.closed
        (('tea', 'coffee'), ('milk',), False)
        """
        return self._live.state()

    @property
    def learner(self) -> AnyLearner:
        """The learner at work."""
        return self._live.now().learner

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms that are not retired; empty in a study without arms."""
        return self._live.now().choices.shown

    def arm(self, name: str) -> Arm:
        """Return an arm, also a retired one, with its text, link and image.

        Parameters
        ----------
        name : str
            The name of the arm.

        Returns
        -------
        Arm
            The arm.

        Raises
        ------
        UnknownNameError
            There is no arm of this name.
        """
        return require_named(self._live.now().choices).about(name)

    @property
    def answers(self) -> int:
        """The number of answers that count."""
        return self._live.now().tally.answers

    def votes(self, all: bool = False) -> Votes:
        """Return the votes that count, one a row.

        Parameters
        ----------
        all : bool, default False
            Whether to return retracted and skipped votes too, marked by their status.

        Returns
        -------
        Votes
            A table of votes; empty in a study of documents.

        Examples
        --------
        >>> study = Study(arms=["tea", "coffee"])
        >>> study.tell(Duel("tea", "coffee"), "left", voter="Ann")
        >>> [(vote.left, vote.right, vote.outcome, vote.voter) for vote in study.votes()]
        [('tea', 'coffee', 'left', 'Ann')]
        """
        return self.state().votes(all)

    def to_frame(self, all: bool = False) -> "DataFrame":
        """Return the votes as a pandas data frame, as `votes().to_frame()` does.

        Parameters
        ----------
        all : bool, default False
            As in `votes`.

        Returns
        -------
        DataFrame
            A row for each vote.
        """
        return self.votes(all).to_frame()

    def best(self, context: ArrayLike | None = None, features: ArrayLike | None = None) -> Any:
        """Return the choice believed to be best; an arm that is proven to be the winner comes first.

        Parameters
        ----------
        context, features : array, optional
            As in `ask`, for a learner of contexts.

        Returns
        -------
        str, dict or LinearRanker
            The name of an arm; in a study of parameters a setting; in a study of documents the ranker.

        Raises
        ------
        ParameterError
            A context is missing, or given to a learner that does not use contexts.
        """
        with self._live.lock:
            fold = self._live.current()
            require_context(fold.learner, context, features)
            judged = fold.k > 0 and not fold.in_contexts
            proven = verdict_of(fold, DELTA, 0.0).winner if judged else None
            return fold.choices.show(fold.best(fold.menu(context, features))) if proven is None else proven

    def verdict(self, delta: float = DELTA, within: float = 0.0) -> Verdict:
        """Return what the votes have proven: a winner, that there is none, or nothing yet.

        The verdict is anytime-valid: you can check it after every vote. It can change back when votes are
        retracted or arms are added.

        Parameters
        ----------
        delta : float, default 0.05
            The error probability.
        within : float, default 0.0
            A difference that does not matter: the winner may lose to others by that much.

        Returns
        -------
        Verdict
            The finding, and the evidence for it.

        Raises
        ------
        ParameterError
            The study has no arms or has contexts: verdicts are not defined.

        Examples
        --------
        >>> from duelist import RUCB, Duel, Study
        >>> study = Study(RUCB(), arms=["a", "b", "c"])
        >>> study.verdict().finding
        'undecided'
        """
        with self._live.lock:
            return verdict_of(self._live.current(), delta, within)

    def done(self, delta: float = DELTA, within: float = 0.0) -> bool:
        """Return whether there are enough votes: a winner is proven, or that there is none.

        Parameters
        ----------
        delta, within : float
            As in `verdict`.

        Returns
        -------
        bool
            Whether the verdict is decided.
        """
        return self.verdict(delta, within).finding != "undecided"

    def confidence(self, within: float = 0.0) -> float:
        """Return a conservative confidence that `verdict().leader` is the winner.

        Parameters
        ----------
        within : float, default 0.0
            As in `verdict`.

        Returns
        -------
        float
            A number in [0, 1].
        """
        return self.verdict(DELTA, within).confidence

    def votes_left(self, delta: float = DELTA, within: float = 0.0) -> tuple[float, float]:
        """Return a forecast of the number of votes left until the study is decided.

        The study is simulated many times from its current votes, with pairs chosen as they are when a verdict
        is near. The range leaves out a tenth of the simulations on each side.

        Parameters
        ----------
        delta, within : float
            As in `verdict`.

        Returns
        -------
        tuple of two floats
            The low and the high end; high is infinite where simulations did not end.
        """
        with self._live.lock:
            forecast = forecast_of(self._live.current(), delta, within)
        return forecast()  # others may ask and tell meanwhile

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all events to one file that you can carry away; the keys of tickets are not in it.

        Parameters
        ----------
        path : path
            The file to write; a file that exists is replaced, except for a database.

        Returns
        -------
        Path
            The path of the file.

        Raises
        ------
        FileError
            The file cannot be written.
        """
        return save_journal(self._journal, path)
