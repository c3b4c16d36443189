"""A paper that claims something about squares, to try the laboratory on."""

import os
from collections.abc import Mapping, Sequence

import numpy as np

from duelist.figures import new_figure
from duelist.laboratory import (
    Arrays,
    Drawing,
    Expected,
    Finding,
    Item,
    ItemResults,
    Paper,
    Piece,
    ResultTable,
    Scale,
    Sources,
)


def square(sources: Sources, *, number: int) -> Arrays:
    return {"square": np.array([number**2])}


def square_or_end(sources: Sources, *, number: int) -> Arrays:
    """Square, but not in a process that is told to end here."""
    if os.environ.get("TOY_PAPER_ENDS_AT") == str(number):
        os._exit(9)
    return square(sources, number=number)


def plan(results: ItemResults) -> list[Piece]:
    """All squares."""
    numbers = range(3) if results.scale is Scale.QUICK else range(6)
    return [Piece(f"n={n}", square_or_end, {"number": n}, cost=1.0 + n) for n in numbers]


def plan_again(results: ItemResults) -> list[Piece]:
    """The largest again."""
    largest = max(int(one["square"][0]) for one in results.values())
    return [Piece("again", square, {"number": largest})]


def findings(results: ItemResults, expected: Expected) -> Mapping[str, Finding]:
    found = int(results["again"]["square"][0])
    wanted = expected["claims"]["fourth"]["paper"][results.scale]
    return {"fourth": Finding(f"{found}", found == wanted), "other": Finding("nothing", None, "no reason")}


def show(results: ItemResults, expected: Expected) -> Sequence[Drawing | ResultTable]:
    figure = new_figure(3.0, 2.0)
    values = [float(one["square"][0]) for one in results.values()]
    figure.subplots().plot(values)
    return [
        Drawing("squares", figure, "Squares & more"),
        ResultTable("All squares", ["piece", "square"], [[name, "1"] for name in results]),
    ]


SQUARES = Item(
    name="squares",
    title="Figure 1: squares <of> numbers",
    minutes=2.0,
    plan=plan,
    findings=findings,
    show=show,
    then=(plan_again,),
    learners=("RUCB",),
)
NEEDING = Item(
    "needing", "Table 1: on data", 1.0, plan, findings, show, (plan_again,), data=("squares/list.csv",)
)
PAPER = Paper("toy", "Toy (2026). On squares.", __name__, (SQUARES, NEEDING))
