"""How people click on a page, as kernels see it.

A click model is a NamedTuple whose type chooses the overload of `click_through`. The models here are all of
one form, `User`: the cascade, position-based, dependent-click and user-browsing models.
"""

from math import exp, log, log1p
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import NO_BODY, OVERLOADS, borrowing, compiled, overload_for, overloaded
from duelist.protocols import ClickModel
from duelist.text import counted


@overloaded
def click_through(model: Any, grades: IntArray, shown: int, clicked: BoolArray, rng: Generator) -> None:
    """Write which of the shown documents, given by their grades, are clicked; the room beyond is left alone.

    Grades are not checked: the model must know each of them.
    """
    raise TypeError(NO_BODY)


@compiled
def click_page(model: Any, grades: IntArray, shown: int, clicked: BoolArray, rng: Generator) -> None:
    """Write the clicks of any model on a page: `click_through`, compiled for calls from Python."""
    click_through(model, grades, shown, clicked, rng)


def user_for(clicks: ClickModel, grades: int) -> Any:
    """Return a click model as kernels see it, or refuse one that does not know all grades of the data."""
    if not isinstance(clicks, ClickModel):
        raise ParameterError(f"clicks must be a click model, such as clicks.perfect(); got {clicks!r}.")
    if clicks.grades < grades:
        raise ParameterError(
            f"clicks tells {counted(clicks.grades, 'grade')} apart, but the data has {grades}; use "
            f"grades={grades}."
        )
    user = clicks.user()
    if type(user) not in OVERLOADS[click_through]:
        raise ParameterError(
            f"clicks.user() returned a {type(user).__name__}, which kernels do not know; give it a body with "
            "@overload_for(click_through, ...)."
        )
    return user


class User(NamedTuple):
    """A click model of three tables of chances; past the end of one, its last row or column goes on."""

    attraction: FloatArray  # of each grade: the chance that a document looked at is clicked
    examination: FloatArray  # [place, 1 + place of the last click or 0]: the chance that it is looked at
    stop: FloatArray  # [place, grade]: the chance to leave after a click there


@borrowing
def looks(user: User, place: int, last: int) -> float:
    """Return the chance that someone still there looks at a place; `last` is 1 + the last click's, or 0."""
    rows, columns = user.examination.shape
    chance: float = user.examination[min(place, rows - 1), min(last, columns - 1)]
    return chance


@borrowing
def leaves(user: User, place: int, grade: int) -> float:
    """Return the chance to leave after a click."""
    rows, columns = user.stop.shape
    chance: float = user.stop[min(place, rows - 1), min(grade, columns - 1)]
    return chance


@overload_for(click_through, User)
def click_by_tables(user: User, grades: IntArray, shown: int, clicked: BoolArray, rng: Generator) -> None:
    """Go down the page: look at a place, click what attracts, and perhaps leave after a click."""
    last = 0
    gone = False
    for place in range(shown):
        clicked[place] = False
        if gone:
            continue
        grade = grades[place]
        if rng.random() < looks(user, place, last) * user.attraction[grade]:
            clicked[place] = True
            last = place + 1
            gone = rng.random() < leaves(user, place, grade)


@compiled
def log_chance(user: User, grades: IntArray, shown: int, clicked: BoolArray) -> float:
    """Return the logarithm of the chance that just these documents are clicked.

    After the last click the person has left, or looked on and clicked nothing: the two are summed.
    """
    total, unclicked = 0.0, 0.0
    last = 0
    leave = 0.0
    for place in range(shown):
        chance = looks(user, place, last) * user.attraction[grades[place]]
        if clicked[place]:
            total += log1p(-leave) + unclicked + log(chance)
            unclicked = 0.0
            last = place + 1
            leave = leaves(user, place, grades[place])
        else:
            unclicked += log1p(-chance)
    # of a person who never leaves, the sum is one term: its logarithm is known without rounding
    return total + (unclicked if leave == 0.0 else log(leave + (1.0 - leave) * exp(unclicked)))


@compiled
def click_chances(user: User, grades: IntArray, shown: int, chances: FloatArray) -> None:
    """Write the chance that each shown document is clicked, whatever happens above it."""
    there = np.zeros(shown + 1)  # the chances that the person is still there and clicked last at each place
    there[0] = 1.0
    for place in range(shown):
        grade = grades[place]
        click = 0.0
        for last in range(place + 1):
            chance = looks(user, place, last) * user.attraction[grade]
            click += there[last] * chance
            there[last] *= 1.0 - chance
        chances[place] = min(click, 1.0)  # rounding may lift the sum over
        there[place + 1] = click * (1.0 - leaves(user, place, grade))
