"""Probabilistic interleaving (Hofmann, Whiteson and de Rijke 2011): draws from softmax rankings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving import page as pages
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import LEFT, NOBODY, RIGHT, Page, draft, put, settle
from duelist.interleaving.softmax import EXHAUSTED, chances_to_draw, draw_order, rank_weights, require_tau
from duelist.kernels.compile import compiled, overload_for


class ProbabilisticRules(NamedTuple):
    """The parameters of the kernels."""

    tau: float  # a document at rank r has the weight r^-tau
    counting: int  # which clicks count


@overload_for(draft, ProbabilisticRules)
def draft_by_chance(
    rules: ProbabilisticRules, left: IntArray, right: IntArray, page: Page, rng: Generator
) -> None:
    """Fill a page: at each place a coin decides which ranking draws a document."""
    begin, room = page.shown[0], len(page.documents)
    weights = rank_weights(max(len(left), len(right)), rules.tau)
    from_left = draw_order(left, weights, page.taken, room - begin, rng)
    from_right = draw_order(right, weights, page.taken, room - begin, rng)
    credited = min(len(left), len(right))
    i, j = 0, 0
    while page.shown[0] < room:
        while i < len(from_left) and page.taken[from_left[i]]:
            i += 1
        while j < len(from_right) and page.taken[from_right[j]]:
            j += 1
        if i == len(from_left) and j == len(from_right):
            break
        team = LEFT if i < len(from_left) else RIGHT
        if i < len(from_left) and j < len(from_right):
            team = LEFT if rng.random() < 0.5 else RIGHT
        document = from_left[i] if team == LEFT else from_right[j]
        put(document, team if page.shown[0] < credited else NOBODY, 0.0, page)
    ranks = np.empty(len(page.taken), np.int64)
    by_left = chances_to_draw(left, weights, page, ranks)
    by_right = chances_to_draw(right, weights, page, ranks)
    for place in range(begin, page.shown[0]):
        if by_left[place] == EXHAUSTED or by_right[place] == EXHAUSTED:
            page.propensities[place] = max(by_left[place], by_right[place])
        else:
            page.propensities[place] = 0.5 * (by_left[place] + by_right[place])


@overload_for(settle, ProbabilisticRules)
def settle_by_chance(
    rules: ProbabilisticRules, left: IntArray, right: IntArray, page: Page, clicked: BoolArray
) -> float:
    """Return the expected outcome over all ways in which the list may have been drawn."""
    weights = rank_weights(max(len(left), len(right)), rules.tau)
    ranks = np.empty(len(page.taken), np.int64)
    by_left = chances_to_draw(left, weights, page, ranks)
    by_right = chances_to_draw(right, weights, page, ranks)
    prefix = pages.shared_prefix(left, right) if rules.counting == pages.UNSHARED else 0
    lefts = np.empty(page.shown[0])
    counted = 0
    for place in range(page.shown[0]):
        if clicked[place]:
            # a document of the prefix has the same rank in both
            of_prefix = 0 < ranks[page.documents[place]] <= prefix
            if place < min(len(left), len(right)) and not of_prefix:
                lefts[counted] = by_left[place] / (by_left[place] + by_right[place])
                counted += 1
            if rules.counting == pages.FIRST:
                break
    return expected_outcome(lefts[:counted])


@compiled
def expected_outcome(lefts: FloatArray) -> float:
    """Return the chance that left has more clicks, plus half that of a tie; each is left's by chance."""
    clicks = len(lefts)
    chance = np.zeros(clicks + 1)  # of each number of clicks for left
    chance[0] = 1.0
    for click in range(clicks):
        for number in range(click + 1, 0, -1):
            chance[number] += lefts[click] * (chance[number - 1] - chance[number])
        chance[0] *= 1.0 - lefts[click]
    outcome = 0.0
    for number in range(clicks + 1):
        outcome += chance[number] * pages.verdict(2 * number - clicks)
    return min(outcome, 1.0)  # the chances add up to 1 but for rounding


def draft_any(rules: ProbabilisticRules, left: Any, right: Any, page: Any, rng: Generator) -> None:
    """Fill a page of lists by the compiled kernel, from rankings of documents of any kind."""
    documents, teams, propensities, shown, _ = page
    rows, numbers = pages.number_documents((left, right))
    begun = [part[: shown[0]] for part in (documents, teams, propensities)]
    room = pages.begun_page(numbers, len(documents), begun)
    draft_by_chance(rules, rows[0, : len(left)], rows[1, : len(right)], room, rng)
    names = list(numbers)
    documents[:] = [names[number] for number in room.documents.tolist()]
    teams[:] = room.teams.tolist()
    propensities[:] = room.propensities.tolist()
    shown[0] = len(documents)


def settle_any(rules: ProbabilisticRules, left: Any, right: Any, page: Any, clicked: list[bool]) -> float:
    """Return the outcome of clicks by the compiled kernel, for documents of any kind."""
    rows, numbers = pages.number_documents((left, right))
    room = pages.room_for_page(len(clicked), len(numbers))
    room.documents[:] = [numbers[document] for document in page[0]]
    room.taken[room.documents] = True
    room.shown[0] = len(clicked)  # who drew them, and with what chance, follows from the rankings
    return settle_by_chance(
        rules, rows[0, : len(left)], rows[1, : len(right)], room, np.array(clicked, np.bool_)
    )


@dataclass(frozen=True)
class Probabilistic(Interleaving):
    """Interleave by drawing: at each place a coin chooses a ranking, which draws one of its best documents.

    The outcome is an expectation over all ways in which the list can have been drawn, which needs fewer
    clicks. Any document can be shown at any place: clicks on old lists can be used for new rankings, but
    users sometimes see a document that no ranking has near its top.

    Parameters
    ----------
    tau : float, default 3
        Of the documents not yet shown, a ranking draws the one at rank r with a chance proportional to
        r^-tau; at most 50, which already shows the rankings as they are.
    counting : str, default "all"
        Which clicks count: "all", "first" (the topmost clicked place only) or "unshared" (all but those on
        documents of the prefix that both rankings have in common).

    Notes
    -----
    Given the list, a place was drawn by the left ranking with the chance P_left / (P_left + P_right), where
    each P is a ranking's chance to draw the document among those not shown above. So the number of clicks on
    the left ranking's documents is a sum of independent coin flips. `teams` are the rankings that drew.

    Fairness: as for `TeamDraft`, but only with "all" and "first": with "unshared", the rankings may differ in
    how often they draw from the prefix.

    Deviations from the paper: the exact sum instead of one over all assignments; and where lengths differ,
    as many places are credited as the shorter ranking has documents, because there both can always draw.

    References
    ----------
    Hofmann, Whiteson, de Rijke (2011). A probabilistic method for inferring preferences from clicks. CIKM.

    Examples
    --------
    >>> import numpy as np
    >>> shown = Probabilistic().interleave(["a", "b", "c"], ["b", "d"], np.random.default_rng(1))
    >>> shown.documents, shown.teams
    (('b', 'a', 'd', 'c'), (1, 0, -1, -1))
    >>> round(Probabilistic().credit(shown, clicked=["b"]), 3)
    0.108
    """

    tau: float = 3.0
    counting: str = "all"
    fair: ClassVar[tuple[str, ...]] = ("all", "first")
    drafts: ClassVar[Callable[..., None]] = staticmethod(draft_any)
    settles: ClassVar[Callable[..., float]] = staticmethod(settle_any)

    def rules(self) -> ProbabilisticRules:
        """Return the parameters of the kernels."""
        require_tau(self.tau)
        return ProbabilisticRules(float(self.tau), self.counting_rule())
