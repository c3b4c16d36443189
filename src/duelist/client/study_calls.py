"""The calls of a study: every method of `Study` as what is sent for it."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from time import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from duelist.client.answers import (
    read_duel,
    read_duels,
    read_imported,
    read_list,
    read_recorded,
    read_study,
)
from duelist.client.call import Call, confirm, post
from duelist.client.reading_calls import ReadingCalls
from duelist.duel import Duel
from duelist.errors import OutcomeError, require_whole
from duelist.protocols import Learner
from duelist.study import Arm, ShownList
from duelist.study.choices import as_arm, as_items, plain
from duelist.study.clicking import require_documents
from duelist.study.drafting import Document, as_ranking
from duelist.study.player import write_learner
from duelist.study.tickets import sealed_in
from duelist.study.votes import as_outcome, as_rows, as_voter


class StudyCalls(ReadingCalls):
    """Makes the calls of one study; what can be refused without asking the service is refused here.

    Each docstring says what happens when the service did what it was asked, but its answer was lost on the
    way, so that the same call is sent again.

    Examples
    --------
    >>> call = StudyCalls("home").skip("q1Zb")
    >>> call.method, call.path, call.body
    ('POST', '/api/studies/home/skip', b'{"ticket":"q1Zb"}')
    """

    def ask(
        self,
        *,
        voter: str | None = None,
        n: int | None = None,
        context: ArrayLike | None = None,
        features: ArrayLike | None = None,
        items: Sequence[str] | None = None,
    ) -> Call[Duel | list[Duel]]:
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
        path = f"{self._path}/ask"
        fields: dict[str, Any] = {"context": plain(context), "features": plain(features)}
        fields |= {"voter": as_voter(voter), "items": as_items(items)}
        known = None if context is None else np.asarray(fields["context"])
        if n is None:
            return post(path, read_duel, **fields).then(lambda answer: answer.duel(known))
        require_whole("n", n, 1)
        return post(path, read_duels, n=n, **fields).then(lambda duels: [one.duel(known) for one in duels])

    def tell(self, duel: Duel | str, outcome: str | float, *, voter: str | None = None) -> Call[None]:
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
            return self._tell_elsewhere(duel, answer, name)
        if name is not None:
            raise OutcomeError("the ticket knows its voter; leave voter out.")
        return confirm(f"{self._path}/tell", read_recorded, **sides_of(duel), outcome=answer)

    def _tell_elsewhere(self, duel: Duel, outcome: float, voter: str | None) -> Call[None]:
        if duel.context is not None or duel.propensity is not None:
            raise OutcomeError(
                "a service takes no context and no propensity of a duel that was recorded elsewhere; leave "
                "them out, or tell the duel as ask() returned it."
            )
        row = {"left": duel.left, "right": duel.right, "outcome": outcome, "voter": voter}
        # its id is made here, so that it is one vote however often it is sent
        vote = {**row, "time": round(time(), 3), "ticket": secrets.token_hex(16)}
        return confirm(f"{self._path}/votes", read_imported, votes=[vote])

    def skip(self, duel: Duel | str) -> Call[None]:
        """Record that a duel was seen and not answered: nothing is learned from it. Sent again: no harm."""
        return confirm(f"{self._path}/skip", read_recorded, **sides_of(duel))

    def retract(self, duel: Duel | str) -> Call[None]:
        """Take back an answer, given by its duel, its ticket or the ticket's id in `votes()`.

        The record of it stays, and all is folded again without it. Sent again, it does no harm. To retract
        by an id, a key must be an admin's.
        """
        return confirm(f"{self._path}/retract", read_recorded, **sides_of(duel))

    def interleave(
        self,
        duel: Duel | str,
        rankings: Mapping[str, Sequence[Document]] | None = None,
        length: int = 10,
        page: int = 1,
    ) -> Call[ShownList]:
        """Return one list of what the two arms of a duel have found, a page of it at a time.

        Sent again, it gives the same list.
        """
        require_whole("length", length, 1)
        require_whole("page", page, 1)
        given: Any = rankings
        if isinstance(rankings, Mapping):
            given = {arm: as_ranking(arm, ranking) for arm, ranking in rankings.items()}
        fields = {**sides_of(duel), "rankings": given, "length": length, "page": page}
        return post(f"{self._path}/interleave", read_list, **fields).then(lambda answer: answer.shown())

    def clicks(self, ticket: str, clicked: Iterable[Document], final: bool = False) -> Call[None]:
        """Collect clicks on a list, which are settled later as one answer by the study's interleaving.

        When this returns, they are on the service's disk. Sent again, they count once.
        """
        documents = list(require_documents(clicked))
        for document in documents:
            if not isinstance(document, str | int | np.integer):
                raise OutcomeError(
                    f"{document!r} was clicked but not shown; clicked must be documents of the list."
                )
        fields = {"ticket": sealed_in(ticket), "clicked": documents, "final": bool(final)}
        return confirm(f"{self._path}/clicks", read_recorded, **fields)

    def import_votes(self, votes: Iterable[Any]) -> Call[int]:
        """Record votes that were recorded elsewhere, and return how many were new: twice counts once.

        Sent again, votes that were recorded the first time are no longer new: the number may be too small,
        while the record is right.
        """
        rows = [dict(row) for row in as_rows(votes)]
        return post(f"{self._path}/votes", read_imported, votes=rows)

    def add_arm(self, arm: str | Arm) -> Call[None]:
        """Add an arm, or bring a retired one back with all its votes; what it shows now replaces the old.

        Sent again, it is refused by a `ParameterError`, because the arm is there: see `arms`.
        """
        return confirm(f"{self._path}/arms", read_study, **as_arm("arm", arm)._asdict())

    def retire_arm(self, name: str) -> Call[None]:
        """Show an arm no more; its votes stay on record. Sent again, it does no harm."""
        return confirm(f"{self._path}/arms/retire", read_study, name=name)

    def change_learner(
        self, learner: Learner[Any], context: ArrayLike | None = None, features: ArrayLike | None = None
    ) -> Call[None]:
        """Let another learner go on, which learns from all that was answered before.

        Sent again, it begins anew with the same votes, and knows the same.
        """
        fields = {"context": plain(context), "features": plain(features)}
        return confirm(f"{self._path}/learner", read_study, learner=as_sent(learner), **fields)

    def close(self) -> Call[None]:
        """End the study, after clicks were settled: it can be read, but asks and records no more.

        Sent again, it does no harm.
        """
        return confirm(f"{self._path}/close", read_study)


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
