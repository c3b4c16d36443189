"""Which duel to show: what the learner asks, of choices that differ, and not the same pair again."""

import os
from collections.abc import Sequence
from itertools import combinations
from time import time
from typing import Any, TypedDict

from msgspec.structs import replace
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import Duel, require_arm
from duelist.errors import ClosedError, DuelistError, OutcomeError, ParameterError, TicketError
from duelist.journal import Answered
from duelist.journal.codec import encode
from duelist.learners.armed.base import leader_and_rival
from duelist.menus import Arms
from duelist.study.choices import (
    ALONE,
    Items,
    Pair,
    as_pair,
    pair_of,
    plain,
    require_context,
    seen_pairs,
    unseen_items,
)
from duelist.study.documents import NO_DUELS, DocumentChoices
from duelist.study.fold import Fold
from duelist.study.live_fold import LiveFold
from duelist.study.open_duels import OpenDuel, OpenDuels
from duelist.study.parameters import Parameters
from duelist.study.tickets import KeyRing, Ticket, seal, ticket_of
from duelist.votes.counting import comparison_of

REDRAWS = 20
"""The largest number of extra asks for a duel of two different arms."""
FAR = 1_000_000
"""A pretended number of open duels, which keeps the learner away from a pair that the voter has seen."""


class AskOptions(TypedDict, total=False):
    """The options of `Study.ask`, whether it returns one duel or several."""

    voter: str | None
    context: ArrayLike | None
    features: ArrayLike | None
    items: Sequence[str] | None


class Asker:
    """Asks for duels and issues their tickets.

    Parameters
    ----------
    live : LiveFold
        The state of the study.
    open_duels : OpenDuels
        The duels that were asked and not yet answered.
    keys : KeyRing
        The keys that seal tickets.
    """

    def __init__(self, live: LiveFold, open_duels: OpenDuels, keys: KeyRing) -> None:
        self._live, self._open_duels, self._keys = live, open_duels, keys

    def ask(
        self,
        voter: str | None,
        n: int,
        context: Any = None,
        features: Any = None,
        items: Items | None = None,
        repeat: bool = True,
    ) -> list[Duel]:
        """Return n duels, starting with those that the voter has not answered yet.

        Without `repeat`, a voter who has seen every pair gets none.
        """
        if voter is None or n > 1 or context is not None:
            return self._ask_here(voter, n, context, features, items, repeat)
        return self._ask_one(voter, features, items, repeat)

    def _ask_here(
        self, voter: str | None, n: int, context: Any, features: Any, items: Items | None, repeat: bool
    ) -> list[Duel]:
        """Return n duels that no other process knows."""
        with self._live.lock:
            fold = self._live.current()
            if isinstance(fold.choices, DocumentChoices):
                raise ParameterError(NO_DUELS)
            if fold.closed:
                raise ClosedError(
                    "the study is closed, so ask() is no longer possible; read the results, or begin a new "
                    "study."
                )
            if not repeat and voter is not None and has_seen_all(fold, voter, items):
                return []
            if context is not None or features is not None or fold.in_contexts:
                require_context(fold.learner, context, features)
            now = time()
            self._open_duels.expire(now)
            opened = [] if voter is None else self._open_duels.of(voter, context, items)
            asked = [shown_again(one.duel) for one in opened]
            while len(asked) < n:
                asked.append(self._ask_new(fold, voter, context, features, items, now))
        return asked[:n]

    def _ask_one(self, voter: str, features: Any, items: Items | None, repeat: bool) -> list[Duel]:
        """Return the one duel that is open for a voter, whichever process asked it."""
        known = self._open_duels.elsewhere(voter, time())
        while True:
            duel = None if known is None else self._adopt(voter, known, items)
            duels = [duel] if duel is not None else self._ask_here(voter, 1, None, features, items, repeat)
            if not duels:
                return []
            asked = str(duels[0].ticket)
            if asked == known:
                return duels
            offered = self._open_duels.claim(voter, asked, time(), instead_of=known)
            if offered == asked:
                return duels
            with self._live.lock:
                # a duel that the voter has not seen is not open
                for one in self._open_duels.of(voter, None, items):
                    self._open_duels.close(voter, one.ticket)
            known = offered

    def _adopt(self, voter: str, sealed: str, items: Items | None) -> Duel | None:
        """Return a voter's open duel that another process asked; None if it is no longer open."""
        with self._live.lock:
            mine = self._open_duels.of(voter, None, items)
            if any(one.duel.ticket == sealed for one in mine):
                return shown_again(mine[0].duel)
            fold = self._live.current()
            try:
                ticket = ticket_of(sealed, self._live, self._keys)
            except TicketError:
                return None
            if not is_shown(fold, ticket):
                return None
            if ticket.item not in (ALONE if items is None else items) or self._live.has_answer(ticket.id):
                return None
            duel, opened = self._shown(fold, ticket, sealed)
            self._open_duels.open(voter, opened)
            return duel

    def ask_again(self, retracted: Ticket) -> None:
        """Show the duel of a retracted answer to its voter next, under a new ticket.

        Do nothing if one of its arms is retired, or if the voter was already shown it again.
        """
        voter = retracted.voter
        if voter is None:
            return
        with self._live.lock:
            fold = self._live.current()
            if not is_shown(fold, retracted):
                return
            if fold.k > 0:
                comparison = comparison_of(retracted.left, retracted.right, retracted.item)
                if comparison in self._open_duels.seen_by(voter) or comparison in fold.seen_by(voter):
                    return
            again = replace(retracted, id=os.urandom(16).hex(), time=time(), learner=fold.learner_number)
            duel, opened = self._shown(fold, again)
            self._open_duels.open(voter, opened, first=True)
        known = self._open_duels.elsewhere(voter, time())
        self._open_duels.claim(voter, str(duel.ticket), time(), instead_of=known)

    def _ask_new(
        self, fold: Fold, voter: str | None, context: Any, features: Any, items: Items | None, now: float
    ) -> Duel:
        rng = self._live.rng(voter)
        menu = fold.menu(context, features, self._open_duels.pairs)
        seen = fold.seen_by(voter)
        if voter is not None:
            seen = {**seen, **dict.fromkeys(self._open_duels.seen_by(voter), 1)}
        chosen = choose_duel(fold, menu, rng, seen_pairs(seen, items))
        left, right, propensity, _, note, known, asked_round, item = chosen
        flipped = bool(rng.random() < 0.5)
        if flipped:
            left, right = right, left
            propensity = None if propensity is None else (propensity[1], propensity[0])
        if items is not None:
            left_to_see = unseen_items(seen, pair_of(left, right) or (0, 0), items)
            item = left_to_see[int(rng.integers(len(left_to_see)))]
        ticket = Ticket(
            fold.created.study,
            os.urandom(16).hex(),
            left,
            right,
            flipped,
            fold.learner_number,
            now,
            voter,
            propensity,
            asked_round,
            plain(note),
            plain(known),
            None,
            item,
        )
        duel, opened = self._shown(fold, ticket, context=known)
        self._open_duels.open(voter, opened)
        return duel

    def _shown(
        self, fold: Fold, ticket: Ticket, sealed: str | None = None, context: Any = None
    ) -> tuple[Duel, OpenDuel]:
        """Return the duel of a ticket, and its entry among the open duels."""
        left, right = fold.choices.show(ticket.left), fold.choices.show(ticket.right)
        sealed = seal(ticket, self._keys) if sealed is None else sealed
        duel = Duel(left, right, ticket.propensity, sealed, context=context, item=ticket.item)
        pair = pair_of(ticket.left, ticket.right)
        opened = OpenDuel(duel, ticket.id, pair, ticket.time, ticket.context, ticket.item)
        return shown_again(duel), opened


