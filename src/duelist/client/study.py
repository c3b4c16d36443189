"""A study of a service, with the methods of `Study`: awaited, or not."""

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
from duelist.protocols import Learner
from duelist.stopping import Verdict
from duelist.study import Arm, ShownList
from duelist.study.asking import AskOptions
from duelist.study.choices import as_arm, as_items, most_votes, plain, require_named
from duelist.study.clicking import require_documents
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
    """A study of a service, with the methods of `Study`, awaited; `AsyncClient.study` returns it.

    What is a property there is a method here: `await study.answers()`. What can be refused without asking
    the service is refused here. Each docstring says what happens when the service did what it was asked, but
    its answer was lost on the way, so that the same call is sent again.
    """

    def __init__(self, name: str, connection: ServiceConnection) -> None:
        self._name, self._connection = name, connection

    def __repr__(self) -> str:
        """Return the study's name and where it is."""
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
        """Return the duel to show next, of two different choices and with a ticket; or n of them.

        Sent again, a voter gets the same duel; without one it may be another. Neither leaves a trace.

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
            What the two may be compared on; `duel.item` is one on which the voter has not seen the pair.
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
        """Learn from an answer: "left", "right" or "tie", or a number from 0 (right) to 1 (left wins).

        When this returns, the answer is on the service's disk. Sent again, it counts once.

        Parameters
        ----------
        duel : Duel or str
            What `ask` returned, or its ticket. A duel without a ticket was recorded elsewhere: it is imported
            as a vote, for which a key must be an admin's.
        outcome : str or float
            Who won.
        voter : str, optional
            Who answered a duel that was recorded elsewhere; tickets know their voters.
        """
        answer, name = as_outcome(outcome), as_voter(voter)
        if isinstance(duel, Duel) and duel.ticket is None:
            await self._tell_elsewhere(duel, answer, name)
            return
        if name is not None:
            raise OutcomeError("the ticket knows its voter; leave voter out.")
        await self._post("tell", Told(**sides_of(duel), outcome=answer), RecordedAnswer)

    async def _tell_elsewhere(self, duel: Duel, outcome: float, voter: str | None) -> None:
        if duel.context is not None or duel.propensity is not None:
            raise OutcomeError(
                "a service takes no context and no propensity of a duel that was recorded elsewhere; leave "
                "them out, or tell the duel as ask() returned it."
            )
        row = {"left": duel.left, "right": duel.right, "outcome": outcome, "voter": voter}
        # its id is made here, so that it is one vote however often it is sent
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
        most = most_votes(votes)
        judged = 0
        while judged < most and not await value_of(until() if callable(until) else self.done(until)):
            if voter is not None and await self.exhausted(voter, items):
                return
            duel = await self.ask(voter=voter, items=items)
            outcome = await value_of(judge(duel))
            await (self.skip(duel) if outcome is None else self.tell(duel, outcome))
            judged += 1

    async def skip(self, duel: Duel | str) -> None:
        """Record that a duel was seen and not answered: nothing is learned from it. Sent again: no harm."""
        await self._post("skip", TicketSent(**sides_of(duel)), RecordedAnswer)

    async def retract(self, duel: Duel | str) -> None:
        """Take back an answer, given by its duel, its ticket or the ticket's id in `votes()`.

        The record of it stays, and all is folded again without it. Sent again, it does no harm. To retract
        by an id, a key must be an admin's.
        """
        await self._post("retract", TicketSent(**sides_of(duel)), RecordedAnswer)

    async def interleave(
        self,
        duel: Duel | str,
        rankings: Mapping[str, Sequence[Document]] | None = None,
        length: int = 10,
        page: int = 1,
    ) -> ShownList:
        """Return one list of what the two arms of a duel have found, a page of it at a time.

        Sent again, it gives the same list.
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
        """Collect clicks on a list, which are settled later as one answer by the study's interleaving.

        When this returns, they are on the service's disk. Sent again, they count once.
        """
        documents = list(require_documents(clicked))
        for document in documents:
            if not isinstance(document, str | int | np.integer):
                raise OutcomeError(
                    f"{document!r} was clicked but not shown; clicked must be documents of the list."
                )
        body = ClicksSent(sealed_in(ticket), documents, bool(final))
        await self._post("clicks", body, RecordedAnswer)

    async def import_votes(self, votes: Iterable[Any]) -> int:
        """Record votes that were recorded elsewhere, and return how many were new: twice counts once.

        Sent again, votes that were recorded the first time are no longer new: the number may be too small,
        while the record is right.
        """
        rows = [dict(row) for row in as_rows(votes)]
        return (await self._post("votes", VotesSent(rows), ImportedAnswer)).new

    async def add_arm(self, arm: str | Arm) -> None:
        """Add an arm, or bring a retired one back with all its votes; what it shows now replaces the old.

        Sent again, it is refused by a `ParameterError`, because the arm is there: see `arms`.
        """
        await self._post("arms", ArmSent(*as_arm("arm", arm)), StudyAnswer)

    async def retire_arm(self, name: str) -> None:
        """Show an arm no more; its votes stay on record. Sent again, it does no harm."""
        await self._post("arms/retire", NameSent(name), StudyAnswer)

    async def change_learner(
        self, learner: Learner[Any], context: ArrayLike | None = None, features: ArrayLike | None = None
    ) -> None:
        """Let another learner go on, which learns from all that was answered before.

        Sent again, it begins anew with the same votes, and knows the same.
        """
        body = LearnerChange(as_sent(learner), plain(context), plain(features))
        await self._post("learner", body, StudyAnswer)

    async def close(self) -> None:
        """End the study, after clicks were settled: it can be read, but asks and records no more.

        Sent again, it does no harm.
        """
        await self._post("close", NothingSent(), StudyAnswer)

    async def learner(self) -> Learner[Any]:
        """Return the learner at work."""
        return read_learner((await self._summary()).learner)

    async def arms(self) -> tuple[str, ...]:
        """Return the names of the arms that may be shown; none for a study of parameters."""
        return choices_of(await self._summary()).shown

    async def arm(self, name: str) -> Arm:
        """Return an arm with what it shows, retired ones too."""
        return require_named(choices_of(await self._summary())).about(name)

    async def answers(self) -> int:
        """Return the number of answers that count."""
        return (await self._summary()).answers

    async def votes(self, all: bool = False) -> Votes:
        """Return a row for each vote that counts; with `all`, also for the others, marked by their status."""
        query = {"all": bool(all), "arms": True}
        return await self._connection.send("GET", f"{self._path}/votes", read_votes, query=query)

    async def best(self, context: ArrayLike | None = None, features: ArrayLike | None = None) -> Any:
        """Return the arm or setting believed to be the winner, in a context if the learner needs one.

        Once an arm is proven to be the winner, it is that one.
        """
        body = ContextSent(plain(context), plain(features))
        return (await self._post("best", body, BestAnswer)).best

    async def verdict(self, delta: float = DELTA, within: float = 0.0) -> Verdict:
        """Return what the votes have proven: a winner, that there is none, or nothing yet.

        Parameters
        ----------
        delta : float, default 0.05
            The share of studies in which a verdict may be wrong, however often one looks.
        within : float, default 0.0
            A difference that does not matter: the winner may lose to others by that much.
        """
        return await self._connection.get(f"{self._path}/verdict", Verdict, delta=delta, within=within)

    async def done(self, delta: float = DELTA, within: float = 0.0) -> bool:
        """Return whether there are enough votes: a winner is proven, or that there is none."""
        return (await self.verdict(delta, within)).finding != "undecided"

    async def confidence(self, within: float = 0.0) -> float:
        """Return how sure it is that `verdict().leader` is the winner: from 0 to 1, and never too sure."""
        return (await self.verdict(DELTA, within)).confidence

    async def votes_left(self, delta: float = DELTA, within: float = 0.0) -> tuple[float, float]:
        """Return about how many more votes it will take until it is done: a range, low and high.

        High is infinite where it came to no end.
        """
        path = f"{self._path}/votes-left"
        answer = await self._connection.get(path, VotesLeftAnswer, delta=delta, within=within)
        return range_of(answer)

    async def exhausted(self, voter: str, items: Sequence[str] | None = None) -> bool:
        """Return whether a voter has seen every pair of arms, on every item: `ask` would repeat one."""
        named = None if items is None else list(as_items(items) or ())
        body = VoterSent(str(as_voter(voter)), named)
        return (await self._post("exhausted", body, ExhaustedAnswer)).exhausted


