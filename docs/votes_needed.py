"""Write the figure and the table of votes needed on recorded votes.

`python docs/votes_needed.py [REPLAY ...]` reads the replay.json of `duelist replay --out`, one for each file
of votes, and stores their summaries in docs/votes-needed.json; without arguments, it reads that file. It
writes docs/images/votes-needed.svg and the table in docs/replay.md.
"""

import json
import sys
from math import log10
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from duelist.files import write_whole

FOLDER = Path(__file__).parent
KEPT, FIGURE, PAGE = (
    FOLDER / "votes-needed.json",
    FOLDER / "images" / "votes-needed.svg",
    FOLDER / "replay.md",
)
BEGIN, END = "<!-- votes needed: written by docs/votes_needed.py -->", "<!-- end of votes needed -->"
NAMES = {
    "Auto": "Auto",
    "DoubleThompsonSampling": "Double Thompson",
    "RUCB": "RUCB",
    "Uniform": "random pairs",
}
WIDTH, LEFT, RIGHT, ROW = 760, 150, 40, 30
LEAST, MOST = 2.0, 5.0  # the ends of the axis, as powers of ten
STYLE = """
  text { font: 14px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1d2328; }
  .soft { font-size: 12px; fill: #5b6670; }
  .title { font-weight: 650; }
  .paper { fill: #fdfdfc; }
  .grid { stroke: #838d96; stroke-opacity: .35; }
  .mark { stroke: #5b6670; fill: #5b6670; stroke-width: 2; }
  .ours { stroke: #0072b2; fill: #0072b2; }
  .mark.open { fill: #fdfdfc; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e6e8; }
    .soft { fill: #9aa4ad; }
    .paper, .mark.open { fill: #16191c; }
    .grid { stroke: #6a757f; stroke-opacity: .6; }
    .mark { stroke: #9aa4ad; fill: #9aa4ad; }
    .ours { stroke: #56b4e9; fill: #56b4e9; }
  }
"""


def summary(replay: dict[str, Any]) -> dict[str, Any]:
    """Return what is stored of a replay: its settings, and the numbers of every learner."""
    needed = ("until_right", "until_right_interval", "until_sure", "until_sure_interval")
    learners = [{name: line[name] for name in ("learner", *needed)} for line in replay["learners"]]
    name = Path(replay["asked"]["file"]).name
    asked = {key: replay["asked"][key] for key in ("runs", "seed", "delta", "limit")}
    return {
        "file": name,
        "votes": replay["votes"],
        "arms": len(replay["arms"]),
        **asked,
        "learners": learners,
    }


def ordered(one: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the learners of a replay in the order of `NAMES`."""
    found = {line["learner"]: line for line in one["learners"]}
    return [found[name] for name in NAMES]


def title_of(one: dict[str, Any]) -> str:
    return f"{one['file'].split('.')[0]}: {one['votes']:,} votes on {one['arms']} translation systems"


def figure(kept: list[dict[str, Any]]) -> str:
    """Return the figure as SVG, with colours for light and dark."""
    parts, top = list[str](), 34
    for one in kept:
        parts.append(f'<text class="title" x="16" y="{top}">{escape(title_of(one))}</text>')
        bottom = top + 14 + ROW * len(NAMES)
        for power in range(int(LEAST), int(MOST) + 1):
            x = position(10.0**power)
            parts.append(f'<path class="grid" d="M{x} {top + 12}V{bottom}"/>')
            parts.append(
                f'<text class="soft" x="{x}" y="{bottom + 16}" text-anchor="middle">{10**power:,}</text>'
            )
        for row, line in enumerate(ordered(one)):
            parts += figure_row(line, top + 12 + ROW * row + ROW // 2)
        top = bottom + 58
    height = top - 4
    y, keys = height - 20, list[str]()
    for x, form, words in (
        (LEFT + 6, " open", "votes until 90% of runs stay right"),
        (LEFT + 286, "", "until the verdict, median; lines: 95% intervals"),
    ):
        keys.append(f'<circle class="mark{form}" cx="{x}" cy="{y}" r="5"/>')
        keys.append(f'<text class="soft" x="{x + 12}" y="{y + 4}">{words}</text>')
    description = "; ".join(f"{title_of(one)}: {in_words(one)}" for one in kept)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>Votes needed to find the winner</title>\n<desc>{escape(description)}</desc>",
            f'<style>{STYLE}</style>\n<rect class="paper" width="{WIDTH}" height="{height}" rx="6"/>',
            *parts,
            *keys,
            "</svg>\n",
        ]
    )


def figure_row(line: dict[str, Any], y: int) -> list[str]:
    kind = "mark ours" if line["learner"] == "Auto" else "mark"
    parts = [f'<text x="{LEFT - 14}" y="{y + 5}" text-anchor="end">{NAMES[line["learner"]]}</text>']
    for aim, form in (("until_right", " open"), ("until_sure", "")):
        low, high = line[f"{aim}_interval"]
        x = position(line[aim])
        parts.append(f'<path class="{kind}" d="M{position(low)} {y}H{position(high)}"/>')
        parts.append(f'<circle class="{kind}{form}" cx="{x}" cy="{y}" r="5"/>')
        parts.append(f'<text class="soft" x="{x}" y="{y - 9}" text-anchor="middle">{line[aim]:,}</text>')
    return parts


def position(votes: float) -> float:
    """Return the horizontal position of a number of votes."""
    return round(LEFT + (WIDTH - LEFT - RIGHT) * (log10(votes) - LEAST) / (MOST - LEAST), 1)


def in_words(one: dict[str, Any]) -> str:
    return ", ".join(
        f"{NAMES[line['learner']]}: right after {line['until_right']:,}, sure after {line['until_sure']:,}"
        for line in ordered(one)
    )


def table(kept: list[dict[str, Any]]) -> str:
    lines = [
        "| votes | learner | until 90% of runs stay right | until sure, median | times as many as Auto |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in kept:
        first, name = ordered(one)[0], one["file"].split(".")[0]
        for line in ordered(one):
            needed, many = list[str](), list[str]()
            for aim in ("until_right", "until_sure"):
                low, high = line[f"{aim}_interval"]
                needed.append(f"{line[aim]:,} ({low:,} to {high:,})")
                many.append(f"{line[aim] / first[aim]:.1f}")
            cells = (name, NAMES[line["learner"]], *needed, " / ".join(many))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def with_table(page: str, kept: list[dict[str, Any]]) -> str:
    """Return the page with a new table."""
    before, _, rest = page.partition(BEGIN)
    return "".join([before, BEGIN, "\n", table(kept), "\n", END, rest.partition(END)[2]])


def main(arguments: list[str]) -> None:
    """Store new results, if any are given, and write the figure and the table."""
    kept = [summary(json.loads(Path(path).read_bytes())) for path in arguments]
    kept = kept or json.loads(KEPT.read_bytes())
    write_whole(KEPT, (json.dumps(kept, indent=1) + "\n").encode())
    write_whole(FIGURE, figure(kept).encode())
    write_whole(PAGE, with_table(PAGE.read_text("utf-8"), kept).encode())
    print(f"{FIGURE} and the table in {PAGE} written")


if __name__ == "__main__":
    main(sys.argv[1:])
