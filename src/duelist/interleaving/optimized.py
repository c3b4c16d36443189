"""Optimized interleaving (Radlinski and Craswell 2013): a linear program chooses the lists to show."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from numpy.random import Generator

from duelist.errors import ParameterError, UnknownNameError, require_whole
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import FIRST, LEFT, NOBODY, RIGHT, verdict
from duelist.interleaving.planning import CREDITS, NEGLIGIBLE, credits_of, plan

DEEPEST = 12


class OptimizedRules(NamedTuple):
    """The parameters of `draft_planned` and `settle_by_credit`."""

    crediting: str
    depth: int
    counting: int


def rankings_below(
    shown: Sequence[Hashable], left: Sequence[Hashable], right: Sequence[Hashable], depth: int
) -> tuple[list[Hashable], int, tuple[int, ...]]:
    """Return the best documents not shown above a stretch, and both rankings of them in `plan`'s numbers."""
    above = set(shown)
    names = list(islice((document for document in left if document not in above), depth))
    others = list(islice((document for document in right if document not in above), depth))
    numbers = {document: number for number, document in enumerate(dict.fromkeys(names + others))}
    return list(numbers), len(names), tuple(numbers[document] for document in others)


def draft_planned(rules: OptimizedRules, left: Any, right: Any, page: Any, rng: Generator) -> None:
    """Fill a page stretch by stretch, each with a list drawn from those that begin like the stretch."""
    documents, teams, propensities, shown, _ = page
    place = shown[0]
    while place < len(documents):
        start = place - place % rules.depth
        names, count, in_right = rankings_below(documents[:start], left, right, rules.depth)
        planned = plan(count, in_right, rules.crediting, min(rules.depth, len(names)))
        worth = credits_of(count, in_right, rules.crediting)
        begun = documents[start:place]
        open_lists = [
            (numbers, chance)
            for numbers, chance in zip(planned.lists, planned.chances, strict=True)
            if [names[number] for number in numbers[: len(begun)]] == begun
        ]
        if not open_lists:
            raise ParameterError("after must be a list made by the same method, with equal hyperparameters.")
        chosen = draw(open_lists, rng)
        for i in range(len(begun), min(len(chosen), len(documents) - start)):
            number = chosen[i]
            still_open = [(numbers, chance) for numbers, chance in open_lists if numbers[i] == number]
            documents[place] = names[number]
            if i < planned.credited and worth[number] != 0.0:
                teams[place] = LEFT if worth[number] > 0.0 else RIGHT
            propensities[place] = total(still_open) / total(open_lists)
            open_lists = still_open
            place += 1
    shown[0] = place


def total(lists: list[tuple[tuple[int, ...], float]]) -> float:
    """Return the total chance of the lists."""
    return sum(chance for _, chance in lists)


def draw(lists: list[tuple[tuple[int, ...], float]], rng: Generator) -> tuple[int, ...]:
    """Return one of the lists, drawn in proportion to their chances."""
    reach = rng.random() * total(lists)
    for numbers, chance in reversed(lists):
        if reach < chance:
            return numbers
        reach -= chance
    return lists[-1][0]


def settle_by_credit(rules: OptimizedRules, left: Any, right: Any, page: Any, clicked: list[bool]) -> float:
    """Return the outcome of the summed credit of the clicked documents."""
    documents, teams, _, _, _ = page
    lead = 0.0
    for place, counts in enumerate(clicked):
        if counts:
            if teams[place] != NOBODY:
                above = documents[: place - place % rules.depth]
                names, count, in_right = rankings_below(above, left, right, rules.depth)
                lead += credits_of(count, in_right, rules.crediting)[names.index(documents[place])]
            if rules.counting == FIRST:
                break
    return verdict(0.0 if abs(lead) < NEGLIGIBLE else lead)


@dataclass(frozen=True)
class Optimized(Interleaving):
    """Interleave with the most sensitive lists for which random clicks favour neither ranking.

    In every allowed list, the next document is the best remaining one of either ranking. Of all distributions
    over these lists with an expected credit of zero at every place, a linear program finds the most
    sensitive. Use it where clicks are few and pairs of rankings recur: the last 1,024 plans are kept.

    Parameters
    ----------
    crediting : str, default "linear"
        What a click on a document is worth: "linear", the difference of its ranks; "inverse", the difference
        of their inverses, which is larger near the top; "binary", 1 to the ranking that has it higher.
    counting : str, default "all"
        Which clicks count: "all", or "first" (the topmost clicked place only).
    depth : int, default 10
        How many places are planned together, at most 12: there can be 2^depth lists.

    Notes
    -----
    Each stretch of `depth` places is a new program over the best `depth` documents of either ranking among
    those not shown above; ranks are counted within it. There are no compiled kernels.

    Fairness: the expected *credit* of a click that does not depend on the documents is zero at every place.
    The *outcome*, the sign of the summed credit, may still favour one side, as when one large credit
    outweighs many small ones; only "binary" credit with the counting "first" makes the outcome fair, too.

    In `Shown`, `teams` say to whom a click is credited: to nobody if both rank the document alike, or if a
    ranking is exhausted so early that the expected credit cannot be zero.

    Deviations from the paper: a document that a ranking lacks ranks below the end of the longer of the two.

    References
    ----------
    Radlinski, Craswell (2013). Optimized interleaving for online retrieval evaluation. WSDM.

    Examples
    --------
    >>> import numpy as np
    >>> shown = Optimized().interleave(["a", "b"], ["b", "a"], np.random.default_rng(1))
    >>> shown.documents, shown.teams
    (('a', 'b'), (0, 1))
    >>> Optimized().credit(shown, clicked=["a"])
    1.0
    """

    crediting: str = "linear"
    counting: str = "all"
    depth: int = 10
    fair: ClassVar[tuple[str, ...]] = ()
    drafts: ClassVar[Callable[..., None]] = staticmethod(draft_planned)
    settles: ClassVar[Callable[..., float]] = staticmethod(settle_by_credit)

    def rules(self) -> OptimizedRules:
        """Return the parameters of the method, for which there are no compiled kernels."""
        if self.crediting not in CREDITS:
            raise UnknownNameError("crediting", self.crediting, CREDITS)
        require_whole("depth", self.depth, 1)
        if self.depth > DEEPEST:
            raise ParameterError(f"depth must be at most {DEEPEST}, to be fast enough; got {self.depth!r}.")
        reason = "a document of the common prefix is worth nothing to either ranking"
        return OptimizedRules(self.crediting, self.depth, self.counting_rule(reason))
