"""Reproductions as one HTML page: the papers' figures and tables, and a verdict on every claim."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from duelist.figures import write_figure
from duelist.files import remove_temporary_files, write_whole
from duelist.laboratory import Drawing, Judged, ResultTable, Scale, summary
from duelist.text import counted
from duelist.web.page import Figure, Part, TextTable, render


def reproduction_page(
    judged: Sequence[Judged], displayed: Mapping[str, Sequence[Drawing | ResultTable]], scale: Scale
) -> str:
    """Return the page as HTML; `displayed` has the figures and tables of each item, by its name."""
    return render(
        "reproduction.html",
        title="Published experiments, reproduced",
        lead=lead(judged),
        extent=extent(judged, scale),
        papers=[list(items) for _, items in groupby(judged, key=lambda one: one.paper.name)],
        displayed=displayed,
        anchor=anchor,
        part_of=part_of,
        expectation=expectation,
    )


def write_reproduction(judged: Sequence[Judged], scale: Scale, folder: Path) -> None:
    """Write the page, the summary for programs and the figures into a folder."""
    remove_temporary_files(folder / "figures")
    displayed = {one.name: one.item.show(one.results, one.expected) for one in judged}
    for one in judged:
        for part in displayed[one.name]:
            if isinstance(part, Drawing):
                file = f"{one.paper.name}-{one.item.name}-{part.name}.svg"
                write_figure(part.figure, folder / "figures" / file)
    # after the files, because drawing into the page makes figures transparent
    write_whole(folder / "report.html", reproduction_page(judged, displayed, scale).encode())
    write_whole(folder / "summary.json", summary(judged, scale))


def lead(judged: Sequence[Judged]) -> str:
    verdicts = [verdict.holds for one in judged for verdict in one.verdicts]
    words = {True: ("holds", "hold"), False: ("fails", "fail"), None: ("could not be judged",) * 2}
    counts = {one: verdicts.count(one) for one in words if one in verdicts}
    parts = ", ".join(f"{many} {words[one][many > 1]}" for one, many in counts.items())
    return f"Of {counted(len(verdicts), 'claim')}, {parts}."


def extent(judged: Sequence[Judged], scale: Scale) -> str:
    size = "at the papers' own scale" if scale is Scale.PAPER else "at the quick scale, a part of each item"
    made_up = sum(one.data == "made up" for one in judged)
    remark = f" {made_up} of {len(judged)} items use made-up data." if made_up else ""
    return f"Run {size}.{remark}"


def anchor(one: Judged) -> str:
    return one.name.replace("/", "-")


def expectation(value: Any) -> str:
    """Return the expected number in words; empty for a table of numbers."""
    if value is None or isinstance(value, list | dict):
        return ""
    return f"Expected: {value if isinstance(value, str) else json.dumps(value)}"


def part_of(one: Judged, part: Drawing | ResultTable) -> Part:
    if isinstance(part, ResultTable):
        return TextTable(part.headings, part.rows, part.title, "plain")
    return Figure(lambda: [part.figure], [f"{one.item.title}: {part.name}"], part.caption)
