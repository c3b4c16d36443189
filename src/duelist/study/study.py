"""A study: a learner at work for people and services, whose journal loses nothing."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from numpy.typing import ArrayLike

from duelist.defaults import ANSWER_TIMEOUT, DELTA, INTERLEAVING
from duelist.duel import Duel
from duelist.errors import ParameterError, require_positive, require_whole
from duelist.interleaving.analysis import AnytimeReport, PreferenceReport
from duelist.journal import Journal
from duelist.learners.armed.auto import Auto
from duelist.protocols import Learner
from duelist.stopping import Verdict
from duelist.study.asking import AskOptions, has_seen_all
from duelist.study.choices import (
    Arm,
    as_choices,
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
from duelist.study.storage import as_journal, create_in, load_journal, save_journal
from duelist.study.votes import as_outcome, as_voter
from duelist.votes.table import Votes

if TYPE_CHECKING:
    from pandas import DataFrame


class Study:
    """A learner at work: ask for a duel, show it, tell the outcome. Nothing that was told is lost.

    What a study knows is the fold of its journal: every process that opens the journal knows the same.
    Answers may come late, in any order, from many threads and processes, or twice: each duel has a ticket
    that carries it, a repeated answer changes nothing, and one that contradicts the first is refused.

    Parameters
    ----------
    learner : Learner, optional
        For example `RUCB()`; by default `Auto()` for arms. Parameters need one.
    arms : sequence of str or Arm, optional
        At least two, with names that all differ; an `Arm` has a text, a link or an image to show.
    seed : int, default 0
        Equal seeds and equal answers give equal duels.
    journal : path or Journal, optional
        Where all that happens is kept: a file such as "votes.db", which is made or gone on with, an address
        of PostgreSQL, or a journal of another kind. By default memory, which ends with the process.
    parameters : mapping, optional
        Instead of arms: numbers to be set, by name, each a `Parameter` with its range.
    context, features : array, optional
        For a learner that looks at contexts and does not know how long they are: an example, such as zeros.
    answer_timeout : float, default 3600.0
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
        choices = as_choices(arms, parameters)
        if learner is None and parameters is not None:
            raise ParameterError(
                "a study of parameters needs a learner: PreferentialOptimization(), for example."
            )
        learner = Auto() if learner is None else learner
        require_learner(learner, "arms" if parameters is None else "parameters")
        kept = as_journal(journal)
        create_in(
            kept,
            learner,
            seed=int(seed),
            choices=choices.as_json(),
            example=example_of(learner, context, features),
            answer_timeout=float(answer_timeout),
            interleaving=interleaving,
        )
        self._begin(kept, [learner], worker)

    def _begin(self, journal: Journal, learners: list[Learner[Any]], worker: int) -> None:
        require_whole("worker", worker, 0)
        self._journal = journal
        self._steps = StudySteps(journal, learners, worker)
        self._live = self._steps.live

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
        many = 1 if n is None else int(n)
        steps = self._steps.ask(as_voter(voter), many, context, features, as_items(items))
        asked = run(steps, self._journal.append)
        return asked[0] if n is None else asked

    def exhausted(self, voter: str, items: Sequence[str] | None = None) -> bool:
        """Return whether a voter has seen every pair of arms, on every item: `ask` would repeat one."""
        name, among = as_name("voter", voter), as_items(items)
        with self._live.lock:
            return has_seen_all(self._live.current(), name, among)

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
        most = most_votes(votes)
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
        """Record that a duel was seen and not answered: nothing is learned from it."""
        run(self._steps.skip(duel), self._journal.append)

    def retract(self, duel: Duel | str) -> None:
        """Take back an answer, given by its duel, its ticket or the ticket's id in `votes()`.

        The record of it stays, and all is folded again without it. To take it back twice does no harm.
        """
        run(self._steps.retract(duel), self._journal.append)

    def import_votes(self, votes: Iterable[Any]) -> int:
        """Record votes that were recorded elsewhere, and return how many were new: twice counts once.

        Parameters
        ----------
        votes : iterable of mappings or of Vote
            Each with left, right and outcome, and perhaps voter, time and ticket, as `votes()` returns them.
            A vote without a ticket gets an id of its own content.
        """
        return run(self._steps.import_votes(votes), self._journal.append)

    def import_clicks(
        self,
        shown: str | os.PathLike[str],
        clicks: str | os.PathLike[str],
        sides: tuple[str, str] | None = None,
    ) -> int:
        """Record clicks on lists that `duelist interleave` drew, an answer for each list with clicks.

        They are credited by the method that drew the list. An impression is recorded once, however often its
        file is imported; the number of new ones is returned.

        Parameters
        ----------
        shown : path
            The lists, as `duelist interleave --save` writes them.
        clicks : path
            The clicks on them, as `duelist interleave --clicks` reads them.
        sides : pair of str, optional
            The arms of the left and the right rankings; by default, those called like the files of rankings,
            without their endings.
        """
        return run(self._steps.import_clicks(Path(shown), Path(clicks), sides), self._journal.append)

    def preference(
        self, left: str | None = None, right: str | None = None, *, once: bool = False
    ) -> AnytimeReport | PreferenceReport | None:
        """Return which of two arms the clicks on their lists prefer, as `duelist interleave` reports.

        Every voter counts once, and every list; lists without clicks do not. It is None without clicks on two
        lists.

        Parameters
        ----------
        left, right : str, optional
            The arms; not needed in a study of two.
        once : bool, default False
            Test at a number of lists fixed in advance, which needs fewer of them, rather than at any time.

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
        """Return one list of what the two arms of a duel have found, a page of it at a time.

        The same call gives the same list again. Of the voter's other lists, clicks are settled.

        Parameters
        ----------
        duel : Duel or str
            What `ask` returned, or its ticket; for further pages the ticket of the list so far.
        rankings : mapping, optional
            For each arm of the duel its documents, best first: texts or whole numbers. They may differ in
            length and share documents. The ticket of a list has them already.
        length : int, default 10
            The number of documents on a page.
        page : int, default 1
            Which page; beyond the end there are no documents.

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

    def clicks(self, ticket: str, clicked: Iterable[Document], final: bool = False) -> None:
        """Collect clicks on a list, which are settled later as one answer by the study's interleaving.

        When this returns, they are in the journal. To tell them again does no harm. They are settled when
        the voter asks again or is shown another list, and ten minutes after the first click at the latest.

        Parameters
        ----------
        ticket : str
            What `interleave` returned.
        clicked : iterable
            Documents of the list, in any order; those clicked before need not be named again.
        final : bool, default False
            Whether there will be no more: then clicks are settled at once. A list without any counts as
            skipped.

        Raises
        ------
        OutcomeError
            A document was not shown. Nothing was written.
        ConflictError
            The list was settled without these clicks, or its duel was answered otherwise.
        TicketError
            The ticket is not one of a list of this study.

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
        """Add an arm, or bring a retired one back with all its votes; what it shows now replaces the old."""
        run(self._steps.add_arm(arm), self._journal.append)

    def retire_arm(self, name: str) -> None:
        """Show an arm no more; its votes stay on record."""
        run(self._steps.retire_arm(name), self._journal.append)

    def change_learner(
        self, learner: Learner[Any], context: ArrayLike | None = None, features: ArrayLike | None = None
    ) -> None:
        """Let another learner go on, which learns from all that was answered before."""
        run(self._steps.change_learner(learner, context, features), self._journal.append)

    def close(self) -> None:
        """End the study, after clicks were settled: it can be read, but asks and records no more."""
        run(self._steps.close(), self._journal.append)

    @property
    def steps(self) -> StudySteps:
        """What the methods that write do, as steps, for a program that commits events in a way of its own."""
        return self._steps

    def state(self) -> StudyState:
        """Return what the study knows by now: its arms and settings, and how far it is.

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
    def learner(self) -> Learner[Any]:
        """The learner at work."""
        return self._live.now().learner

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms that may be shown; none for a study of parameters."""
        return self._live.now().choices.shown

    def arm(self, name: str) -> Arm:
        """Return an arm with what it shows, retired ones too."""
        return require_named(self._live.now().choices).about(name)

    @property
    def answers(self) -> int:
        """The number of answers that count."""
        return self._live.now().tally.answers

    def votes(self, all: bool = False) -> Votes:
        """Return a row for each vote that counts; with `all`, also for the others, marked by their status."""
        return self.state().votes(all)

    def to_frame(self, all: bool = False) -> "DataFrame":
        """Return the votes as a pandas data frame, as `votes().to_frame()` does."""
        return self.votes(all).to_frame()

    def best(self, context: ArrayLike | None = None, features: ArrayLike | None = None) -> Any:
        """Return the arm or setting believed to be best: what to show where only one is shown.

        Once an arm is proven to be the winner, it is that arm.

        Parameters
        ----------
        context, features : array, optional
            The context to choose for, if the learner needs one.
        """
        with self._live.lock:
            fold = self._live.current()
            require_context(fold.learner, context, features)
            judged = fold.k > 0 and not fold.in_contexts
            proven = verdict_of(fold, DELTA, 0.0).winner if judged else None
            return fold.choices.show(fold.best(fold.menu(context, features))) if proven is None else proven

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
        with self._live.lock:
            return verdict_of(self._live.current(), delta, within)

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
        with self._live.lock:
            forecast = forecast_of(self._live.current(), delta, within)
        return forecast()  # others may ask and tell meanwhile

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all that happened to one file to carry away; the key of tickets is not in it."""
        return save_journal(self._journal, path)
