"""How a figure and its baseline are measured and shown: in Markdown, to be pasted into the README."""

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray


class Figure(NamedTuple):
    what: str
    value: str
    baseline: str
    against: str
    ratio: float | None


class Table(NamedTuple):
    title: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[str, ...]]
    """Each is measured when it is shown."""


COLUMNS = ("what", "duelist", "baseline", "the baseline is", "ratio")
WORDS = ("what", "the baseline is", "matrix", "learner")
"""Columns that are read from the left; all others hold numbers."""


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rate(count: float, elapsed: float) -> str:
    return f"{count / elapsed / 1e6:,.2f} M/s"


def mean_and_error(values: FloatArray, digits: int = 0) -> str:
    """Return the mean of runs and its standard error."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{np.mean(values):,.{digits}f} ± {error:,.{digits}f}"


def compare(title: str, figures: Iterable[Figure]) -> Table:
    return Table(title, COLUMNS, ((*figure[:4], written(figure.ratio)) for figure in figures))


def written(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:,.1f}"


def show(table: Table) -> None:
    ruler = ("---" if column in WORDS else "---:" for column in table.columns)
    print(f"## {table.title}", "", line(table.columns), line(ruler), sep="\n", flush=True)
    for row in table.rows:
        print(line(row), flush=True)
    print()


def line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
