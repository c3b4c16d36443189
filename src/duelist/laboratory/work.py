"""What is to be done, and what came out: a function and a setting, and arrays."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

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


@dataclass(frozen=True)
class Result(Mapping[str, NDArray[Any]]):
    """What came out of a piece of work: arrays by name, and the setting they belong to."""

    setting: Mapping[str, Any]
    arrays: Arrays

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array."""
        return self.arrays[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the arrays."""
        return iter(self.arrays)

    def __len__(self) -> int:
        """Return the number of arrays."""
        return len(self.arrays)


@dataclass(frozen=True)
class Results(Mapping[str, Result]):
    """What came out of an item's pieces so far, by their names, in the order of the plan.

    Examples
    --------
    >>> import numpy as np
    >>> found = {f"k={k}": Result({"k": k}, {"ratio": np.array([k / 8])}) for k in (16, 32)}
    >>> results = Results(Scale.QUICK, real=True, found=found)
    >>> [float(one["ratio"][0]) for one in results.where(k=32)]
    [4.0]
    """

    scale: Scale
    real: bool
    """Whether the data is what the item asks for: False where it was made up."""
    found: Mapping[str, Result] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Result:
        """Return the result of one piece."""
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the pieces."""
        return iter(self.found)

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.found)

    def where(self, **setting: Any) -> list[Result]:
        """Return the results of the pieces that have these values in their settings."""
        return [one for one in self.values() if setting.items() <= one.setting.items()]