class RemoteStudy(Waiting[AsyncStudy]):
    """A study of a service, with the methods, results and errors of `Study`; `Client.study` returns it.

    It holds nothing but its name: two of them are the same study, in any thread or process.
    """

    def __repr__(self) -> str:
        """Return the study's name and where it is."""
        return repr(self._awaited)

    @overload
    def ask(self, **given: Unpack[AskOptions]) -> Duel: ...
    @overload
    def ask(self, *, n: int, **given: Unpack[AskOptions]) -> list[Duel]: ...
    @wraps(AsyncStudy.ask)
    def ask(self, **given: Any) -> Duel | list[Duel]:
        """Return the duel to show next, or n of them."""
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
    def learner(self) -> Learner[Any]:
        """The learner at work."""
        return finished(self._awaited.learner())

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms that may be shown; none for a study of parameters."""
        return finished(self._awaited.arms())

    @property
    def answers(self) -> int:
        """The number of answers that count."""
        return finished(self._awaited.answers())


async def value_of(found: T | Awaitable[T]) -> T:
    """Return a value, awaited if it must be."""
    return await found if isawaitable(found) else found


def as_sent(learner: Learner[Any]) -> dict[str, Any]:
    """Return a learner as a service takes it: its name, and its hyperparameters beside it."""
    record = write_learner(learner)
    return {"name": record["name"], **record["parameters"]}


def sides_of(duel: object) -> dict[str, Any]:
    """Return the ticket of a duel, and its sides if they are known, which the service compares."""
    sealed = sealed_in(duel)
    return (
        {"ticket": sealed, "left": duel.left, "right": duel.right}
        if isinstance(duel, Duel)
        else {"ticket": sealed}
    )
