"""Kernels of click models.

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
    """Write which of the shown documents are clicked, given by their grades, which are not checked."""
    raise TypeError(NO_BODY)


@compiled
def click_page(model: Any, grades: IntArray, shown: int, clicked: BoolArray, rng: Generator) -> None:
    """Write the clicks of any model on a page: `click_through`, compiled for calls from Python."""
    click_through(model, grades, shown, clicked, rng)


def user_for(clicks: ClickModel, grades: int) -> Any:
    """Return a click model for kernels, or refuse one that does not know all grades of the data."""
    if not isinstance(clicks, ClickModel):
        raise ParameterError(f"clicks must be a click model, such as clicks.perfect(); got {clicks!r}.")
    if clicks.grades < grades:
        known = counted(clicks.grades, "grade")
        raise ParameterError(f"clicks tells {known} apart, but the data has {grades}; use grades={grades}.")
    user = clicks.user()
    if type(user) not in OVERLOADS[click_through]:
        fault = f"clicks.user() returned a {type(user).__name__}, which has no kernel"
        raise ParameterError(f"{fault}; give it a body with @overload_for(click_through, ...).")
    return user


class User(NamedTuple):
    """A click model of three tables of chances; the last row and column of each apply beyond its end."""

    attraction: FloatArray  # for each grade: the chance that an examined document is clicked
    examination: FloatArray  # [place, 1 + place of the last click or 0]: the chance that it is examined
    stop: FloatArray  # [place, grade]: the chance to leave after a click there


@borrowing
def entry(table: FloatArray, row: int, column: int) -> float:
    """Return a chance of a table, whose last row and column also apply beyond its end."""
    rows, columns = table.shape
    return float(table[min(row, rows - 1), min(column, columns - 1)])


@overload_for(click_through, User)
def click_by_tables(user: User, grades: IntArray, shown: int, clicked: BoolArray, rng: Generator) -> None:
    """Go down the page: examine a place, click what attracts, and perhaps leave after a click."""
    last, gone = 0, False
    for place in range(shown):
        grade = grades[place]
        chance = 0.0 if gone else entry(user.examination, place, last) * user.attraction[grade]
        clicked[place] = not gone and rng.random() < chance
        if clicked[place]:
            last = place + 1
            gone = rng.random() < entry(user.stop, place, grade)


@compiled
def log_chance(user: User, grades: IntArray, shown: int, clicked: BoolArray) -> float:
    """Return the logarithm of the chance that exactly these documents are clicked."""
    total, unclicked, leave = 0.0, 0.0, 0.0
    last = 0
    for place in range(shown):
        chance = entry(user.examination, place, last) * user.attraction[grades[place]]
        if clicked[place]:
            total += log1p(-leave) + unclicked + log(chance)
            unclicked = 0.0
            last = place + 1
            leave = entry(user.stop, place, grades[place])
        else:
            unclicked += log1p(-chance)
    # after the last click the user has left, or has stayed and clicked nothing: the chances are added, unless
    # users never leave, where the logarithm is known without rounding
    return total + (unclicked if leave == 0.0 else log(leave + (1.0 - leave) * exp(unclicked)))


@compiled
def click_chances(user: User, grades: IntArray, shown: int, chances: FloatArray) -> None:
    """Write the chance that each shown document is clicked, whatever happens above it."""
    there = np.zeros(shown + 1)  # the chances that the user is still there and clicked last at each place
    there[0] = 1.0
    for place in range(shown):
        grade = grades[place]
        click = 0.0
        for last in range(place + 1):
            chance = entry(user.examination, place, last) * user.attraction[grade]
            click += there[last] * chance
            there[last] *= 1.0 - chance
        chances[place] = min(click, 1.0)  # rounding may lift the sum over
        there[place + 1] = click * (1.0 - entry(user.stop, place, grade))
