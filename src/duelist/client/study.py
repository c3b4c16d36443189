"""Studies of a service, with the methods of `Study`: asynchronous and blocking."""

import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import isawaitable
from time import time
from typing import Any, TypeAlias, TypeVar, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from duelist.client.answers import choices_of, duel_of, range_of, read_votes
from duelist.client.connection import ServiceConnection, Waiting, finished, waited
from duelist.defaults import DELTA
from duelist.duel import Duel
from duelist.errors import OutcomeError, require_whole
from duelist.protocols import AnyLearner
from duelist.stopping import Verdict
from duelist.study import Arm, ShownList
from duelist.study.asking import AskOptions
from duelist.study.choices import as_arm, as_items, most_votes, plain, require_named
from duelist.study.clicking import require_documents, require_final
from duelist.study.drafting import Document, as_ranking
from duelist.study.player import read_learner, write_learner
from duelist.study.tickets import sealed_in
from duelist.study.votes import as_outcome, as_rows, as_voter
from duelist.votes import Votes
from duelist.wire import (
    ArmSent,
    Asked,
    BestAnswer,
    ClicksSent,
    ContextSent,
    DuelAnswer,
    DuelsAnswer,
    ExhaustedAnswer,
    ImportedAnswer,
    InterleaveSent,
    LearnerChange,
    ListAnswer,
    NameSent,
    NothingSent,
    RecordedAnswer,
    Sent,
    StudyAnswer,
    TicketSent,
    Told,
    VoterSent,
    VotesLeftAnswer,
    VotesSent,
)

T = TypeVar("T")
Outcome: TypeAlias = str | float | None


