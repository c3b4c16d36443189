"""What is to be done, and what came out: a function and a setting, and arrays."""

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
"""Called with the sources of data, and the setting as keywords; a function of a module, so that any process
finds it. Equal settings and sources give equal arrays, bit by bit, wherever it is called."""


class Scale(StrEnum):
    """How much is played."""

    QUICK = "quick"
    PAPER = "paper"


@dataclass(frozen=True)
class Piece:
    """A piece of work that takes seconds and needs no other piece; its result is one file."""

    name: str
    """Letters that any file system takes; no other piece of the item has the same."""
    work: Work
    setting: Mapping[str, Any] = field(default_factory=dict)
    """What it is called with: values that JSON knows."""
    cost: float = 1.0
    """How long it takes, compared with the other pieces of the item."""

    def do(self, sources: Sources) -> Arrays:
        """Return what comes out."""
        return self.work(sources, **self.setting)


def settings(**rows: tuple[Any, Any]) -> dict[Scale, SimpleNamespace]:
    """Return an item's numbers by scale, from a table with a row for each: quick, paper.

    Examples
    --------
    >>> settings(sizes=((16,), (16, 32, 64)), runs=(10, 100))[Scale.PAPER].runs
    100
    """
    return {
        scale: SimpleNamespace(**{name: row[place] for name, row in rows.items()})
        for place, scale in enumerate(Scale)
    }


def chunks(runs: int, together: int) -> list[tuple[int, int]]:
    """Return runs cut into pieces: the first run of each, and how many it has.

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

    Several settings that go together are a tuple in `over`, and so are their values; `fixed` ones are shared
    by all. The cost may be a function of the setting.

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
        told = [
            f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
            for key, value in varied.items()
        ]
        price = cost(SimpleNamespace(**setting)) if callable(cost) else cost
        pieces.append(Piece("-".join([name, *told] if name else told), work, setting, price))
    return pieces


class PieceResult(dict[str, NDArray[Any]]):
    """What came out of a piece of work: arrays by name, and the setting they belong to."""

    def __init__(self, setting: Mapping[str, Any], arrays: Arrays) -> None:
        super().__init__(arrays)
        self.setting = setting


class ItemResults(dict[str, PieceResult]):
    """What came out of an item's pieces so far, by their names, in the order of the plan.

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
        self.real = real  # False where the data was made up

    def where(self, **setting: Any) -> list[PieceResult]:
        """Return the results of the pieces that have these values in their settings."""
        return [one for one in self.values() if setting.items() <= one.setting.items()]

    def stacked(self, name: str, **setting: Any) -> NDArray[Any]:
        """Return an array of all pieces that have these values in their settings, one below the other."""
        return np.concatenate([one[name] for one in self.where(**setting)])
