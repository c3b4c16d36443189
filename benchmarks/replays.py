"""How many recorded votes the default learner needs, beside random pairs."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.data import available
from benchmarks.table import Figure, Table, compare, seconds
from duelist import Auto, Uniform, Votes, load_votes, replay
from duelist.laboratory import Sources
from duelist.replaying.result import ReplaySummary

RUNS = 200
RECORDED = ("wmt16-tur-eng", "wmt16-deu-eng")


def tables(sources: Sources, runs: int, files: Sequence[Path]) -> list[Table]:
    title = f"Recorded votes replayed, {runs} runs, one core"
    named = [*available(sources, "votes", RECORDED), *((file.name.split(".")[0], file) for file in files)]
    return [compare(title, figures(named, runs))]


def figures(named: Sequence[tuple[str, Path]], runs: int) -> Iterator[Figure]:
    for name, file in named:
        votes = load_votes(file)
        ours, our_time = replayed(Auto(), votes, runs)
        theirs, their_time = replayed(Uniform(), votes, runs)
        against = "Uniform, pairs at random"
        for what, mine, random in (
            ("votes until 90% stay right", ours.until_right, theirs.until_right),
            ("votes until sure, median", ours.until_sure, theirs.until_sure),
        ):
            ratio = random / mine if random and mine else None
            yield Figure(f"Auto, {name}: {what}", number(mine), number(random), against, ratio)
        yield Figure(
            f"the same: time of {runs} runs",
            f"{our_time:.1f} s",
            f"{their_time:.1f} s",
            against,
            their_time / our_time,
        )


def replayed(learner: Any, votes: Votes, runs: int) -> tuple[ReplaySummary, float]:
    """Return what came of replays, and how long they took once compiled."""
    play = partial(replay, learner, votes, seed=0, workers=1, progress=False)
    play(runs=1, limit=10)
    kept: list[ReplaySummary] = []
    elapsed = seconds(lambda: kept.extend(play(runs=runs).summary()))
    return kept[0], elapsed


def number(votes: int | None) -> str:
    return "beyond the limit" if votes is None else f"{votes:,}"
