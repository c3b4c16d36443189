"""Reproductions as one HTML page: figures as the papers have them, and a verdict on every claim."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from duelist import __version__
from duelist.laboratory import Drawing, Judged, Scale, Table, Verdict
from duelist.laboratory.verdicts import WORDS
from duelist.web.figures import inline_svg
from duelist.web.page import element, grid, page, picture

KINDS = {True: "holds", False: "fails", None: "open"}
STYLE = """<style>
.claims td, .claims th { text-align: left; white-space: normal; vertical-align: top; }
.claims tbody tr:first-child td { font-weight: inherit; }
.claims td:first-child { white-space: nowrap; }
.plain tbody tr:first-child td { font-weight: inherit; }
.plain { margin: 1.2rem 0; font-size: .88rem; }
.plain th, .plain td { padding: .35rem .55rem; }
.plain th { white-space: normal; vertical-align: bottom; min-width: 4rem; }
.plain th:first-child, .plain td:first-child { padding-left: 0; min-width: 0; }
.verdict { border-radius: 3px; padding: .1rem .5rem; font-weight: 600; font-size: .9rem;
           white-space: nowrap; }
.holds { background: #009e7333; } .fails { background: #d55e0055; } .open { background: #e69f0033; }
.soft, .made-up { color: var(--soft); font-size: .92rem; }
.made-up { border-left: 3px solid #e69f00; padding-left: .8rem; }
section { margin-top: 3.2rem; } section h3 { font-size: 1.02rem; margin: 2.2rem 0 .5rem; }
figure { margin: 1.4rem 0; } li { margin: .25rem 0; max-width: 46rem; }
nav a { color: var(--accent); text-decoration: none; } h2 { font-size: 1.35rem; }
</style>"""


def reproduction_page(
    judged: Sequence[Judged], shown: Mapping[str, Sequence[Drawing | Table]], scale: Scale
) -> str:
    """Return the page."""
    title = "Published experiments, played again"
    return page(
        title,
        [
            STYLE,
            element("h1", title),
            element("p", lead(judged, scale), "lead"),
            contents(judged),
            *(
                paper_section(list(items), shown)
                for _, items in groupby(judged, key=lambda one: one.paper.name)
            ),
            element("footer", f"Written by duelist {__version__}. This page needs no network."),
        ],
    )


def lead(judged: Sequence[Judged], scale: Scale) -> str:
    """Return how many claims hold, in a sentence or two."""
    verdicts = [verdict.holds for one in judged for verdict in one.verdicts]
    counts = {
        "hold": verdicts.count(True),
        "fail": verdicts.count(False),
        "could not be judged": verdicts.count(None),
    }
    parts = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    size = "at the papers' own scale" if scale is Scale.PAPER else "at a quick scale: a part of each"
    made_up = sum(one.data == "made up" for one in judged)
    mark = f" {made_up} of {len(judged)} items use made-up data." if made_up else ""
    return f"Of {len(verdicts)} claims, {parts}; played {size}.{mark}"


def contents(judged: Sequence[Judged]) -> str:
    """Return a table of all items with links to them."""
    rows = "".join(
        f'<tr><td><a href="#{anchor(one)}">{escape(one.name)}</a></td><td>{escape(one.item.title)}</td>'
        f"<td>{escape(one.data)}</td><td>{badge(one.holds, one.word)}</td></tr>"
        for one in judged
    )
    head = "".join(element("th", heading) for heading in ("item", "what it is", "data", "verdict"))
    return (
        f'<nav class="claims scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></nav>'
    )


def anchor(one: Judged) -> str:
    """Return an item's place on the page."""
    return one.name.replace("/", "-")


def badge(holds: bool | None, word: str) -> str:
    """Return a verdict in its colour; the word says it too."""
    return element("span", word, f"verdict {KINDS[holds]}")


def paper_section(items: Sequence[Judged], shown: Mapping[str, Sequence[Drawing | Table]]) -> str:
    """Return all items of one paper."""
    paper = items[0].paper
    parts = [element("h2", paper.name), element("p", paper.citation, "soft")]
    return "\n".join(["<section>", *parts, *(item_part(one, shown[one.name]) for one in items), "</section>"])


def item_part(one: Judged, shown: Sequence[Drawing | Table]) -> str:
    """Return an item: verdicts, figures and tables, and where it deviates from the paper."""
    parts = [f'<h3 id="{anchor(one)}">{escape(one.item.title)} {badge(one.holds, one.word)}</h3>']
    if one.data == "made up":
        files = ", ".join(one.item.data)
        parts.append(
            element("p", f"Made-up data stands in for {files}, which was not given by --data.", "made-up")
        )
    parts.append(claims(one.verdicts))
    for part in shown:
        parts.append(drawn(one, part) if isinstance(part, Drawing) else tabled(part))
    notes = "".join(element("li", note) for note in one.expected.get("notes", []))
    if notes:
        parts.append(f"{element('p', 'Where this differs from the paper:')}<ul>{notes}</ul>")
    return "\n".join(parts)


def claims(verdicts: Sequence[Verdict]) -> str:
    """Return every claim beside what came out."""
    rows = "".join(
        f"<tr><td>{badge(one.holds, WORDS[one.holds])}</td><td>{escape(one.claim)}{wanted(one.paper)}</td>"
        f"<td>{escape(one.ours)}{aside(one.note)}</td><td>{escape(one.why)}</td></tr>"
        for one in verdicts
    )
    head = "".join(
        element("th", heading) for heading in ("verdict", "the paper", "ours", "why this tolerance")
    )
    return (
        f'<div class="claims scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def wanted(value: Any) -> str:
    """Return the paper's number, or an exact one, where it is one and not a table of them."""
    if value is None or isinstance(value, list | dict):
        return ""
    return aside(f"Expected: {value if isinstance(value, str) else json.dumps(value)}")


def aside(text: str) -> str:
    """Return a remark below a text."""
    return f'<br><span class="soft">{escape(text)}</span>' if text else ""


def drawn(one: Judged, drawing: Drawing) -> str:
    """Return a figure with its caption."""
    name = f"{anchor(one)}-{drawing.name}"
    return picture(inline_svg(drawing.figure, name, f"{one.item.title}: {drawing.name}"), drawing.caption)


def tabled(table: Table) -> str:
    """Return a table with its title."""
    return f'<div class="plain">{element("p", table.title)}{grid(table.headings, table.rows)}</div>'
