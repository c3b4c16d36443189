"""Optimized interleaving (Radlinski and Craswell 2013): the lists to show are the solution of a program."""

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


class Stretch(NamedTuple):
    """The places of a list that are planned together, and the rankings of what is not shown above them."""

    start: int
    names: list[Hashable]  # the documents by their numbers
    left: int  # the left ranking is 0, 1, ... up to this
    right: tuple[int, ...]
    length: int


def stretch_at(
    place: int, depth: int, left: Sequence[Hashable], right: Sequence[Hashable], documents: Sequence[Hashable]
) -> Stretch:
    """Return the stretch of a list in which a place is."""
    start = place - place % depth
    above = set(documents[:start])
    names, others = (
        list(islice((document for document in ranking if document not in above), depth))
        for ranking in (left, right)
    )
    numbers = {document: number for number, document in enumerate(dict.fromkeys(names + others))}
    in_right = tuple(numbers[document] for document in others)
    return Stretch(start, list(numbers), len(names), in_right, min(depth, len(numbers)))


def draft_planned(rules: OptimizedRules, left: Any, right: Any, page: Any, rng: Generator) -> None:
    """Fill a page stretch by stretch, each with a list drawn from those that begin as it does already."""
    documents, teams, propensities, shown, _ = page
    place = shown[0]
    while place < len(documents):
        stretch = stretch_at(place, rules.depth, left, right, documents)
        planned = plan(stretch.left, stretch.right, rules.crediting, stretch.length)
        worth = credits_of(stretch.left, stretch.right, rules.crediting)
        begun = documents[stretch.start : place]
        open_lists = [
            (numbers, chance)
            for numbers, chance in zip(planned.lists, planned.chances, strict=True)
            if [stretch.names[number] for number in numbers[: len(begun)]] == begun
        ]
        if not open_lists:
            raise ParameterError(
                "after must be a list made by the same method; with these hyperparameters it cannot arise."
            )
        chosen = draw(open_lists, rng)
        for i in range(len(begun), min(len(chosen), len(documents) - stretch.start)):
            number = chosen[i]
            still_open = [(numbers, chance) for numbers, chance in open_lists if numbers[i] == number]
            documents[place] = stretch.names[number]
            if i < planned.credited and worth[number] != 0.0:
                teams[place] = LEFT if worth[number] > 0.0 else RIGHT
            propensities[place] = total(still_open) / total(open_lists)
            open_lists = still_open
            place += 1
    shown[0] = place


def total(lists: list[tuple[tuple[int, ...], float]]) -> float:
    """Return the chance of all these lists together."""
    return sum(chance for _, chance in lists)


def draw(lists: list[tuple[tuple[int, ...], float]], rng: Generator) -> tuple[int, ...]:
    """Return one of the lists, each in proportion to its chance."""
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
                stretch = stretch_at(place, rules.depth, left, right, documents)
                worth = credits_of(stretch.left, stretch.right, rules.crediting)
                lead += worth[stretch.names.index(documents[place])]
            if rules.counting == FIRST:
                break
    return verdict(0.0 if abs(lead) < NEGLIGIBLE else lead)


@dataclass(frozen=True)
class Optimized(Interleaving):
    """Interleave by the most sensitive lists among those that leave a random clicker indifferent.

    Every list is allowed whose next document is always the best left of one of the rankings. Of all ways to
    choose among these with an expected credit of zero at every place, a linear program finds the one whose
    clicks tell most. Choose it where few clicks must do and pairs of rankings recur: a new pair takes
    milliseconds, one of the last 1,024 far less.

    Parameters
    ----------
    crediting : str, default "linear"
        What a click on a document is worth: "linear", the difference of its ranks; "inverse", the difference
        of their inverses, where places near the top differ more; "binary", 1 to whoever has it higher.
    counting : str, default "all"
        Which clicks count: "all", or "first" (the topmost clicked place only).
    depth : int, default 10
        How many places are planned together, at most 12: there can be 2^depth lists.

    Notes
    -----
    Each stretch of `depth` places is a new program over the best `depth` documents of either ranking among
    those not shown above; ranks are counted within it. There are no compiled kernels.

    Fairness: the expected *credit* of a click that does not depend on the documents is zero at every place.
    The *outcome* is the sign of the summed credit, and may lean to one side even so, as when one large credit
    outweighs many small ones; only for "binary" credit with the counting "first" are both the same.

    In `Shown`, `teams` say for whom a click counts. Nobody's are the documents that both rank alike, and the
    end of a stretch where a ranking is exhausted so early that the expected credit could not be zero.

    Deviations from the paper: a document that a ranking lacks stands below the end of the longer of the two,
    so that it is never to the credit of a ranking that lacks it.

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

    def __post_init__(self) -> None:
        """Refuse names that are not known and a depth that cannot be planned."""
        if self.crediting not in CREDITS:
            raise UnknownNameError("crediting", self.crediting, CREDITS)
        require_whole("depth", self.depth, 1)
        if self.depth > DEEPEST:
            raise ParameterError(f"depth must be at most {DEEPEST}, for time's sake; got {self.depth!r}.")
        super().__post_init__()

    def rules(self) -> OptimizedRules:
        """Return the parameters of the method, for which there are no compiled kernels."""
        reason = "a document of the common prefix is worth nothing to either ranking"
        return OptimizedRules(self.crediting, self.depth, self.counting_rule(reason))
