"""How light the package is in live use."""

import json
import sqlite3
import subprocess
import sys
import tracemalloc
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng

from benchmarks.table import Figure, seconds
from duelist import RUCB, Arms, Duel, Study, simulate
from duelist.journal import Answered
from duelist.journal.codec import encode
from duelist.kernels.duels import arm_buffer
from duelist.kernels.live import BACKGROUND
from duelist.learners.armed import rucb
from duelist.problems import random_bradley_terry

TURNS = 20_000


def import_time() -> Figure:
    def fastest(module: str) -> float:
        program = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
        runs = [
            subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(5)
        ]
        return min(float(run.stdout) for run in runs)

    ours, numba = fastest("duelist"), fastest("numba")
    return Figure("import duelist: seconds", f"{ours:.2f} s", f"{numba:.2f} s", "import numba", numba / ours)


class Turn(NamedTuple):
    """The microseconds of a question and its answer, on average."""

    early: float  # of the first 1,000
    late: float  # after 20,000


def ask_and_tell(study: Study) -> Turn:
    def answer(turns: int) -> float:
        def answer_all() -> None:
            for _ in range(turns):
                duel = study.ask()
                study.tell(duel, "left" if duel.left < duel.right else "right")

        return seconds(answer_all) / turns * 1e6

    answer(1)
    BACKGROUND.finish()  # until then kernels are interpreted
    early = answer(1_000)
    answer(TURNS)
    return Turn(early, answer(TURNS))


def questions(k: int) -> Figure:
    elapsed = ask_and_tell(Study(RUCB(), arms_of(k))).late
    plain = seconds(lambda: [json.loads(json.dumps([str(t), "left"])) for t in range(TURNS)]) / TURNS * 1e6
    return Figure(
        f"Study.ask + tell, RUCB, K={k}: microseconds",
        f"{elapsed:.1f} us",
        f"{plain:.1f} us",
        "writing and reading one answer as JSON",
        plain / elapsed,
    )


def questions_by_default(k: int) -> list[Figure]:
    ours, other = ask_and_tell(Study(arms=arms_of(k))), ask_and_tell(Study(RUCB(), arms_of(k)))
    name, against = f"Study.ask + tell, the default (Auto), K={k}", "the same with RUCB"
    return [
        Figure(f"{name}, {when}: microseconds", f"{mine:.1f} us", f"{its:.1f} us", against, its / mine)
        for when, mine, its in (
            ("the first 1,000", ours.early, other.early),
            (f"after {TURNS:,}", ours.late, other.late),
        )
    ]


def arms_of(k: int) -> list[str]:
    return [f"arm {i}" for i in range(k)]


def folding() -> Figure:
    k, answers, few = 64, 1_000_000, 5_000
    rng, learner = default_rng(0), RUCB()
    duels, outcomes = arm_buffer(answers), rng.integers(2, size=answers).astype(np.float64)
    duels.sides[:] = rng.permuted(np.tile(np.arange(k), (answers, 1)), axis=1)[:, :2]
    state, rules = learner.init(Arms(k), rng), learner.rules(k)
    rucb.fold(rules, state, duels, outcomes)
    told = [Duel(left, right) for left, right in duels.sides[:few].tolist()]

    def tell_some() -> None:
        later = state
        for duel, outcome in zip(told, outcomes, strict=False):
            later = learner.tell(later, duel, outcome)

    ours, singly = (
        seconds(lambda: rucb.fold(rules, state, duels, outcomes)),
        seconds(tell_some) * answers / few,
    )
    return Figure(
        "RUCB's compiled fold, a million answers, K=64: seconds",
        f"{ours:.2f} s",
        f"{singly:.1f} s",
        f"tell, one after the other, scaled from {few:,}",
        singly / ours,
    )


