"""Reproductions as one HTML page: figures as the papers have them, and a verdict on every claim."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from duelist.figures import write_figure
from duelist.files import remove_temporary_files, write_whole
from duelist.laboratory import Drawing, Judged, ResultTable, Scale, summary
from duelist.web.page import Figure, Part, TextTable, render


def reproduction_page(
    judged: Sequence[Judged], shown: Mapping[str, Sequence[Drawing | ResultTable]], scale: Scale
) -> str:
    """Return the page, as HTML; `shown` has the figures and tables of each item, by the item's name."""
    return render(
        "reproduction.html",
        title="Published experiments, played again",
        lead=lead(judged),
        extent=extent(judged, scale),
        papers=[list(items) for _, items in groupby(judged, key=lambda one: one.paper.name)],
        shown=shown,
        anchor=anchor,
        part_of=part_of,
        expectation=expectation,
    )


def write_reproduction(judged: Sequence[Judged], scale: Scale, folder: Path) -> None:
    """Write the page, the summary for programs and the figures into a folder."""
    remove_temporary_files(folder / "figures")
    shown = {one.name: one.item.show(one.results, one.expected) for one in judged}
    for one in judged:
        for part in shown[one.name]:
            if isinstance(part, Drawing):
                file = f"{one.paper.name}-{one.item.name}-{part.name}.svg"
                write_figure(part.figure, folder / "figures" / file)
    # The page comes after the files, because drawing into it makes the figures transparent.
    write_whole(folder / "report.html", reproduction_page(judged, shown, scale).encode())
    write_whole(folder / "summary.json", summary(judged, scale))


def lead(judged: Sequence[Judged]) -> str:
    """Return how many claims hold, in a sentence."""
    verdicts = [verdict.holds for one in judged for verdict in one.verdicts]
    words = {True: "hold", False: "fail", None: "could not be judged"}
    parts = ", ".join(f"{verdicts.count(one)} {word}" for one, word in words.items() if one in verdicts)
    return f"Of {len(verdicts)} claims, {parts}."


def extent(judged: Sequence[Judged], scale: Scale) -> str:
    """Return how much was played, and on what."""
    size = "at the papers' own scale" if scale is Scale.PAPER else "at a quick scale: a part of each"
    made_up = sum(one.data == "made up" for one in judged)
    mark = f" {made_up} of {len(judged)} items use made-up data." if made_up else ""
    return f"Played {size}.{mark}"


def anchor(one: Judged) -> str:
    """Return the id of an item on the page."""
    return one.name.replace("/", "-")


def expectation(value: Any) -> str:
    """Return the paper's number, or an exact one, in words; nothing where it is a table of them."""
    if value is None or isinstance(value, list | dict):
        return ""
    return f"Expected: {value if isinstance(value, str) else json.dumps(value)}"


def part_of(one: Judged, part: Drawing | ResultTable) -> Part:
    """Return a figure or a table of an item, ready for the page."""
    if isinstance(part, ResultTable):
        return TextTable(part.headings, part.rows, part.title, "plain")
    return Figure(lambda: [part.figure], [f"{one.item.title}: {part.name}"], part.caption)
