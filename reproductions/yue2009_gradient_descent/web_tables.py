"""Tables 2 and 3 beside the paper's, and whether its claims hold."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from duelist.files import write_whole
from duelist.ranking.linear import LinearRanker
from duelist.types import FloatArray
from reproductions.yue2009_gradient_descent.web_search import (
    DRAWN,
    EXPLOITATIONS,
    EXPLORATIONS,
    SHORT_EXPLORATIONS,
    Cell,
    Documents,
    Setting,
    compare,
    grid,
    quality,
)

WIDTH = 110
"""Of a printed table, in letters."""


def table_of(cells: Mapping[Setting, Cell], measure: str, explorations: Sequence[float]) -> FloatArray:
    """Return a measure of the runs with most queries an update, a row for every exploration."""
    values = [getattr(cells[setting], measure) for setting in grid(explorations)]
    return np.array(values).reshape(len(explorations), -1)


def peaks_inside(values: FloatArray) -> bool:
    """Return whether the largest number of a table stands neither in an outer row nor in an outer column."""
    row, column = np.unravel_index(values.argmax(), values.shape)
    return bool(0 < row < values.shape[0] - 1 and 0 < column < values.shape[1] - 1)


def largest_dip(line: Sequence[float] | FloatArray) -> float:
    """Return by how much a line at most falls and rises again: 0 if it has one peak."""
    values = np.asarray(line)
    left, right = np.maximum.accumulate(values), np.maximum.accumulate(values[::-1])[::-1]
    return float((np.minimum(left, right) - values).max())


def unevenness(values: FloatArray) -> float:
    """Return the largest dip of all rows and columns of a table."""
    return max(largest_dip(line) for line in (*values, *values.T))


def table_two(cells: Mapping[Setting, Cell], documents: Documents, expected: Mapping[str, Any]) -> bool:
    """Print Table 2 beside the paper's, and return whether it has one peak, inside the wider grid."""
    wider, holds = (*SHORT_EXPLORATIONS, *EXPLORATIONS), True
    for measure in ("average", "final"):
        ours = table_of(cells, measure, wider)
        title = f"Table 2, {documents.name}: {measure} NDCG@10 (ours/paper, on other documents)"
        table = Table(title=title, title_justify="left")
        for column in ("", *map(str, EXPLOITATIONS)):
            table.add_column(column)
        paper = dict(zip(EXPLORATIONS, expected[measure], strict=True))
        for explore, row in zip(wider, ours, strict=True):
            theirs = [f"/{value:.3f}" for value in paper[explore]] if explore in paper else [""] * len(row)
            beside = zip(row, theirs, strict=True)
            table.add_row(str(explore), *(f"{value:.3f}{other}" for value, other in beside))
        console = Console(width=WIDTH)
        console.print(table)
        for name, rows in (("the paper's grid", ours[len(SHORT_EXPLORATIONS) :]), ("the wider grid", ours)):
            inside, dip = peaks_inside(rows), unevenness(rows)
            console.print(f"{name}: peak inside: {inside}; largest dip {dip:.4f}")
        holds = holds and inside and dip <= expected["dip"][measure]
    return holds


def table_three(
    runs: Mapping[int, Sequence[Cell]], svm: LinearRanker, documents: Documents, expected: Mapping[str, Any]
) -> bool:
    """Print Table 3 beside the paper's, means of runs, and return whether both its claims hold."""
    title = f"Table 3, {documents.name}: final NDCG@10, mean (lowest-highest run)"
    table = Table(title=title, title_justify="left")
    for column in ("queries", "steps", "training", "paper", "validation", "test", "SVM wins", "paper"):
        table.add_column(column)
    goal = quality(svm, documents.training)
    held_out = (f"{quality(svm, data):.3f}" for data in (documents.validation, documents.test))
    table.add_row("SVM", "", f"{goal:.3f}", str(expected["svm"]), *held_out)
    means = []
    for (queries, cells), paper, theirs in zip(
        runs.items(), expected["final"], expected["contests"], strict=True
    ):
        first, finals = cells[0], [cell.final for cell in cells]
        ours = compare(svm, first.ranker, documents.training)
        means.append(np.mean(finals))
        table.add_row(
            str(queries),
            f"{first.setting.exploration:g}, {first.setting.exploitation:g}",
            f"{means[-1]:.3f} ({min(finals):.3f}-{max(finals):.3f})",
            f"{paper:.3f}",
            f"{np.mean([cell.validation for cell in cells]):.3f}",
            f"{np.mean([cell.test for cell in cells]):.3f}",
            f"{ours.wins}/{ours.ties}/{ours.losses}",
            "/".join(map(str, theirs)),
        )
    spread, lead = max(means) - min(means), max(means) / goal - 1.0
    Console(width=WIDTH).print(
        table,
        f"queries an update change the end by {spread:.4f}, tolerance {expected['spread']}",
        f"the best of them against the SVM: {lead:+.1%}, tolerance -{expected['behind']:.0%}",
        sep="\n",
    )
    return bool(spread <= expected["spread"] and lead >= -expected["behind"])


def write_found(
    path: Path,
    cells: Mapping[Setting, Cell],
    runs: Mapping[int, Sequence[Cell]],
    svm: LinearRanker,
    documents: Documents,
    horizon: int,
) -> Path:
    """Write all numbers into one file."""
    again = [
        numbers_of(cell, run) for of_queries in runs.values() for run, cell in enumerate(of_queries) if run
    ]
    parts = (documents.training, documents.validation, documents.test)
    found = {
        "documents": documents.name,
        "horizon": horizon,
        "svm": [round(quality(svm, data), 4) for data in parts],
        "runs": [numbers_of(cell, 0) for cell in cells.values()] + again,
        "contests": {
            queries: [asdict(compare(svm, cell.ranker, documents.training)) for cell in of_queries]
            for queries, of_queries in runs.items()
        },
        "figure 3": {
            queries: np.mean([cell.curve for cell in runs[queries]], axis=0).round(4).tolist()
            for queries in DRAWN
        },
    }
    return write_whole(path, json.dumps(found).replace("}, ", "},\n").encode() + b"\n")


def numbers_of(cell: Cell, run: int) -> dict[str, float]:
    """Return what a run was and what came out."""
    measures = {name: getattr(cell, name) for name in ("average", "final", "validation", "test")}
    return asdict(cell.setting) | {"run": run} | {name: round(value, 4) for name, value in measures.items()}
