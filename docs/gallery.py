"""Write the gallery: every learner of the catalogue beside what reproductions found out about it.

`python docs/gallery.py [SUMMARY]` takes the summary.json of `duelist reproduce`, keeps it as
docs/reproduced.json, and writes docs/gallery.md; without one it writes the page again from what was kept.
"""

import json
import sys
from inspect import getdoc
from pathlib import Path
from typing import Any

from duelist.cli.catalogue import needs
from duelist.files import write_whole
from duelist.laboratory import Scale, choose, find_papers
from duelist.registry import SETTINGS, SOUGHT, purpose

FOLDER = Path(__file__).parent
KEPT, PAGE = FOLDER / "reproduced.json", FOLDER / "gallery.md"
REPRODUCTIONS = "../reproductions/src"


def reference(kind: type[Any]) -> str:
    """Return the first work that a learner's documentation cites: authors, year and title.

    Examples
    --------
    >>> from duelist import RUCB
    >>> reference(RUCB).partition(". ")[0]
    'Zoghi, Whiteson, Munos, de Rijke (2014)'
    """
    cited = (getdoc(kind) or "").partition("References\n----------\n")[2].partition("\n\n")[0]
    return ". ".join(" ".join(cited.split()).split(". ")[:2]).rstrip(".")


def verdicts(name: str, summary: dict[str, Any]) -> str:
    """Return how each reproduction came out that a learner takes part in, with a link to the paper's page."""
    folders = {paper.name: paper.package.replace(".", "/") for paper in find_papers()}
    found = []
    for item in summary["items"]:
        if name in item["learners"]:
            paper, _, part = item["name"].partition("/")
            link = f"[{paper} {part}]({REPRODUCTIONS}/{folders[paper]}/README.md)"
            counts = [verdict["holds"] for verdict in item["verdicts"]]
            word = item["verdict"]
            if counts.count(False):
                word = f"**{word}**, {counts.count(False)} of {len(counts)} claims"
            found.append(f"{link} {word}")
    return "<br>".join(found) or "in no figure of the five papers"


def gallery(summary: dict[str, Any]) -> str:
    """Return the page."""
    claims = [verdict["holds"] for item in summary["items"] for verdict in item["verdicts"]]
    lines = [
        "# Gallery",
        "",
        "Every learner, what it chooses from, what must be true for its promise, the winner it looks for,",
        "where it comes from, and whether the figures and tables in which it appears come out. Written by",
        "`make gallery` from the catalogue and the results of",
        f"`duelist reproduce --scale {summary['scale']} --data DIR`: of {len(claims)} claims",
        f"{claims.count(True)} hold, {claims.count(False)} fail and {claims.count(None)} could not be",
        "judged. A verdict is on the whole item, so a claim that fails may be about another learner; the",
        "paper's page tells.",
        "",
    ]
    for setting, learners in SETTINGS.items():
        lines += [
            f"## Learners for {setting}",
            "",
            "| learner | what it does | assumes | looks for | paper | reproductions |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        for name, kind in learners.items():
            cells = (purpose(kind), needs(kind), SOUGHT[name], reference(kind), verdicts(name, summary))
            lines.append(f"| `{name}` | {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
        lines.append("")
    return "\n".join(lines)


def checked(summary: dict[str, Any]) -> dict[str, Any]:
    """Refuse a summary that does not tell of everything, at the papers' scale, on real data."""
    told = {item["name"] for item in summary["items"]}
    missing = {paper.name_of(item) for paper, item in choose([])} - told
    made_up = [item["name"] for item in summary["items"] if item["data"] == "made up"]
    if summary["scale"] != Scale.PAPER or missing or made_up:
        raise SystemExit(
            "the gallery takes a summary of `duelist reproduce --scale paper --data DIR`; this one has the "
            f"scale {summary['scale']}, lacks {sorted(missing)}, and has made-up data in {made_up}."
        )
    return summary


def main(arguments: list[str]) -> None:
    """Keep a new summary, if one is given, and write the page."""
    content = Path(arguments[0] if arguments else KEPT).read_bytes()
    page = gallery(checked(json.loads(content)))
    write_whole(KEPT, content)
    write_whole(PAGE, page.encode())
    print(f"{PAGE} written")


if __name__ == "__main__":
    main(sys.argv[1:])