class AsyncStudy:
    """A study of a service, with the methods of `Study` as coroutines; `AsyncClient.study` returns it.

    Properties of `Study` are methods here: `await study.answers()`. Invalid arguments are rejected locally
    where possible. Docstrings also say what a retry does after the service has done its work and the answer
    was lost.

    Parameters
    ----------
    name : str
        The study's name.
    connection : ServiceConnection
        The connection of a client.

    Examples
    --------
    >>> from duelist.client import AsyncClient
    >>> AsyncClient("http://127.0.0.1:8321").study("home")
    <study 'home' of http://127.0.0.1:8321>
    """

    def __init__(self, name: str, connection: ServiceConnection) -> None:
        self._name, self._connection = name, connection

    def __repr__(self) -> str:
        return f"<study {self._name!r} of {self._connection.retrying.url}>"

    @property
    def _path(self) -> str:
        return f"/api/studies/{self._name}"

    async def _post(self, last: str, body: Sent, kind: type[T]) -> T:
        return await self._connection.post(f"{self._path}/{last}", body, kind)

    async def _summary(self) -> StudyAnswer:
        return await self._connection.get(self._path, StudyAnswer)

    @overload
    async def ask(self, **given: Unpack[AskOptions]) -> Duel: ...
    @overload
    async def ask(self, *, n: int, **given: Unpack[AskOptions]) -> list[Duel]: ...
    async def ask(
        self,
        *,
        voter: str | None = None,
        n: int | None = None,
        context: ArrayLike | None = None,
        features: ArrayLike | None = None,
        items: Sequence[str] | None = None,
    ) -> Duel | list[Duel]:
        """Return the next duel to show, or a list of n duels; nothing is recorded.

        A retry returns the same duel to a named voter, and perhaps another one without a name.

        Parameters
        ----------
        voter : str, optional
            Name of the voter. Voters get the same duel until they answer it, and no pair twice while there
            are others.
        n : int, optional
            Number of duels to return in a list, as different as the learner allows.
        context : array, optional
            The context of the duel, for a contextual learner.
        features : array of shape (arms, f), optional
            The features of each arm in this context, for a learner that uses them.
        items : sequence of str, optional
            Items on which the two sides can be compared; `duel.item` is one on which the voter has not seen
            the pair.

        Returns
        -------
        Duel or list of Duel
            Two different choices, with a ticket.
        """
        asked = Asked(
            voter=as_voter(voter),
            n=n,
            context=plain(context),
            features=plain(features),
            items=None if items is None else list(as_items(items) or ()),
        )
        known = None if context is None else np.asarray(asked.context)
        if n is None:
            return duel_of(await self._post("ask", asked, DuelAnswer), known)
        require_whole("n", n, 1)
        answer = await self._post("ask", asked, DuelsAnswer)
        return [duel_of(one, known) for one in answer.duels]

    async def tell(self, duel: Duel | str, outcome: str | float, *, voter: str | None = None) -> None:
        """Record the answer to a duel; when this returns, it is on the service's disk.

        Idempotent: a retry does not count twice.

        Parameters
        ----------
        duel : Duel or str
            What `ask` returned, or its ticket. A duel without a ticket was recorded elsewhere: it is imported
            as a vote, which requires an admin key.
        outcome : str or float
            "left", "right" or "tie", or a number from 0 (right wins) to 1 (left wins).
        voter : str, optional
            Voter of a duel that was recorded elsewhere; a ticket already names its voter.
        """
        answer, name = as_outcome(outcome), as_voter(voter)
        if isinstance(duel, Duel) and duel.ticket is None:
            await self._tell_elsewhere(duel, answer, name)
            return
        if name is not None:
            raise OutcomeError("the ticket already names its voter; omit voter.")
        await self._post("tell", Told(**sides_of(duel), outcome=answer), RecordedAnswer)

    async def _tell_elsewhere(self, duel: Duel, outcome: float, voter: str | None) -> None:
        if duel.context is not None or duel.propensity is not None:
            raise OutcomeError(
                "a duel recorded elsewhere cannot have a context or a propensity on a service; omit them, or "
                "tell the duel as ask() returned it."
            )
        row = {"left": duel.left, "right": duel.right, "outcome": outcome, "voter": voter}
        # the id is made here: retries of the call then count as one vote
        vote = {**row, "time": round(time(), 3), "ticket": secrets.token_hex(16)}
        await self._post("votes", VotesSent([vote]), ImportedAnswer)

    async def run(
        self,
        judge: Callable[[Duel], Outcome | Awaitable[Outcome]],
        until: float | Callable[[], bool | Awaitable[bool]] = DELTA,
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
        """
        most = most_votes(judge, until, votes)
        judged = 0
        while judged < most and not await value_of(until() if callable(until) else self.done(until)):
            if voter is not None and await self.exhausted(voter, items):
                return
            duel = await self.ask(voter=voter, items=items)
            outcome = await value_of(judge(duel))
            await (self.skip(duel) if outcome is None else self.tell(duel, outcome))
            judged += 1

    async def skip(self, duel: Duel | str) -> None:
        """Record that a duel was shown but not answered; nothing is learned from it.

        Idempotent.

        Parameters
        ----------
        duel : Duel or str
            What `ask` returned, or its ticket.
        """
        await self._post("skip", TicketSent(**sides_of(duel)), RecordedAnswer)

    async def retract(self, duel: Duel | str) -> None:
        """Withdraw an answer: it stays on record, and the study is recomputed without it.

        Idempotent.

        Parameters
        ----------
        duel : Duel or str
            The duel, its ticket, or the ticket's id in `votes()`; an id requires an admin key.
        """
        await self._post("retract", TicketSent(**sides_of(duel)), RecordedAnswer)

    async def interleave(
        self,
        duel: Duel | str,
        rankings: Mapping[str, Sequence[Document]] | None = None,
        length: int = 10,
        page: int = 1,
    ) -> ShownList:
        """Interleave the rankings of the two arms of a duel, and return one page of the list.

        Idempotent: a retry returns the same page.

        Parameters
        ----------
        duel : Duel or str
            What `ask` returned, its ticket, or the ticket of a list, for its next pages.
        rankings : mapping, optional
            For each of the two arms, its documents, the best first. Omit it with the ticket of a list.
        length : int, default 10
            Number of documents on a page.
        page : int, default 1
            Page number, from 1.

        Returns
        -------
        ShownList
            The documents of the page, and the ticket to report clicks with.
        """
        require_whole("length", length, 1)
        require_whole("page", page, 1)
        given: Any = rankings
        if isinstance(rankings, Mapping):
            given = {arm: as_ranking(arm, ranking) for arm, ranking in rankings.items()}
        body = InterleaveSent(**sides_of(duel), rankings=given, length=length, page=page)
        answer = await self._post("interleave", body, ListAnswer)
        return ShownList(tuple(answer.documents), answer.ticket)

    async def clicks(self, ticket: str, clicked: Iterable[Document], final: bool = False) -> None:
        """Record clicks on a list, which are credited later as one answer.

        When this returns, they are on the service's disk. Idempotent: a retry does not count twice.

        Parameters
        ----------
        ticket : str
            The ticket that `interleave` returned.
        clicked : iterable of str or int
            Documents of the list, in any order.
        final : bool, default False
            Whether no more clicks will come, which credits them at once.
        """
        require_final(final)
        documents = list(require_documents(clicked))
        for document in documents:
            if not isinstance(document, str | int | np.integer):
                raise OutcomeError(
                    f"clicked has {document!r}, which was not shown; give only documents on the list."
                )
        body = ClicksSent(sealed_in(ticket), documents, bool(final))
        await self._post("clicks", body, RecordedAnswer)

    async def import_votes(self, votes: Iterable[Any]) -> int:
        """Import votes that were recorded elsewhere.

        Votes that are already on record are not counted again. After a retry, the number may therefore be too
        small; the record is right.

        Parameters
        ----------
        votes : iterable of Vote or mapping
            Each with left, right and outcome, and optionally voter, item, time and ticket.

        Returns
        -------
        int
            Number of new votes.
        """
        rows = [dict(row) for row in as_rows(votes)]
        return (await self._post("votes", VotesSent(rows), ImportedAnswer)).new

    async def add_arm(self, arm: str | Arm) -> None:
        """Add an arm, or bring back a retired one with all its votes and new contents to show.

        Not idempotent: a retry after a lost answer raises ParameterError, because the arm is there; see
        `arms`.

        Parameters
        ----------
        arm : str or Arm
            The arm's name, or the arm with a text, a link or an image to show.
        """
        await self._post("arms", ArmSent(*as_arm("arm", arm)), StudyAnswer)

    async def retire_arm(self, name: str) -> None:
        """Stop showing an arm; its votes stay on record.

        Idempotent.

        Parameters
        ----------
        name : str
            The arm's name.
        """
        await self._post("arms/retire", NameSent(name), StudyAnswer)

    async def change_learner(
        self, learner: AnyLearner, context: ArrayLike | None = None, features: ArrayLike | None = None
    ) -> None:
        """Replace the learner; the new one learns from all earlier answers.

        A retry starts the new learner again with the same answers.

        Parameters
        ----------
        learner : Learner
            The new learner.
        context, features : array, optional
            An example of each, for a contextual learner, as for `Study`.
        """
        body = LearnerChange(as_sent(learner), plain(context), plain(features))
        await self._post("learner", body, StudyAnswer)

    async def close(self) -> None:
        """Close the study after crediting all clicks: it can still be read, but accepts nothing more.

        Idempotent.
        """
        await self._post("close", NothingSent(), StudyAnswer)

    async def learner(self) -> AnyLearner:
        """Return the current learner.

        Returns
        -------
        Learner
            The learner with its hyperparameters.
        """
        return read_learner((await self._summary()).learner)

    async def arms(self) -> tuple[str, ...]:
        """Return the names of the active arms.

        Returns
        -------
        tuple of str
            The names, without retired arms; empty for a study of parameters.
        """
        return choices_of(await self._summary()).shown

    async def arm(self, name: str) -> Arm:
        """Return an arm with what it shows; retired arms too.

        Parameters
        ----------
        name : str
            The arm's name.

        Returns
        -------
        Arm
            Its name, text, link and image.
        """
        return require_named(choices_of(await self._summary())).about(name)

    async def answers(self) -> int:
        """Return the number of answers that count.

        Returns
        -------
        int
            The number, without skipped and retracted answers.
        """
        return (await self._summary()).answers

    async def votes(self, all: bool = False) -> Votes:
        """Return the votes as a table.

        Parameters
        ----------
        all : bool, default False
            Whether to include votes that do not count, such as retracted and skipped ones; `status` tells
            them apart.

        Returns
        -------
        Votes
            One row per vote.
        """
        query = {"all": bool(all), "arms": True}
        return await self._connection.send("GET", f"{self._path}/votes", read_votes, query=query)

    async def best(self, context: ArrayLike | None = None, features: ArrayLike | None = None) -> Any:
        """Return the arm or setting believed to be the best.

        Once an arm is proven to be the winner, it is returned.

        Parameters
        ----------
        context, features : array, optional
            The context, and the features of each arm in it, for a contextual learner.

        Returns
        -------
        str or dict
            The name of an arm, or a value for each parameter.
        """
        body = ContextSent(plain(context), plain(features))
        return (await self._post("best", body, BestAnswer)).best

    async def verdict(self, delta: float = DELTA, within: float = 0.0) -> Verdict:
        """Return what the votes have proven: a winner, that there is no winner, or nothing yet.

        Parameters
        ----------
        delta : float, default 0.05
            Probability of a wrong verdict, however often you look.
        within : float, default 0.0
            Margin that does not matter: the winner may lose to others by that much.

        Returns
        -------
        Verdict
            The finding, the leader, and its confidence.
        """
        return await self._connection.get(f"{self._path}/verdict", Verdict, delta=delta, within=within)

    async def done(self, delta: float = DELTA, within: float = 0.0) -> bool:
        """Return whether there are enough votes: a winner is proven, or that there is none.

        Parameters
        ----------
        delta, within : float
            As for `verdict`.

        Returns
        -------
        bool
            Whether the verdict is decided.
        """
        return (await self.verdict(delta, within)).finding != "undecided"

    async def confidence(self, within: float = 0.0) -> float:
        """Return a conservative confidence that `verdict().leader` is the winner.

        Parameters
        ----------
        within : float, default 0.0
            As for `verdict`.

        Returns
        -------
        float
            A number in [0, 1].
        """
        return (await self.verdict(DELTA, within)).confidence

    async def votes_left(self, delta: float = DELTA, within: float = 0.0) -> tuple[float, float]:
        """Estimate how many more votes are needed until `done` returns True.

        Parameters
        ----------
        delta, within : float
            As for `verdict`.

        Returns
        -------
        tuple of float
            A low and a high estimate; infinite where the simulation did not end.
        """
        path = f"{self._path}/votes-left"
        answer = await self._connection.get(path, VotesLeftAnswer, delta=delta, within=within)
        return range_of(answer)

    async def exhausted(self, voter: str, items: Sequence[str] | None = None) -> bool:
        """Return whether a voter has seen every pair of arms, on every item: `ask` would repeat one.

        Parameters
        ----------
        voter : str
            Name of the voter.
        items : sequence of str, optional
            The items, as for `ask`.

        Returns
        -------
        bool
            Whether there is nothing new to ask.
        """
        named = None if items is None else list(as_items(items) or ())
        body = VoterSent(str(as_voter(voter)), named)
        return (await self._post("exhausted", body, ExhaustedAnswer)).exhausted


class RemoteStudy(Waiting[AsyncStudy]):
    """A study of a service, with the methods, results and errors of `Study`; `Client.study` returns it.

    It holds only the study's name: any number of them, in any thread or process, stand for the same study.

    Parameters
    ----------
    awaited : AsyncStudy
        The asynchronous study, on a connection that blocks.

    Examples
    --------
    >>> from duelist.client import Client
    >>> with Client("http://127.0.0.1:8321") as client:
    ...     client.study("home")
    <study 'home' of http://127.0.0.1:8321>
    """

    def __repr__(self) -> str:
        return repr(self._awaited)

    @overload
    def ask(self, **given: Unpack[AskOptions]) -> Duel: ...
    @overload
    def ask(self, *, n: int, **given: Unpack[AskOptions]) -> list[Duel]: ...
    @wraps(AsyncStudy.ask)
    def ask(self, **given: Any) -> Duel | list[Duel]:
        answer: Duel | list[Duel] = finished(self._awaited.ask(**given))
        return answer

    run = waited(AsyncStudy.run)
    tell = waited(AsyncStudy.tell)
    skip = waited(AsyncStudy.skip)
    retract = waited(AsyncStudy.retract)
    interleave = waited(AsyncStudy.interleave)
    clicks = waited(AsyncStudy.clicks)
    import_votes = waited(AsyncStudy.import_votes)
    add_arm = waited(AsyncStudy.add_arm)
    retire_arm = waited(AsyncStudy.retire_arm)
    change_learner = waited(AsyncStudy.change_learner)
    close = waited(AsyncStudy.close)
    arm = waited(AsyncStudy.arm)
    votes = waited(AsyncStudy.votes)
    best = waited(AsyncStudy.best)
    exhausted = waited(AsyncStudy.exhausted)
    verdict = waited(AsyncStudy.verdict)
    done = waited(AsyncStudy.done)
    confidence = waited(AsyncStudy.confidence)
    votes_left = waited(AsyncStudy.votes_left)

    @property
    def learner(self) -> AnyLearner:
        """The current learner."""
        return finished(self._awaited.learner())

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the active arms; empty for a study of parameters."""
        return finished(self._awaited.arms())

    @property
    def answers(self) -> int:
        """The number of answers that count."""
        return finished(self._awaited.answers())


async def value_of(found: T | Awaitable[T]) -> T:
    """Return a value, awaited if it must be."""
    return await found if isawaitable(found) else found


def as_sent(learner: AnyLearner) -> dict[str, Any]:
    """Return a learner as the service expects it: its name, with the hyperparameters as further fields."""
    record = write_learner(learner)
    return {"name": record["name"], **record["parameters"]}


def sides_of(duel: object) -> dict[str, Any]:
    """Return a duel's ticket, and its sides if they are known, which the service checks."""
    sealed = sealed_in(duel)
    return (
        {"ticket": sealed, "left": duel.left, "right": duel.right}
        if isinstance(duel, Duel)
        else {"ticket": sealed}
    )
