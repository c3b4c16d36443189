"""The four click models as in their papers, with hidden examinations and attractions at every place."""

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from duelist.clicks import TableClickModel, cascade, dependent_click, position_based, user_browsing

Looked = Sequence[int]
Clicked = Sequence[int]
Look = Callable[[Sequence[int], int, Looked, Clicked], float]
"""From a page's grades, a place, and what was looked at and clicked above: the chance of a look."""


class Case(NamedTuple):
    model: TableClickModel
    attraction: list[float]
    look: Look


ATTRACTION = [0.15, 0.5, 0.85]
STOP = [0.1, 0.4, 0.9]
PLACES = [0.95, 0.7, 0.5, 0.3]
CONTINUATION = [0.8, 0.6, 0.35, 0.2]
BY_DISTANCE = {
    (0, 1): 0.9,
    (1, 2): 0.6,
    (1, 1): 0.8,
    (2, 3): 0.4,
    (2, 2): 0.65,
    (2, 1): 0.75,
    (3, 4): 0.2,
    (3, 3): 0.3,
    (3, 2): 0.55,
    (3, 1): 0.7,
}
"""By the place and the distance to the last click, or to above the page: the user browsing model's gamma."""


def cascade_look(grades: Sequence[int], place: int, looked: Looked, clicked: Clicked) -> float:
    if place == 0:
        return 1.0
    if not looked[-1]:
        return 0.0
    return 1.0 - STOP[grades[place - 1]] if clicked[-1] else 1.0


def dependent_look(grades: Sequence[int], place: int, looked: Looked, clicked: Clicked) -> float:
    if place == 0:
        return 1.0
    if not looked[-1]:
        return 0.0
    return CONTINUATION[place - 1] if clicked[-1] else 1.0


def place_look(grades: Sequence[int], place: int, looked: Looked, clicked: Clicked) -> float:
    return PLACES[place]


def browsing_look(grades: Sequence[int], place: int, looked: Looked, clicked: Clicked) -> float:
    clicks = [i for i in range(place) if clicked[i]]
    return BY_DISTANCE[place, place - clicks[-1] if clicks else place + 1]


BY_LAST = [
    [BY_DISTANCE[place, place + 1], *(BY_DISTANCE[place, place - last] for last in range(place))]
    for place in range(4)
]
CASES = {
    "cascade": Case(cascade(ATTRACTION, STOP), ATTRACTION, cascade_look),
    "dependent click": Case(dependent_click(ATTRACTION, CONTINUATION), ATTRACTION, dependent_look),
    "position-based": Case(position_based(ATTRACTION, PLACES), ATTRACTION, place_look),
    "user browsing": Case(user_browsing(ATTRACTION, BY_LAST), ATTRACTION, browsing_look),
}


def enumerate_clicks(look: Look, attraction: Sequence[float], grades: Sequence[int]) -> dict[Clicked, float]:
    """Return the chance of every pattern of clicks, summed over all that is hidden."""
    size = len(grades)
    chances: dict[Clicked, float] = dict.fromkeys(product((0, 1), repeat=size), 0.0)
    for looked in product((0, 1), repeat=size):
        for attracted in product((0, 1), repeat=size):
            clicked = tuple(e * a for e, a in zip(looked, attracted, strict=True))
            chance = prod(
                attraction[grade] if a else 1.0 - attraction[grade]
                for grade, a in zip(grades, attracted, strict=True)
            )
            for place in range(size):
                here = look(grades, place, looked[:place], clicked[:place])
                chance *= here if looked[place] else 1.0 - here
            chances[clicked] += chance
    return chances
