"""Columns of a table of votes: dictionary-encoded texts, and checked numbers."""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError

MISSING = -1


class Texts(NamedTuple):
    """A dictionary-encoded column of texts.

    Examples
    --------
    >>> Texts.of(["ann", None, "bob", "ann"])
    Texts(names=('ann', 'bob'), codes=array([ 0, -1,  1,  0]))
    """

    names: tuple[str, ...]
    codes: IntArray
    """Each row's index into `names`; -1 if its text is missing."""

    @classmethod
    def of(cls, texts: "Iterable[str | None] | Texts") -> "Texts":
        """Encode texts as a column.

        Parameters
        ----------
        texts : iterable of str or None, or Texts
            The texts; None and empty texts are missing.

        Returns
        -------
        Texts
            The column.

        Raises
        ------
        ParameterError
            If a value is neither a text nor None.

        Examples
        --------
        >>> Texts.of(["ann", ""]).codes
        array([ 0, -1])
        """
        if isinstance(texts, Texts):
            return texts
        known: dict[str, int] = {}
        codes = [known.setdefault(text, len(known)) if text else MISSING for text in texts]
        for text in known:
            if not isinstance(text, str):
                raise ParameterError(f"a text column has {text!r:.60}; give strings, or None if missing.")
        return cls(tuple(known), np.array(codes, np.int64))

    @property
    def missing(self) -> BoolArray:
        """Flags of the rows without a text."""
        return np.asarray(self.codes == MISSING)

    def tolist(self) -> list[str | None]:
        """Return the text of every row.

        Returns
        -------
        list of str or None
            The texts; None where missing.

        Examples
        --------
        >>> Texts(("ann", "bob"), np.array([1, -1, 0])).tolist()
        ['bob', None, 'ann']
        """
        names: list[str | None] = [*self.names, None]
        return [names[code] for code in self.codes.tolist()]

    def take(self, rows: "BoolArray | IntArray") -> "Texts":
        """Return some of the rows.

        Parameters
        ----------
        rows : array
            Boolean flags or row numbers.

        Returns
        -------
        Texts
            The chosen rows.

        Examples
        --------
        >>> Texts.of(["ann", "bob"]).take(np.array([1])).tolist()
        ['bob']
        """
        return Texts(self.names, self.codes[rows])


TextColumn: TypeAlias = Iterable[str | None] | Texts


def as_numbers(name: str, given: ArrayLike) -> FloatArray:
    try:
        return np.ascontiguousarray(given, np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be a list of numbers; {error}.") from error


def as_whole_numbers(name: str, given: ArrayLike) -> IntArray:
    if isinstance(given, np.ndarray) and given.dtype == np.int64:
        return np.ascontiguousarray(given)
    numbers = as_numbers(name, given)
    for wrong in numbers[~(numbers % 1.0 == 0.0)][:1]:
        raise ParameterError(f"{name} must be whole numbers; got {wrong}.")
    return numbers.astype(np.int64)
