"""Optimized interleaving (Radlinski and Craswell 2013): a linear program chooses the lists to show.

The program numbers the left ranking's documents 0, 1, 2 and so on, then those that only the right ranking
has. Pairs of rankings with equal numbers share a plan.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.constraints import Range
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, UnknownNameError
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import END, FIRST, NOBODY, Page, put

CREDITS = ("linear", "inverse", "binary")  # the credit of a click: see `Optimized`
NEGLIGIBLE = 1e-9  # probabilities and leads below this are rounding errors
DEEPEST = 12


class OptimizedRules(NamedTuple):
    crediting: str
    depth: int
    counting: int


class Plan(NamedTuple):
    """The possible lists and their probabilities."""

    lists: tuple[tuple[int, ...], ...]
    chances: tuple[float, ...]
    credited: int  # the number of places, from the top, where the expected credit of a random click is 0


@lru_cache(maxsize=1024)
def credits_of(left: int, right: tuple[int, ...], credit: str) -> tuple[float, ...]:
    """Return the credit of a click on each document to left; negative if right ranks it higher."""
    documents = max(left, max(right, default=-1) + 1)
    ranks = np.full((2, documents), max(left, len(right)) + 1.0)
    ranks[0, :left] = np.arange(1, left + 1)
    ranks[1, np.array(right, np.int64)] = np.arange(1, len(right) + 1)
    in_left, in_right = 1.0 / ranks if credit == "inverse" else -ranks
    worth = np.sign(in_left - in_right) if credit == "binary" else in_left - in_right
    return tuple(worth.tolist())


def allowed_lists(left: int, right: tuple[int, ...], length: int) -> IntArray:
    """Return all lists, one per row, that repeatedly take the best remaining document of either ranking."""
    found: list[tuple[tuple[int, ...], int, int]] = [((), 0, 0)]
    for _ in range(length):
        longer = []
        for documents, i, j in found:
            while i < left and i in documents:
                i += 1
            while j < len(right) and right[j] in documents:
                j += 1
            if i < left:
                longer.append(((*documents, i), i, j))
            if j < len(right) and not (i < left and right[j] == i):
                longer.append(((*documents, right[j]), i, j))
        found = longer
    return np.array([documents for documents, _, _ in found], np.int64)


def sensitivity(credits: FloatArray) -> FloatArray:
    """Return the entropy in bits of a click's winner on each list, given the credits of its places."""
    looks = 1.0 / np.arange(1, credits.shape[1] + 1)
    looks /= looks.sum()
    to_left, to_right = (credits > 0) @ looks, (credits < 0) @ looks
    either = to_left + to_right
    bits = np.zeros(len(credits))
    for share in (to_left, to_right):
        some = share > 0
        bits[some] -= share[some] * np.log2(share[some] / either[some])
    return bits


@lru_cache(maxsize=1024)
def plan(left: int, right: tuple[int, ...], credit: str, length: int) -> Plan:
    """Return the most sensitive distribution over lists that is fair at as many places as possible."""
    lists = allowed_lists(left, right, length)
    credits = np.array(credits_of(left, right, credit))[lists]
    # bisection: if credits can be zero down to a place, they can be zero down to any place above it
    credited, impossible = 0, length + 1
    chances = np.full(len(lists), 1.0 / len(lists))
    tried = length
    while impossible - credited > 1:
        found = most_sensitive(credits[:, :tried])
        if found is None:
            impossible = tried
        else:
            credited, chances = tried, found
        tried = (credited + impossible) // 2
    kept = chances > NEGLIGIBLE
    shares = chances[kept] / chances[kept].sum()
    return Plan(tuple(map(tuple, lists[kept].tolist())), tuple(shares.tolist()), credited)


def most_sensitive(credits: FloatArray) -> FloatArray | None:
    """Return the probability of each list, or None if the expected credit cannot be zero at every place."""
    from scipy.optimize import linprog

    equal = np.vstack([credits.T, np.ones(len(credits))])
    zeros_and_one = np.append(np.zeros(credits.shape[1]), 1.0)
    worth = -sensitivity(credits)
    # presolving costs more time than solving
    solution = linprog(worth, A_eq=equal, b_eq=zeros_and_one, method="highs", options={"presolve": False})
    return solution.x if solution.status == 0 else None


def rankings_below(
    shown: list[int], rankings: IntArray, depth: int
) -> tuple[list[int], int, tuple[int, ...]]:
    """Return the best documents not shown above a stretch, and both rankings of them in `plan`'s numbers."""
    above = {*shown, END}
    names, others = (
        list(islice((document for document in ranking if document not in above), depth))
        for ranking in rankings.tolist()
    )
    numbers = {document: number for number, document in enumerate(dict.fromkeys(names + others))}
    return list(numbers), len(names), tuple(numbers[document] for document in others)


