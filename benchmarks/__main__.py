"""Measure and print everything, or the parts that are named; takes long, and wants an idle machine."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks import (
    arena,
    contextual,
    default,
    delay,
    file_to_leaderboard,
    interleaving,
    leaderboard,
    learners,
    online_ranking,
    parameters,
    parsing,
    ranking_metrics,
    ratings,
    replays,
    reproductions,
    service,
    shell,
    votes,
    walks,
    winners,
)
from benchmarks.table import Figure, Table, compare, show
from duelist.errors import DuelistError
from duelist.laboratory import Sources

COMPARED: dict[str, tuple[str, Callable[[], Iterable[Figure]]]] = {
    "learners": ("Simulation", learners.figures),
    "shell": ("Live use", shell.figures),
    "service": ("The service", service.figures),
    "arena": ("The arena", arena.figures),
    "parameters": ("Few answers", parameters.figures),
    "interleaving": ("Interleaving", interleaving.figures),
    "ranking": ("Learning to rank", online_ranking.figures),
    "metrics": ("Measures of rankings", ranking_metrics.figures),
    "parsing": ("Loading", parsing.figures),
    "votes": ("Recorded comparisons", votes.figures),
    "ratings": ("Ratings", ratings.figures),
    "file": ("From a file to a leaderboard", file_to_leaderboard.figures),
    "winners": ("Winners", winners.figures),
    "contextual": ("Contexts", contextual.figures),
    "reproductions": ("Published experiments", reproductions.figures),
}
OTHERS = ("default", "replays", "delay", "leaderboard")
"""Parts that can be told how many runs to play, some of which read real data."""


def tables_of(part: str, given: Namespace) -> Iterable[Table]:
    if part == "default":
        return default.tables(Sources(given.data), given.runs or default.RUNS)
    if part == "replays":
        return replays.tables(Sources(given.data), given.runs or replays.RUNS, given.votes)
    if part == "delay":
        return delay.tables(given.runs or delay.RUNS)
    if part == "leaderboard":
        return leaderboard.tables(given.runs or leaderboard.RUNS)
    if part == "walks":
        return walks.tables()
    title, figures = COMPARED[part]
    return [compare(title, figures())]


def main() -> None:
    parts = (*OTHERS, *COMPARED, "walks")
    folder = os.environ.get("DUELIST_DATA")
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(parts)}; all by default")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(folder) if folder else None,
        help="a folder with preferences/*.csv and votes/*.csv.gz; by default what DUELIST_DATA says",
    )
    parser.add_argument("--runs", type=int, help=f"runs to play, for {', '.join(OTHERS)}")
    parser.add_argument(
        "--votes", type=Path, action="append", default=[], help="a file of votes for replays; several times"
    )
    given = parser.parse_args()
    unknown = set(given.parts) - set(parts)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(parts)}.")
    if given.runs is not None and given.runs < 1:
        parser.error(f"--runs must be at least 1; got {given.runs}.")
    try:
        for part in given.parts or parts:
            for table in tables_of(part, given):
                show(table)
    except DuelistError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
