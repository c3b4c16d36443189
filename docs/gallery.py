"""Write the gallery: every learner of the registry, and the outcome of its reproductions.

`python docs/gallery.py [SUMMARY]` writes docs/gallery.md and the table of docs/learners.md. It copies the
summary.json of `duelist reproduce` to docs/reproduced.json; without an argument, it reads that copy.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from duelist.card import Setting, card_of
from duelist.files import write_whole
from duelist.laboratory import Scale, choose, find_papers
from duelist.registry import ESTIMATORS, learners_for, purpose

FOLDER = Path(__file__).parent
KEPT, PAGE, CHOICE = FOLDER / "reproduced.json", FOLDER / "gallery.md", FOLDER / "learners.md"
BEGIN, END = "<!-- learners: written by make derived -->", "<!-- end of learners -->"
REPRODUCTIONS = "../reproductions/src"


def verdicts(name: str, summary: dict[str, Any]) -> str:
    """Return the verdict of each reproduction that includes a learner, with a link to the paper's page."""
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
    claims = [verdict["holds"] for item in summary["items"] for verdict in item["verdicts"]]
    lines = [
        "# Gallery",
        "",
        "Every learner: what it does, its assumptions, the winner it looks for, its guarantee and its paper,",
        "and whether the figures, tables and theorems in which it appears were reproduced. `make derived`",
        "writes this page from the registry and the results of",
        f"`duelist reproduce --scale {summary['scale']} --data DIR`. Of its {len(claims)} claims,",
        f"{claims.count(True)} hold, {claims.count(False)} fail and {claims.count(None)} could not be",
        "judged. The last column judges a whole figure, table or theorem, so a failing claim may be about",
        "another learner; see the linked page.",
        "",
    ]
    for title, learners in parts().items():
        lines += [
            f"## {title}",
            "",
            "| name | what it does | assumes | looks for | regret | paper | reproductions |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        ]
        for name, kind in learners.items():
            card = card_of(kind)
            cells = (purpose(kind), card.assumes, card.seeks, card.regret, card.citation)
            lines.append(row(name, *cells, verdicts(name, summary)))
        lines.append("")
    return "\n".join(lines)


def parts() -> dict[str, Mapping[str, type[Any]]]:
    """Return the learners of each setting, and the estimators, by the headings of the page."""
    settings = {f"Learners for {setting}": learners_for(setting) for setting in get_args(Setting)}
    return {**settings, "Estimators, from a log of duels in contexts": ESTIMATORS}


def row(name: str, *cells: str) -> str:
    return f"| `{name}` | {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def with_table(text: str) -> str:
    """Return docs/learners.md with a new table of learners over arms."""
    lines = ["| learner | finds | needs | regret | needs a horizon |", "| --- | --- | --- | --- | --- |"]
    for name, kind in learners_for("arms").items():
        card = card_of(kind)
        lines.append(row(name, card.seeks, card.assumes, card.regret, "yes" if card.needs_horizon else "no"))
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return "".join([before, BEGIN, "\n", "\n".join(lines), "\n", END, after])


def checked(summary: dict[str, Any]) -> dict[str, Any]:
    """Check that a summary covers every item, at the papers' scale, on real data."""
    covered = {item["name"] for item in summary["items"]}
    missing = {paper.name_of(item) for paper, item in choose([])} - covered
    made_up = [item["name"] for item in summary["items"] if item["data"] == "made up"]
    if summary["scale"] != Scale.PAPER or missing or made_up:
        raise SystemExit(
            f"the summary has the scale {summary['scale']}, lacks {sorted(missing)}, and has made-up data in "
            f"{made_up}; pass one of `duelist reproduce --scale paper --data DIR`."
        )
    return summary


def main(arguments: list[str]) -> None:
    """Copy a new summary, if one is given, and write the page."""
    content = Path(arguments[0] if arguments else KEPT).read_bytes()
    page = gallery(checked(json.loads(content)))
    write_whole(KEPT, content)
    write_whole(PAGE, page.encode())
    write_whole(CHOICE, with_table(CHOICE.read_text("utf-8")).encode())
    print(f"{PAGE} and the table in {CHOICE} written")


if __name__ == "__main__":
    main(sys.argv[1:])
