"""Replays: the request, its report as one HTML page, and the numbers as JSON and CSV."""

import csv
import io
import json
import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from duelist.duel import FloatArray
from duelist.files import write_whole
from duelist.replaying import ReplayResult
from duelist.replaying.report import COLUMNS, READING, REMARK, draw_replay_panels, rows, size, truth
from duelist.replaying.result import as_votes
from duelist.web.page import Command, Document, Figure, Section, TextTable

FILES = ("report.html", "replay.json", "replay.csv")  # files that `write_replay` writes
FORMAT, VERSION = "duelist.replay", 1


@dataclass(frozen=True)
class ReplayRequest:
    """A request for a replay, in the words of the command line."""

    file: str
    learners: tuple[str, ...]
    arms: tuple[str, ...]
    runs: int
    seed: int
    delta: float
    limit: int
    reading: tuple[str, ...] = ()
    """Options for reading the file."""

    @property
    def command(self) -> str:
        """The command that repeats the request."""
        words = ["duelist", "replay", self.file]
        for option, values in (("--learner", self.learners), ("--arm", self.arms)):
            for value in values:
                words += [option, value]
        words += ["--runs", str(self.runs), "--seed", str(self.seed)]
        words += ["--delta", str(self.delta), "--limit", str(self.limit)]
        return shlex.join([*words, *self.reading])


def replay_document(request: ReplayRequest, result: ReplayResult) -> Document:
    return Document(
        title=f"Votes of {Path(request.file).name}, replayed",
        lead=result.verdict,
        facts={
            "Truth": truth(result),
            "Played": f"{size(result)} In each run all learners see the same random stream.",
            "Arms": ", ".join(result.arms),
        },
        sections=[
            Section("Summary", [replay_table(result), READING, REMARK]),
            Section("Runs that are right, and sure", [replay_figure(result)]),
        ],
        appendix=[
            Section("Learners", [{name: one.description for name, one in result.items()}]),
            Section("Reproduce this report", [Command(request.command)]),
        ],
    )


def replay_table(result: ReplayResult) -> TextTable:
    return TextTable(COLUMNS, rows(result), "Votes needed; the learner that is sure first comes first")


def replay_figure(result: ReplayResult) -> Figure:
    right = (
        f"name {result.winner} from that many votes on"
        if result.winner
        else "have proven by that many votes that there is no winner"
    )
    caption = (
        f"Left: the share of runs that {right}. Right: the share of runs that have stopped because their "
        "votes prove a winner, or that there is none. The scale of votes is logarithmic. Learners differ in "
        "colour, dashes and markers."
    )

    titles = ("Share of runs that are right over votes", "Share of runs that are sure over votes")
    return Figure(lambda: draw_replay_panels(result), titles, caption)


def as_json(request: ReplayRequest, result: ReplayResult) -> dict[str, Any]:
    """Return the request, the summary and every run as JSON values; null means beyond the limit."""
    facts = ("arms", "votes", "winner", "verdict")
    learners = [
        {
            **line._asdict(),
            "description": result[line.learner].description,
            "right_from": listed(result[line.learner].right_from),
            "votes_until_sure": listed(result[line.learner].votes_until_sure),
            "stopped_at": result[line.learner].stopped_at.tolist(),
        }
        for line in result.summary()
    ]
    found = {fact: getattr(result, fact) for fact in facts}
    return {"format": FORMAT, "version": VERSION, "asked": asdict(request), **found, "learners": learners}


def listed(votes: FloatArray) -> list[int | None]:
    return [as_votes(number) for number in votes.tolist()]


def as_csv(result: ReplayResult) -> str:
    """Return the summary as CSV, with two columns per interval; empty means beyond the limit."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    for index, line in enumerate(result.summary()):
        cells = dict[str, object]()
        for name, value in line._asdict().items():
            ends = value if isinstance(value, tuple) else None
            cells |= {name: value} if ends is None else {f"{name}_low": ends[0], f"{name}_high": ends[1]}
        if index == 0:
            writer.writerow(cells)
        writer.writerow(cells.values())
    return content.getvalue()


def write_replay(request: ReplayRequest, result: ReplayResult, folder: Path) -> None:
    """Write the page, the numbers as JSON and the summary as CSV into a folder."""
    # rendered before the first file is written: if that fails, no file is left behind
    page = replay_document(request, result).page()
    numbers = json.dumps(as_json(request, result), indent=1)
    for name, text in zip(FILES, (page, numbers, as_csv(result)), strict=True):
        write_whole(folder / name, text.encode(errors="backslashreplace"))
