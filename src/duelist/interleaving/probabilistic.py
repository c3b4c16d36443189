"""Probabilistic interleaving (Hofmann, Whiteson and de Rijke 2011): places drawn from softened rankings."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_positive
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import (
    FIRST,
    LEFT,
    NOBODY,
    RIGHT,
    UNSHARED,
    Page,
    counting_rule,
    draft,
    room_for_page,
    settle,
    shared_prefix,
)
from duelist.interleaving.softmax import EXHAUSTED, chances_to_draw, draw_order, rank_weights
from duelist.kernels.compile import compiled, overload_for

STEEPEST = 50.0


class ProbabilisticRules(NamedTuple):
    """The parameters of the kernels."""

    tau: float  # a document at rank r has the weight r^-tau
    counting: int  # which clicks count


@overload_for(draft, ProbabilisticRules)
def draft_by_chance(
    rules: ProbabilisticRules, left: IntArray, right: IntArray, page: Page, rng: Generator
) -> None:
    """Fill a page: at each place a coin says who draws a document."""
    begin = place = page.shown[0]
    room = len(page.documents)
    weights = rank_weights(max(len(left), len(right)), rules.tau)
    from_left = draw_order(left, weights, page.taken, room - begin, rng)
    from_right = draw_order(right, weights, page.taken, room - begin, rng)
    credited = min(len(left), len(right))
    i, j = 0, 0
    while place < room:
        while i < len(from_left) and page.taken[from_left[i]]:
            i += 1
        while j < len(from_right) and page.taken[from_right[j]]:
            j += 1
        if i == len(from_left) and j == len(from_right):
            break
        if i < len(from_left) and j < len(from_right):
            team = LEFT if rng.random() < 0.5 else RIGHT
        else:
            team = LEFT if i < len(from_left) else RIGHT
        document = from_left[i] if team == LEFT else from_right[j]
        page.documents[place] = document
        page.teams[place] = team if place < credited else NOBODY
        page.taken[document] = True
        place += 1
    page.shown[0] = place
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
    prefix = shared_prefix(left, right) if rules.counting == UNSHARED else 0
    lefts = np.empty(page.shown[0])
    counted = 0
    for place in range(page.shown[0]):
        if clicked[place]:
            # a document of the prefix has the same rank in both
            of_prefix = 0 < ranks[page.documents[place]] <= prefix
            if place < min(len(left), len(right)) and not of_prefix:
                lefts[counted] = by_left[place] / (by_left[place] + by_right[place])
                counted += 1
            if rules.counting == FIRST:
                break
    return expected_outcome(lefts[:counted])


@compiled
def expected_outcome(lefts: FloatArray) -> float:
    """Return the chance that left has more clicks, and half that of a tie, if each is left's by chance."""
    clicks = len(lefts)
    chance = np.zeros(clicks + 1)  # of each number of clicks to be left's
    chance[0] = 1.0
    for click in range(clicks):
        for number in range(click + 1, 0, -1):
            chance[number] += lefts[click] * (chance[number - 1] - chance[number])
        chance[0] *= 1.0 - lefts[click]
    outcome = 0.0
    for number in range(clicks + 1):
        if 2 * number > clicks:
            outcome += chance[number]
        elif 2 * number == clicks:
            outcome += 0.5 * chance[number]
    return outcome


def as_numbers(
    left: Sequence[Hashable], right: Sequence[Hashable], page: Any
) -> tuple[list[Hashable], IntArray, IntArray, Page]:
    """Return all documents, the rankings as places in it, and a page of lists as one of arrays."""
    documents, teams, propensities, shown, _ = page
    names = list(dict.fromkeys((*left, *right)))
    numbers = dict(zip(names, range(len(names)), strict=True))
    room = room_for_page(len(documents), len(names))
    room.shown[0] = count = shown[0]
    room.documents[:count] = [numbers[document] for document in documents[:count]]
    room.teams[:count] = teams[:count]
    room.propensities[:count] = propensities[:count]
    room.taken[room.documents[:count]] = True
    in_left, in_right = (np.array([numbers[name] for name in side], np.int64) for side in (left, right))
    return names, in_left, in_right, room


def draft_any(rules: ProbabilisticRules, left: Any, right: Any, page: Any, rng: Generator) -> None:
    """Fill a page of lists by the compiled kernel, from rankings of documents of any kind."""
    names, in_left, in_right, room = as_numbers(left, right, page)
    draft_by_chance(rules, in_left, in_right, room, rng)
    documents, teams, propensities, shown, _ = page
    documents[:] = [names[number] for number in room.documents.tolist()]
    teams[:] = room.teams.tolist()
    propensities[:] = room.propensities.tolist()
    shown[0] = len(documents)


def settle_any(rules: ProbabilisticRules, left: Any, right: Any, page: Any, clicked: list[bool]) -> float:
    """Return the outcome of clicks by the compiled kernel, for documents of any kind."""
    _, in_left, in_right, room = as_numbers(left, right, page)
    return settle_by_chance(rules, in_left, in_right, room, np.array(clicked, np.bool_))


@dataclass(frozen=True)
class Probabilistic(Interleaving):
    """Interleave by drawing: at each place a coin says which ranking draws, likelier what it ranks high.

    Any document can be shown at any place, and a click is shared by how likely each ranking is to have drawn
    the document there: the outcome is an expectation over all ways to have drawn the list, which needs fewer
    clicks to tell two rankings apart. The price: people are at times shown documents that no ranking has near
    its top. Choose it when old clicks shall tell of new rankings, as lists have known chances.

    Parameters
    ----------
    tau : float, default 3
        A ranking draws the document at rank r with a chance in proportion to r^-tau, among those not yet
        shown. At most 50, which already shows the rankings as they are.
    counting : str, default "all"
        Which clicks count: "all", "first" (the topmost clicked place only) or "unshared" (all but those on
        documents of the prefix that both rankings have in common).

    Notes
    -----
    The credit is exact. Given the list, who drew at a place does not depend on who drew elsewhere: it was the
    left ranking with the chance P_left / (P_left + P_right), where each P is the ranking's chance to draw the
    document among those not shown above. The number of clicks on the left ranking's documents is thus a sum
    of independent coin flips. Outcomes are fractions. `teams` hold who really drew.

    Fairness: with "all" and "first", neither ranking wins more often where clicks do not depend on the
    documents, though they may depend on the places and on each other: turn every coin over. As many places
    are credited as the shorter ranking has documents, because so often both can draw, however the coins
    fall; what is below is nobody's. "unshared" is not fair in general: the rankings differ in how often they
    draw from the prefix.

    Deviations from the paper: the exact sum instead of one over all assignments, and the rule for rankings of
    unequal length, of which it does not speak.

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

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn with, and a counting that is not known."""
        require_positive("tau", self.tau)
        if self.tau > STEEPEST:
            raise ParameterError(f"tau must be at most {STEEPEST:g}; got {self.tau!r}.")
        super().__post_init__()

    def rules(self) -> ProbabilisticRules:
        """Return the parameters of the kernels."""
        return ProbabilisticRules(float(self.tau), counting_rule("Probabilistic", self.counting, {}))
