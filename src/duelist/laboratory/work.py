"""Units of work, each a function with a setting, and their results: arrays."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelist.laboratory.sources import Sources

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Work: TypeAlias = Callable[..., Arrays]
"""Takes the data sources and the setting as keywords. It must be a function of a module, for other processes
to find it, and return identical arrays, bit by bit, for equal settings and sources."""


class Scale(StrEnum):
    """The scale of experiments: quick, or the paper's.

    Examples
    --------
    >>> Scale("quick") is Scale.QUICK
    True
    """

    QUICK = "quick"
    PAPER = "paper"


@dataclass(frozen=True)
class Piece:
    """An independent piece of work that takes seconds; its result is one file.

    Parameters
    ----------
    name : str
        A unique name within the item, of characters that any file system accepts.
    work : callable
        A function of a module, which takes the data sources and the setting as keywords.
    setting : mapping, default {}
        The arguments, as JSON-compatible values.
    cost : float, default 1.0
        The duration relative to other pieces of the item.

    Examples
    --------
    >>> Piece("sum", lambda sources, *, numbers: {"sum": np.array(sum(numbers))}, {"numbers": [1, 2]}).cost
    1.0
    """

    name: str
    work: Work
    setting: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 1.0

    def do(self, sources: Sources) -> Arrays:
        """Run the work.

        Parameters
        ----------
        sources : Sources
            The data.

        Returns
        -------
        mapping of str to array
            The result.

        Examples
        --------
        >>> def add(sources, *, numbers):
        ...     return {"sum": np.array(sum(numbers))}
        >>> Piece("sum", add, {"numbers": [1, 2]}).do(Sources(None))
        {'sum': array(3)}
        """
        return self.work(sources, **self.setting)


def settings(**rows: tuple[Any, Any]) -> dict[Scale, SimpleNamespace]:
    """Return an item's numbers by scale, from a table with a row per number: quick, paper.

    Parameters
    ----------
    **rows
        The two values of each number, by its name.

    Returns
    -------
    dict of Scale to SimpleNamespace
        The numbers of each scale, as attributes.

    Examples
    --------
    >>> settings(sizes=((16,), (16, 32, 64)), runs=(10, 100))[Scale.PAPER].runs
    100
    """
    return {
        scale: SimpleNamespace(**{name: row[index] for name, row in rows.items()})
        for index, scale in enumerate(Scale)
    }


def chunks(runs: int, together: int) -> list[tuple[int, int]]:
    """Cut runs into pieces.

    Parameters
    ----------
    runs : int
        The number of runs.
    together : int
        The maximum number of runs per piece.

    Returns
    -------
    list of tuple of int
        The first run of each piece, and its number of runs.

    Examples
    --------
    >>> chunks(25, 10)
    [(0, 10), (10, 10), (20, 5)]
    """
    return [(first, min(together, runs - first)) for first in range(0, runs, together)]


def grid(
    work: Work,
    over: Mapping[Any, Iterable[Any]],
    fixed: Mapping[str, Any] | None = None,
    *,
    name: str = "",
    cost: float | Callable[[SimpleNamespace], float] = 1.0,
) -> list[Piece]:
    """Return a piece for every combination of values, named after them.

    Parameters
    ----------
    work : callable
        The work of all pieces.
    over : mapping
        The values of each parameter of the setting. Parameters that vary together have a tuple of names as
        the key, and tuples as values.
    fixed : mapping, optional
        The parameters that all pieces share.
    name : str, default ""
        The prefix of the names.
    cost : float or callable, default 1.0
        The cost of a piece, or a function of its setting.

    Returns
    -------
    list of Piece
        The pieces.

    Examples
    --------
    >>> def play(sources, *, k, first, runs, horizon): ...
    >>> pieces = grid(play, {"k": (4, 8), ("first", "runs"): chunks(9, 5)}, {"horizon": 100}, name="it")
    >>> [piece.name for piece in pieces][:2]
    ['it-k=4-first=0-runs=5', 'it-k=4-first=5-runs=4']
    >>> pieces[0].setting
    {'k': 4, 'first': 0, 'runs': 5, 'horizon': 100}
    """
    pieces = []
    for values in product(*over.values()):
        varied: dict[str, Any] = {}
        for names, value in zip(over, values, strict=True):
            varied |= {names: value} if isinstance(names, str) else dict(zip(names, value, strict=True))
        setting = {**varied, **(fixed or {})}
        words = [
            f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
            for key, value in varied.items()
        ]
        price = cost(SimpleNamespace(**setting)) if callable(cost) else cost
        pieces.append(Piece("-".join([name, *words] if name else words), work, setting, price))
    return pieces


class PieceResult(dict[str, NDArray[Any]]):
    """The result of a piece: arrays by name, with their setting.

    Parameters
    ----------
    setting : mapping
        The piece's setting.
    arrays : mapping of str to array
        The arrays.

    Examples
    --------
    >>> PieceResult({"k": 2}, {"sum": np.array(3)}).setting
    {'k': 2}
    """

    def __init__(self, setting: Mapping[str, Any], arrays: Arrays) -> None:
        super().__init__(arrays)
        self.setting = setting


class ItemResults(dict[str, PieceResult]):
    """The results of an item's pieces so far, by name, in the order of the plan.

    Parameters
    ----------
    scale : Scale
        The scale of the experiments.
    real : bool
        Whether the data is real, not made up.
    found : mapping of str to PieceResult, optional
        The results.

    Examples
    --------
    >>> import numpy as np
    >>> found = {f"k={k}": PieceResult({"k": k}, {"ratio": np.array([k / 8])}) for k in (16, 32)}
    >>> results = ItemResults(Scale.QUICK, real=True, found=found)
    >>> [float(one["ratio"][0]) for one in results.where(k=32)]
    [4.0]
    """

    def __init__(self, scale: Scale, real: bool, found: Mapping[str, PieceResult] | None = None) -> None:
        super().__init__(found or {})
        self.scale = scale
        self.real = real

    def where(self, **setting: Any) -> list[PieceResult]:
        """Return the results of the pieces with these values in their settings.

        Parameters
        ----------
        **setting
            The values by name.

        Returns
        -------
        list of PieceResult
            The results.

        Examples
        --------
        >>> found = {"k=2": PieceResult({"k": 2}, {"sum": np.array(3)})}
        >>> results = ItemResults(Scale.QUICK, real=True, found=found)
        >>> len(results.where(k=2)), len(results.where(k=3))
        (1, 0)
        """
        return [one for one in self.values() if setting.items() <= one.setting.items()]

    def stacked(self, name: str, **setting: Any) -> NDArray[Any]:
        """Concatenate an array of all pieces with these values in their settings.

        Parameters
        ----------
        name : str
            The name of the array.
        **setting
            The values by name.

        Returns
        -------
        array
            The arrays, concatenated along the first axis.

        Examples
        --------
        >>> found = {f"k={k}": PieceResult({"k": k}, {"ratio": np.array([k / 8])}) for k in (16, 32)}
        >>> ItemResults(Scale.QUICK, real=True, found=found).stacked("ratio")
        array([2., 4.])
        """
        return np.concatenate([one[name] for one in self.where(**setting)])
