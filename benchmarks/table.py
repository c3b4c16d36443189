"""How a figure and its baseline are measured and shown."""

import time
from collections.abc import Callable
from typing import NamedTuple

from rich.console import Console
from rich.table import Table


class Figure(NamedTuple):
    what: str
    value: str
    baseline: str
    against: str
    ratio: float


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rate(count: float, elapsed: float) -> str:
    return f"{count / elapsed / 1e6:,.2f} M/s"


def show(title: str, figures: list[Figure]) -> None:
    table = Table(title=title, title_justify="left")
    for column in ("what", "duelist", "baseline", "the baseline is", "ratio"):
        table.add_column(column, justify="right" if column in ("duelist", "baseline", "ratio") else "left")
    for figure in figures:
        table.add_row(figure.what, figure.value, figure.baseline, figure.against, f"{figure.ratio:,.1f}")
    Console(width=130).print(table)
