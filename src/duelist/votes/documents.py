"""Files of votes that are not tables: PrefLib ballots and promptfoo results."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duelist.errors import FileError
from duelist.tables.table import Column, Notes, Table
from duelist.text import counted, enumeration

PREFLIB = (".soc", ".soi", ".toc", ".toi")
"""File name extensions of ballots: strict or with ties, complete or incomplete."""
NAME = re.compile(r"#\s*ALTERNATIVE NAME\s+(\d+)\s*:\s*(.*)", re.IGNORECASE)
LEVEL = r"(?:\{[^{},:]+(?:,[^{},:]+)*\}|[^{},:]+)"
BALLOT = re.compile(rf"\s*([0-9]+)\s*:\s*((?:{LEVEL}(?:,{LEVEL})*)?)\s*,?\s*")
FAILED = 2
"""promptfoo's failure reason for a provider error, as opposed to a failed assertion."""


def is_preflib(path: str | os.PathLike[str], text: str) -> bool:
    """Return whether a file holds PrefLib ballots, judging by its name and its first line."""
    return "".join(Path(path).suffixes[-2:]).removesuffix(".gz").endswith(PREFLIB) or text.startswith(
        "# FILE NAME"
    )


def read_preflib(path: str | os.PathLike[str], text: str) -> Table:
    r"""Return the ballots of a PrefLib file as a table of rankings and counts.

    Examples
    --------
    >>> names = "# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Bob\n"
    >>> table = read_preflib("x.toc", f"{names}3: 2,1\n1: {{1,2}}\n")
    >>> table.columns["ranking"].values, table.columns["count"].tolist()
    ([[['Bob'], ['Ann']], [['Ann', 'Bob']]], [3, 1])
    """
    names: dict[str, str] = {}
    ballots, lines, single = list[Any](), list[int](), 0
    counts = list[int]()
    for number, line in enumerate(text.split("\n"), start=1):
        if named := NAME.match(line):
            if named[1] in names:
                raise FileError(f"{path}, line {number}: alternative {named[1]} has two names; keep one.")
            names[named[1]] = named[2].strip() or named[1]
        elif line.strip() and not line.startswith("#"):
            ballot = BALLOT.fullmatch(line)
            if ballot is None:
                raise FileError(
                    f"{path}, line {number}: {line[:60]!r} is not a ballot; give `count: 1,2,{{3,4}}`, and a "
                    "line `# ALTERNATIVE NAME 1: ...` for every alternative, as in PrefLib since 2022."
                )
            levels = []
            for level in re.findall(LEVEL, ballot[2]):
                arms = [arm.strip() for arm in level.strip("{} ").split(",") if arm.strip()]
                if unknown := [arm for arm in arms if arm not in names]:
                    raise FileError(
                        f"{path}, line {number}: alternative {unknown[0]!r:.60} has no name; add "
                        f"`# ALTERNATIVE NAME {unknown[0]:.60}: ...`."
                    )
                if arms:
                    levels.append([names[arm] for arm in arms])
            if sum(map(len, levels)) < 2:
                single += int(ballot[1])
                continue
            ballots.append(levels)
            counts.append(int(ballot[1]))
            lines.append(number)
    if len(set(names.values())) < len(names):
        raise FileError(f"{path}: two alternatives have the same name; give each a unique name.")
    if not ballots:
        raise FileError(
            f"{path}: no ballot ranks two alternatives; give at least one that does, such as `1: 1,2`."
        )
    notes = Notes(str(path))
    if single:
        notes.remarks.append(f"Left out: {counted(single, 'ballot')} with fewer than two alternatives.")
    ranked = {name for levels in ballots for level in levels for name in level}
    if unranked := [f"{name!r:.60}" for name in names.values() if name not in ranked]:
        notes.remarks.append(
            f"Left out: {counted(len(unranked), 'alternative')} on no ballot ({enumeration(unranked)})."
        )
    columns = {"ranking": Column.of(ballots), "count": Column.of(counts)}
    return Table(("ranking", "count"), columns, len(ballots), lambda row: f"line {lines[row]}", notes)


def is_promptfoo(content: Any) -> bool:
    """Return whether decoded JSON is the output of `promptfoo eval --output`."""
    results = content.get("results") if isinstance(content, Mapping) else None
    inner = results.get("results") if isinstance(results, Mapping) else results
    rows = inner if isinstance(inner, list) else []
    return bool(rows) and all(isinstance(row, Mapping) and "provider" in row for row in rows)


def read_promptfoo(path: str | os.PathLike[str], content: Mapping[str, Any]) -> Table:
    """Return promptfoo results as a table of rankings: the arms of each test case, ordered by score.

    An arm is a prompt, a provider, or a combination of both if both vary.
    """
    results = content["results"]
    rows = results["results"] if isinstance(results, Mapping) else results
    found: dict[str, dict[str, float]] = {}
    labels = [
        (_label(row.get("prompt"), "label", "raw"), _label(row.get("provider"), "label", "id"))
        for row in rows
    ]
    many = [len({label[part] for label in labels}) > 1 for part in (0, 1)]
    failed = 0
    for number, (row, label) in enumerate(zip(rows, labels, strict=True), start=1):
        if row.get("failureReason") == FAILED:
            failed += 1
            continue
        arm = " / ".join(part for part, wanted in zip(label, many, strict=True) if wanted) or label[1]
        arm = " ".join(arm.split())[:200]
        item = str(row.get("testIdx", row.get("vars")))
        score = row.get("score")
        if not isinstance(score, int | float):
            raise FileError(f"{path}, result {number}: the score is missing; run promptfoo with assertions.")
        if arm in found.setdefault(item, {}):
            raise FileError(
                f"{path}, result {number}: {arm!r:.60} has two scores on test case {item:.60}; keep one."
            )
        found[item][arm] = float(score)
    alone = sum(len(scores) < 2 for scores in found.values())
    found = {item: scores for item, scores in found.items() if len(scores) > 1}
    if not found:
        raise FileError(f"{path}: no test case has two outputs; compare at least two prompts or providers.")
    rankings = []
    for scores in found.values():
        levels: dict[float, list[str]] = {}
        for arm, score in scores.items():
            levels.setdefault(score, []).append(arm)
        rankings.append([levels[score] for score in sorted(levels, reverse=True)])
    items = list(found)
    notes = Notes(str(path))
    notes.remarks.append("The outputs of each test case are ranked by score.")
    if alone:
        notes.remarks.append(f"Left out: {counted(alone, 'test case')} with a single output.")
    if failed:
        notes.remarks.append(f"Left out: {counted(failed, 'result')} of failed providers.")
    columns = {"ranking": Column.of(rankings), "item": Column.of(items)}
    return Table(("ranking", "item"), columns, len(rankings), lambda row: f"test case {items[row]}", notes)


def _label(given: Any, *fields: str) -> str:
    if isinstance(given, Mapping):
        return next((str(given[field]) for field in fields if given.get(field)), "")
    return "" if given is None else str(given)
