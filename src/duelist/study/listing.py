"""Lists in a study: what two rankers find is shown as one list, and clicks on it are a vote."""

from collections.abc import Iterable, Mapping, Sequence
from time import time

from duelist.duel import Duel
from duelist.study.clicking import Collector
from duelist.study.drafting import Document, Interleaver, ShownList
from duelist.study.reading import Reading
from duelist.study.telling import Teller


class Listing(Reading):
    """The part of a study that is about lists."""

    teller: Teller
    interleaver: Interleaver
    collector: Collector

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
        ticket = self.interleaver.ticket(duel)
        shown = self.interleaver.interleave(ticket, rankings, length, page)
        self._settle(time(), ticket.voter, besides=ticket.id)
        return shown

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
        event = self.collector.event(ticket, clicked, final)
        if event is not None:
            self.teller.record(event)
            self.collector.confirm(event)

    def _settle(self, now: float, voter: str | None = None, besides: str | None = None) -> None:
        """Record the answers of clicks that are due; those that another process recorded are there."""
        for event in self.collector.due(now, voter, besides):
            self.teller.record(event)
