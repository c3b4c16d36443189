"""Click models defined by three tables of probabilities, indexed by document grade."""

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
    """A user who reads a page from the top and clicks; functions such as `cascade` create the standard ones.

    Parameters
    ----------
    name : str
        The name of the model.
    attraction : sequence of float
        The probability of a click on an examined document, for each grade from 0.
    examination : table of float
        `examination[place][last]`, from the top place, 0: the probability that a place is examined. `last` is
        0 before the first click, then 1 + the place of the last click.
    stop : table of float
        `stop[place][grade]`: the probability of leaving after a click. The last row and column of a table
        also apply beyond its end.

    Raises
    ------
    ParameterError
        If a table is empty or irregular, or a probability is outside [0, 1].

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
        attraction = as_chances("attraction", self.attraction)
        examination = as_chances("examination", self.examination, dimensions=2)
        stop = as_chances("stop", self.stop, dimensions=2)
        if stop.shape[1] not in (1, len(attraction)):
            found, grades = counted(stop.shape[1], "column"), counted(len(attraction), "grade")
            raise ParameterError(f"stop has {found}; give 1, or one for each of {grades}.")
        looks, stops = (tuple(map(tuple, table.tolist())) for table in (examination, stop))
        vars(self).update(attraction=tuple(attraction.tolist()), examination=looks, stop=stops)

    @property
    def grades(self) -> int:
        """The number of grades, from 0 on."""
        return len(self.attraction)

    def user(self) -> User:
        """Return the model in the kernels' form.

        Returns
        -------
        User
            The tables of probabilities. The arrays are shared: do not write to them.

        Examples
        --------
        >>> from duelist.clicks import navigational
        >>> navigational(3).user().attraction
        array([0.05, 0.5 , 0.95])
        """
        return self._user

    @cached_property
    def _user(self) -> User:
        return User(np.array(self.attraction), np.array(self.examination), np.array(self.stop))

    def click(self, grades: ArrayLike, rng: Generator) -> BoolArray:
        """Draw the clicks on a page.

        Parameters
        ----------
        grades : array of int
            The grades of the page's documents, from the top.
        rng : numpy.random.Generator
            Draws the clicks.

        Returns
        -------
        array of bool
            Whether each document is clicked.

        Raises
        ------
        ParameterError
            If the model does not know a grade.

        Examples
        --------
        >>> import numpy as np
        >>> from duelist.clicks import perfect
        >>> perfect().click([0, 1], np.random.default_rng(0))
        array([False,  True])
        """
        require_generator(rng)
        shown = self._page(grades)
        clicked = np.empty(len(shown), np.bool_)
        click_by_tables(self._user, shown, len(shown), clicked, rng)
        return clicked

    def chances(self, grades: ArrayLike) -> FloatArray:
        """Return the marginal probability of a click on each document of a page.

        Parameters
        ----------
        grades : array of int
            The grades of the page's documents, from the top.

        Returns
        -------
        array of float
            The probability for each document, whatever is clicked above it.

        Raises
        ------
        ParameterError
            If the model does not know a grade.

        Examples
        --------
        >>> from duelist.clicks import cascade
        >>> cascade(attraction=[0.2, 0.8], stop=[0.0, 1.0]).chances([1, 1]).round(3)
        array([0.8 , 0.16])
        """
        shown = self._page(grades)
        chances = np.empty(len(shown))
        click_chances(self._user, shown, len(shown), chances)
        return chances

    def log_chance(self, grades: ArrayLike, clicked: Sequence[bool] | BoolArray) -> float:
        """Return the log-probability that exactly these documents of a page are clicked.

        Parameters
        ----------
        grades : array of int
            The grades of the page's documents, from the top.
        clicked : sequence of bool
            Whether each document is clicked.

        Returns
        -------
        float
            The natural logarithm of the probability.

        Raises
        ------
        ParameterError
            If the model does not know a grade, or `clicked` does not have one flag per grade.

        Examples
        --------
        >>> from duelist.clicks import random_clicks
        >>> round(random_clicks(0.5, grades=2).log_chance([0, 1], [True, False]), 3)
        -1.386
        """
        shown = self._page(grades)
        flags = np.asarray(clicked, np.bool_)
        if flags.shape != shown.shape:
            grades_given = counted(len(shown), "grade")
            raise ParameterError(
                f"clicked has shape {flags.shape}; give one flag for each of {grades_given}."
            )
        return float(log_chance(self._user, shown, len(shown), flags))

    def _page(self, grades: ArrayLike) -> IntArray:
        given = np.asarray(grades)
        if given.ndim != 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
            raise ParameterError(f"grades must be a row of whole numbers; got {given.tolist()}.")
        page = np.ascontiguousarray(given, np.int64)
        for place in np.flatnonzero((page < 0) | (page >= self.grades))[:1]:
            raise unknown_grade(self, f"grades[{place}]", page[place])
        return page


def unknown_grade(model: TableClickModel, name: str, grade: int) -> ParameterError:
    known = f"click model {model.name!r} has grades 0 to {model.grades - 1}"
    return ParameterError(f"{name} is {grade}, but {known}; create it with the data's number of grades.")


def as_chances(name: str, chances: ArrayLike, dimensions: int = 1) -> FloatArray:
    """Validate probabilities, in a row or a table, and return a copy."""
    shape = "a row of numbers" if dimensions == 1 else "rows of numbers of the same length"
    try:
        array = np.array(chances, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != dimensions or array.size == 0:
        raise ParameterError(f"{name} must be {shape}, at least one number; got {chances!r}.")
    for index in np.argwhere(~((array >= 0.0) & (array <= 1.0))):
        where = ", ".join(map(str, index))
        raise ParameterError(f"{name}[{where}] is {array[tuple(index)]}; give a probability from 0 to 1.")
    return array