def journal_size() -> Figure:
    k, turns = 64, 1_000
    with TemporaryDirectory() as folder:
        study = Study(RUCB(), arms_of(k))
        begun = study.save(Path(folder) / "begun.jsonl").stat().st_size
        for turn in range(turns):
            study.tell(study.ask(voter=f"visitor-{turn}"), "left")
        size = (study.save(Path(folder) / "votes.jsonl").stat().st_size - begun) / turns
    plain = len(json.dumps({"left": "arm 17", "right": "arm 44", "outcome": "left", "voter": "visitor-17"}))
    return Figure(
        "a study as JSON lines: bytes an answer",
        f"{size:.0f} B",
        f"{plain} B",
        "names, outcome and voter alone",
        plain / size,
    )


def telling() -> Figure:
    """Tell, and commit as many rows by the driver alone, in turns: a disk is now fast and now slow."""
    turns, some = 100, 20
    with TemporaryDirectory() as folder, closing(plain_sqlite(Path(folder) / "plain.db")) as plain:
        study = Study(RUCB(), arms_of(16), journal=Path(folder) / "votes.db")
        study.tell(study.ask(), "left")
        BACKGROUND.finish()
        event = encode(study._journal.read()[-1].event).decode()
        ours = theirs = 0.0
        for turn in range(turns):
            duels = [study.ask(voter=f"visitor-{turn}-{number}") for number in range(some)]
            tickets = [f"{turn}-{number}" for number in range(some)]
            theirs += seconds(partial(commit_each, plain, tickets, event))
            ours += seconds(partial(tell_each, study, duels))
    count = turns * some
    return Figure(
        "Study.tell on SQLite: answers committed a second",
        f"{count / ours:,.0f}",
        f"{count / theirs:,.0f}",
        "rows by sqlite3 alone: BEGIN IMMEDIATE, INSERT, COMMIT; WAL, synchronous FULL",
        theirs / ours,
    )


def plain_sqlite(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {setting}")
    connection.execute("CREATE TABLE votes (number integer PRIMARY KEY, ticket text UNIQUE, event text)")
    return connection


def commit_each(connection: sqlite3.Connection, tickets: list[str], event: str) -> None:
    for ticket in tickets:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO votes (ticket, event) VALUES (?, ?)", (ticket, event))
        connection.execute("COMMIT")


def tell_each(study: Study, duels: list[Duel]) -> None:
    for duel in duels:
        study.tell(duel, "left")


def opening() -> Figure:
    answers, at_once = 1_000_000, 100_000
    with TemporaryDirectory() as folder:
        path = Path(folder) / "votes.db"
        study = Study(RUCB(), arms_of(64), journal=path)
        drawn = default_rng(0).integers([0, 1, 0], [64, 64, 2], (answers, 3)).tolist()
        events = [
            Answered(ticket=f"t-{place:020d}", left=left, right=(left + step) % 64, outcome=float(won))
            for place, (left, step, won) in enumerate(drawn)
        ]
        for start in range(0, answers, at_once):
            study._journal.append(events[start : start + at_once])

        def open_anew() -> None:
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("DELETE FROM snapshots")
            Study.open(path)

        Study.open(path)
        BACKGROUND.finish()
        fresh, kept = seconds(open_anew), seconds(lambda: Study.open(path))
    return Figure(
        "Study.open, a million answers, K=64: seconds",
        f"{kept:.2f} s",
        f"{fresh:.2f} s",
        "without a snapshot",
        fresh / kept,
    )


def memory() -> Figure:
    def peak(horizon: int) -> int:
        tracemalloc.start()
        simulate(RUCB(), random_bradley_terry(16), horizon, runs=10, checkpoints=[10], progress=False)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(1000)
    short, long = peak(1000), peak(10**9)
    return Figure(
        "peak memory of a simulation to 10^9 rounds, K=16, 10 runs: kB",
        f"{long / 1e3:.0f} kB",
        f"{short / 1e3:.0f} kB",
        "the same to 10^3 rounds",
        short / long,
    )


def figures() -> list[Figure]:
    return [
        import_time(),
        questions(16),
        questions(64),
        questions(1000),
        *questions_by_default(16),
        *questions_by_default(64),
        folding(),
        telling(),
        journal_size(),
        opening(),
        memory(),
    ]