def has_seen_all(fold: Fold, voter: str, items: Items | None = None) -> bool:
    if fold.k == 0 or fold.in_contexts:
        return False
    known, arms = fold.seen_by(voter), fold.active or range(fold.k)
    if len(known) < len(arms) * (len(arms) - 1) // 2 * (1 if items is None else len(items)):
        return False
    seen = seen_pairs(known, items)
    return all(pair in seen for pair in combinations(arms, 2))


def is_shown(fold: Fold, ticket: Ticket) -> bool:
    """Return whether all arms of a ticket are still shown."""
    pair = pair_of(ticket.left, ticket.right)
    return pair is None or fold.active is None or {*pair} <= {*fold.active}


def choose_duel(fold: Fold, menu: Any, rng: Generator, seen: dict[Pair, int]) -> Duel:
    """Return a duel of two different choices, if possible of a pair that the voter has not seen.

    A duel that the learner did not choose has neither propensity nor round.
    """
    duel: Duel = fold.player.ask(menu, rng)
    if isinstance(fold.choices, Parameters):
        return fold.choices.of_two_settings(duel, rng)
    arms = menu if isinstance(menu, Arms) else Arms(menu.k, self_duels=False, wins=fold.tally.scores)
    if fold.player.is_plug_in:
        for _ in range(REDRAWS):
            duel = require_duel(fold, duel)
            if arms.allows(duel.left, duel.right):
                break
            duel = fold.player.ask(menu, rng)
    if not arms.allows(duel.left, duel.right):
        duel = leader_and_rival(arms, fold.best(menu), rng)._replace(context=duel.context)
    if pair_of(duel.left, duel.right) not in seen or fold.in_contexts:
        return duel
    far = menu.with_open({**menu.open, **dict.fromkeys(seen, FAR)})
    duel = fold.player.ask(far, rng)
    if pair_of(duel.left, duel.right) not in seen:
        return duel
    return unseen_duel(menu, seen, rng) or duel


def require_duel(fold: Fold, duel: Any) -> Duel:
    """Return a plug-in's duel in plain numbers; raise ParameterError if it cannot be shown or stored."""
    name = type(fold.learner).__name__
    try:
        if not isinstance(duel, Duel):
            raise OutcomeError(f"it is {duel!r:.80}")
        left, right = require_arm("left", duel.left, fold.k), require_arm("right", duel.right, fold.k)
        propensity = None if duel.propensity is None else as_pair(duel.propensity)
        asked_round = None if duel.round is None else float(duel.round)
        checked = Duel(left, right, propensity, None, plain(duel.note), duel.context, asked_round)
        kept = {name: getattr(checked, name) for name in ("left", "right", "propensity", "round", "note")}
        encode(Answered(ticket="t", **kept, outcome=0.5, context=plain(duel.context)))
    except (DuelistError, TypeError, ValueError) as error:
        raise ParameterError(f"{name}.ask must return a Duel of two arm numbers: {error}") from error
    return checked


def shown_again(duel: Duel) -> Duel:
    """Return a copy of a duel: its settings are dictionaries, which a caller may have changed."""
    if not isinstance(duel.left, dict):
        return duel
    return duel._replace(left=dict(duel.left), right=dict(duel.right))


def unseen_duel(menu: Arms, seen: dict[Pair, int], rng: Generator) -> Duel | None:
    """Return a random duel that a voter has not seen; None if there is none."""
    active = range(menu.k) if menu.active is None else menu.active
    if len(seen) < len(active) * (len(active) - 1) // 2 or menu.active is not None:
        for left in rng.permutation(active).tolist():
            rivals = [arm for arm in active if arm != left and pair_of(left, arm) not in seen]
            if rivals:
                return Duel(left, int(rng.choice(rivals)))
    return None
