"""Click models of three tables of chances, by the grades of the documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.clicks.user import User, click_by_tables, click_chances, log_chance
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_generator
from duelist.text import counted

Row: TypeAlias = Sequence[float] | FloatArray
Chances: TypeAlias = tuple[float, ...]
ChanceTable: TypeAlias = tuple[Chances, ...]


@dataclass(frozen=True)
class TableClickModel:
    """A user who reads a page from the top and clicks; functions such as `cascade` make the usual ones.

    Parameters
    ----------
    name : str
        The name of the model.
    attraction : sequence of float
        The chance that an examined document is clicked, for each grade from 0 on.
    examination : table of float
        `examination[place][last]`, with 0 for the top place: the chance that a place is examined. `last` is
        0 while nothing is clicked, else 1 + the place of the last click.
    stop : table of float
        `stop[place][grade]`: the chance to leave after a click. The last row and column of a table also
        apply beyond its end.

    Examples
    --------
    >>> import numpy as np
    >>> hasty = TableClickModel("hasty", attraction=(0.1, 0.9), examination=((1.0,),), stop=((1.0,),))
    >>> hasty.click([0, 1, 1], np.random.default_rng(0))
    array([False,  True, False])
    >>> hasty.chances([0, 1, 1]).round(3)
    array([0.1  , 0.81 , 0.081])
    """

    name: str
    attraction: Chances
    examination: ChanceTable
    stop: ChanceTable

    def __post_init__(self) -> None:
        """Check the tables of chances."""
        attraction = as_chances("attraction", self.attraction)
        examination = as_chances("examination", self.examination, dimensions=2)
        stop = as_chances("stop", self.stop, dimensions=2)
        if stop.shape[1] not in (1, len(attraction)):
            found, grades = counted(stop.shape[1], "column"), counted(len(attraction), "grade")
            raise ParameterError(f"stop has {found}; give one, or one for each of {grades}.")
        looks, stops = (tuple(map(tuple, table.tolist())) for table in (examination, stop))
        vars(self).update(attraction=tuple(attraction.tolist()), examination=looks, stop=stops)

    @property
    def grades(self) -> int:
        """The number of grades, from 0 on."""
        return len(self.attraction)

    def user(self) -> User:
        """Return the model for kernels; its arrays are shared, do not write to them."""
        return self._user

    @cached_property
    def _user(self) -> User:
        return User(np.array(self.attraction), np.array(self.examination), np.array(self.stop))

    def click(self, grades: ArrayLike, rng: Generator) -> BoolArray:
        """Return which documents of a page, given by their grades, are clicked."""
        require_generator(rng)
        shown = self._page(grades)
        clicked = np.empty(len(shown), np.bool_)
        click_by_tables(self._user, shown, len(shown), clicked, rng)
        return clicked

    def chances(self, grades: ArrayLike) -> FloatArray:
        """Return the chance of a click on each document of a page, whatever is clicked above it."""
        shown = self._page(grades)
        chances = np.empty(len(shown))
        click_chances(self._user, shown, len(shown), chances)
        return chances

    def log_chance(self, grades: ArrayLike, clicked: Sequence[bool] | BoolArray) -> float:
        """Return the logarithm of the chance that exactly these documents of a page are clicked."""
        shown = self._page(grades)
        flags = np.asarray(clicked, np.bool_)
        if flags.shape != shown.shape:
            expected = f"give a flag for each of {counted(len(shown), 'grade')}"
            raise ParameterError(f"clicked has shape {flags.shape}; {expected}.")
        return float(log_chance(self._user, shown, len(shown), flags))

    def _page(self, grades: ArrayLike) -> IntArray:
        given = np.asarray(grades)
        if given.ndim != 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
            raise ParameterError(f"grades must be whole numbers in a row; got {given.tolist()}.")
        page = np.ascontiguousarray(given, np.int64)
        for place in np.flatnonzero((page < 0) | (page >= self.grades))[:1]:
            raise unknown_grade(self, f"grades[{place}]", page[place])
        return page


def unknown_grade(model: TableClickModel, name: str, grade: int) -> ParameterError:
    """Return the error for a grade that a model does not know."""
    known = f"click model {model.name!r} knows grades 0 to {model.grades - 1}"
    return ParameterError(f"{name} is {grade}, but {known}; make it for as many grades as the data has.")


def as_chances(name: str, chances: ArrayLike, dimensions: int = 1) -> FloatArray:
    """Return a checked, new array of chances, in a row or a table, with at least one."""
    shape = "a row" if dimensions == 1 else "rows of the same length"
    try:
        array = np.array(chances, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != dimensions or array.size == 0:
        raise ParameterError(f"{name} must be numbers in {shape}, one at least; got {chances!r}.")
    for index in np.argwhere(~((array >= 0.0) & (array <= 1.0))):
        where = ", ".join(map(str, index))
        raise ParameterError(f"{name}[{where}] is {array[tuple(index)]}; a chance lies between 0 and 1.")
    return array