def draft_planned(rules: OptimizedRules, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill a page stretch by stretch, each with a list drawn from those that begin as the stretch does."""
    while page.shown[0] < len(page.documents):
        shown = page.documents[: page.shown[0]].tolist()
        start = len(shown) - len(shown) % rules.depth
        names, count, in_right = rankings_below(shown[:start], rankings, rules.depth)
        planned = plan(count, in_right, rules.crediting, min(rules.depth, len(names)))
        worth = credits_of(count, in_right, rules.crediting)
        begun = shown[start:]
        open_lists = [
            (numbers, chance)
            for numbers, chance in zip(planned.lists, planned.chances, strict=True)
            if [names[number] for number in numbers[: len(begun)]] == begun
        ]
        if not open_lists:
            raise ParameterError("after must be a list of the same method with equal hyperparameters.")
        chosen = draw(open_lists, rng)
        for i in range(len(begun), min(len(chosen), len(page.documents) - start)):
            number = chosen[i]
            still_open = [(numbers, chance) for numbers, chance in open_lists if numbers[i] == number]
            team = int(worth[number] < 0.0) if i < planned.credited and worth[number] != 0.0 else NOBODY
            put(names[number], team, total(still_open) / total(open_lists), page)
            open_lists = still_open


def total(lists: list[tuple[tuple[int, ...], float]]) -> float:
    return sum(chance for _, chance in lists)


def draw(lists: list[tuple[tuple[int, ...], float]], rng: Generator) -> tuple[int, ...]:
    """Draw one of the lists in proportion to their probabilities."""
    reach = rng.random() * total(lists)
    for numbers, chance in reversed(lists):
        if reach < chance:
            return numbers
        reach -= chance
    return lists[-1][0]


def settle_by_worth(
    rules: OptimizedRules, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Credit one click to the ranking that gains more from the clicked documents."""
    documents = page.documents.tolist()
    lead = 0.0
    for place in np.flatnonzero(clicked).tolist():
        if page.teams[place] != NOBODY:
            above = documents[: place - place % rules.depth]
            names, count, in_right = rankings_below(above, rankings, rules.depth)
            lead += credits_of(count, in_right, rules.crediting)[names.index(documents[place])]
        if rules.counting == FIRST:
            break
    credits[:] = lead > NEGLIGIBLE, lead < -NEGLIGIBLE


@dataclass(frozen=True)
class Optimized(Interleaving):
    """Interleave with the most sensitive lists for which random clicks favour neither ranking.

    For two rankings. Each document of an allowed list is the best remaining one of either ranking. Among all
    distributions over these lists with an expected credit of zero at every place, a linear program finds the
    most sensitive one. Use it if clicks are scarce and pairs of rankings recur: 1,024 plans are cached.

    Parameters
    ----------
    crediting : str, default "linear"
        The credit of a click on a document: "linear", the difference of its ranks; "inverse", the difference
        of their inverses, which is larger near the top; "binary", 1 to the ranking that has it higher.
    counting : str, default "all"
        Which clicks count: "all", or "first" (the topmost clicked place only).
    depth : int, default 10
        The number of places that are planned together, at most 12: there can be 2^depth lists.

    Raises
    ------
    UnknownNameError
        If there is no such crediting or counting.
    ParameterError
        If `depth` is out of range, or `counting` is "unshared", which makes no difference here.

    Notes
    -----
    Each stretch of `depth` places is a new program over the best `depth` documents of either ranking among
    those not shown above; ranks are counted within it. There are no compiled kernels.

    Fairness: the expected *credit* of a click that is independent of the documents is zero at every place.
    The *outcome*, the sign of the total credit, can still favour one side, for example if one large credit
    outweighs many small ones; only "binary" credit with the counting "first" makes the outcome fair, too.

    In `Shown`, `teams` record which ranking a click is credited to: none if both rank the document alike, or
    if a ranking ends so early that the expected credit cannot be zero.

    Deviations from the paper: a document that a ranking lacks ranks below the end of the longer ranking.

    References
    ----------
    Radlinski, Craswell (2013). Optimized interleaving for online retrieval evaluation. WSDM.

    Examples
    --------
    >>> import numpy as np
    >>> shown = Optimized().interleave([["a", "b"], ["b", "a"]], np.random.default_rng(1))
    >>> shown.documents, shown.teams
    (('a', 'b'), (0, 1))
    >>> Optimized().credit(shown, clicked=["a"]), Optimized().outcome(shown, clicked=["a"])
    (array([1., 0.]), 1.0)
    """

    crediting: str = "linear"
    counting: str = "all"
    depth: Annotated[int, Range(least=1, most=DEEPEST, reason="to be fast enough")] = 10
    most: ClassVar[int | None] = 2
    fair: ClassVar[tuple[str, ...]] = ()
    _draft: ClassVar[Callable[..., None]] = staticmethod(draft_planned)
    _settle: ClassVar[Callable[..., None]] = staticmethod(settle_by_worth)

    def rules(self) -> OptimizedRules:
        if self.crediting not in CREDITS:
            raise UnknownNameError("crediting", self.crediting, CREDITS)
        reason = "a click on the common prefix credits neither ranking"
        return OptimizedRules(self.crediting, self.depth, self.counting_rule(reason))
