"""Kernels of click models.

A click model is a NamedTuple whose type selects the overload of `click_through`. The cascade, position-based,
dependent click and user browsing models all have one form, `User`.
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
    """Write which of the shown documents are clicked; the hook of a click model's kernel.

    Add an overload with `@overload_for(click_through, YourModel)`.

    Parameters
    ----------
    model : NamedTuple
        The click model in the kernels' form.
    grades : array of int
        The grades of the page's documents; they are not validated.
    shown : int
        The number of documents on the page.
    clicked : array of bool
        Receives the clicks.
    rng : numpy.random.Generator
        Draws the clicks.

    Raises
    ------
    TypeError
        If it is called outside a kernel.

    Examples
    --------
    >>> from duelist.clicks import perfect
    >>> clicked = np.zeros(2, np.bool_)
    >>> click_page(perfect().user(), np.array([0, 1]), 2, clicked, np.random.default_rng(0))
    >>> clicked
    array([False,  True])
    """
    raise TypeError(NO_BODY)


@compiled
def click_page(model: Any, grades: IntArray, shown: int, clicked: BoolArray, rng: Generator) -> None:
    """Call `click_through` from Python."""
    click_through(model, grades, shown, clicked, rng)


def user_for(clicks: ClickModel, grades: int) -> Any:
    """Return a click model in the kernels' form, after checking that it knows all grades of the data."""
    if not isinstance(clicks, ClickModel):
        raise ParameterError(f"clicks must be a click model, such as clicks.perfect(); got {clicks!r}.")
    if clicks.grades < grades:
        known = counted(clicks.grades, "grade")
        raise ParameterError(f"clicks has {known}, but the data has {grades}; use grades={grades}.")
    user = clicks.user()
    if type(user) not in OVERLOADS[click_through]:
        fault = f"clicks.user() returned a {type(user).__name__}, which has no kernel"
        raise ParameterError(f"{fault}; add one with @overload_for(click_through, {type(user).__name__}).")
    return user


class User(NamedTuple):
    """Three tables of probabilities; the last row and column of each also apply beyond its end."""

    attraction: FloatArray  # [grade]: the probability of a click on an examined document
    examination: FloatArray  # [place, 1 + place of the last click or 0]: the probability of examination
    stop: FloatArray  # [place, grade]: the probability of leaving after a click


@borrowing
def entry(table: FloatArray, row: int, column: int) -> float:
    rows, columns = table.shape
    return float(table[min(row, rows - 1), min(column, columns - 1)])


@overload_for(click_through, User)
def click_by_tables(user: User, grades: IntArray, shown: int, clicked: BoolArray, rng: Generator) -> None:
    """Go down the page: examine a place, maybe click, and maybe leave after a click."""
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
    # after the last click the user left, or stayed without another click: sum both probabilities, except if
    # users never leave, where the logarithm is exact
    return total + (unclicked if leave == 0.0 else log(leave + (1.0 - leave) * exp(unclicked)))


@compiled
def click_chances(user: User, grades: IntArray, shown: int, chances: FloatArray) -> None:
    """Write the marginal probability of a click on each shown document."""
    reading = np.zeros(shown + 1)  # the probability of still reading, by the place of the last click
    reading[0] = 1.0
    for place in range(shown):
        grade = grades[place]
        click = 0.0
        for last in range(place + 1):
            chance = entry(user.examination, place, last) * user.attraction[grade]
            click += reading[last] * chance
            reading[last] *= 1.0 - chance
        chances[place] = min(click, 1.0)  # rounding can push the sum above 1
        reading[place + 1] = click * (1.0 - entry(user.stop, place, grade))
