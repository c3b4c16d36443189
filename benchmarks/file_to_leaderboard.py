"""What a leaderboard of a file of votes costs: a new process from CSV to ratings with intervals."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.table import Figure
from duelist.duel import FloatArray

VOTES, ARMS, TRIES = 1_000_000, 200, 3
VARIABLE = "ARENA_RANK_PYTHON"
"""Names a Python that has arena-rank, which is no dependency of this package."""
VERSION = "0.1.1"
MOST_APART = 0.001
"""How far two ratings of an arm, or the ends of their intervals, may be apart, in log-odds."""

# a process inherits the peak of the one that starts it, so that a small one stands between
MEASURE = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], check=True, capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, json.loads(done.stdout)]))
"""
OURS = """
import json, sys
import duelist
found = duelist.ratings.fit_bradley_terry(duelist.load_votes(sys.argv[1]))
print(json.dumps({arm.arm: (arm.rating, arm.low, arm.high) for arm in found.rows()}))
"""
THEIRS = """
import json, math, sys
import pandas
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset
dataset = PairDataset.from_pandas(pandas.read_csv(sys.argv[1]))
model = BradleyTerry(n_competitors=len(dataset.competitors), scale=1.0, base=math.e, init_rating=0.0)
found = pandas.DataFrame(model.compute_ratings_and_cis(dataset)).sort_values("ratings", ascending=False)
columns = (found[name].tolist() for name in ("competitors", "ratings", "rating_lower", "rating_upper"))
print(json.dumps({arm: numbers for arm, *numbers in zip(*columns)}))
"""


class Cost(NamedTuple):
    """What a process used, and the leaderboard that it printed."""

    seconds: float
    """Of the processor, the system's included."""
    peak: float
    """Bytes of memory."""
    leaderboard: dict[str, list[float]]
    """For each arm, best first, its rating and the ends of its interval, in log-odds."""


def write_votes(path: Path, votes: int = VOTES, arms: int = ARMS) -> Path:
    """Write votes of a Bradley-Terry model, a tenth of them ties, as arenas publish them."""
    rng = np.random.default_rng(0)
    strengths = rng.normal(0.0, 0.5, arms)
    left = rng.integers(0, arms, votes)
    right = (left + rng.integers(1, arms, votes)) % arms
    wins = rng.random(votes) * (1.0 + np.exp(strengths[right] - strengths[left])) < 1.0
    winners = np.where(rng.random(votes) < 0.1, "tie", np.where(wins, "model_a", "model_b")).tolist()
    names = [f"model-{arm:03}" for arm in range(arms)]
    rows = zip(left.tolist(), right.tolist(), winners, strict=True)
    lines = (f"{names[one]},{names[other]},{winner}\n" for one, other, winner in rows)
    path.write_text("model_a,model_b,winner\n" + "".join(lines))
    return path


def measured(python: str, program: str, path: Path) -> Cost:
    """Return the least that a program needs for a file of votes, of several runs in new processes."""
    command = [sys.executable, "-c", MEASURE, python, "-c", program, str(path)]
    # packages of this interpreter are not for another one
    others = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = dict(os.environ) if python == sys.executable else others
    costs = []
    for _ in range(TRIES):
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        costs.append(Cost(*json.loads(done.stdout)))
    return Cost(min(one.seconds for one in costs), min(one.peak for one in costs), costs[0].leaderboard)


def numbers(cost: Cost) -> FloatArray:
    """Return ratings and intervals relative to the mean rating, with the arms in the order of their names."""
    table: FloatArray = np.array([cost.leaderboard[arm] for arm in sorted(cost.leaderboard)])
    table -= table[:, 0].mean()
    return table


def other_python() -> str | None:
    """Return the Python that has the other package; None if there is none."""
    python = os.environ.get(VARIABLE)
    if python is None:
        return None
    found = "from importlib.metadata import version; print(version('arena-rank'))"
    try:
        done = subprocess.run([python, "-c", found], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return python if done.stdout.strip() == VERSION else None


def figures(votes: int = VOTES, arms: int = ARMS) -> Iterable[Figure]:
    python = other_python()
    with tempfile.TemporaryDirectory() as folder:
        path = write_votes(Path(folder) / "votes.csv", votes, arms)
        ours = measured(sys.executable, OURS, path)
        theirs = None if python is None else measured(python, THEIRS, path)
    against = f"arena-rank {VERSION} and pandas, with its sandwich intervals"
    if theirs is None:
        against = f"not measured: {VARIABLE} must name a Python with arena-rank {VERSION}"
    elif np.abs(numbers(ours) - numbers(theirs)).max() > MOST_APART:
        raise AssertionError("the two leaderboards differ: they are not of the same votes or model.")
    what = f"{votes:,} votes of {arms} arms, CSV to leaderboard with intervals, in a new process"
    return [
        Figure(
            f"{what}: processor time",
            f"{ours.seconds:.2f} s",
            "" if theirs is None else f"{theirs.seconds:.2f} s",
            against,
            None if theirs is None else theirs.seconds / ours.seconds,
        ),
        Figure(
            f"{what}: peak memory",
            f"{ours.peak / 1e6:,.0f} MB",
            "" if theirs is None else f"{theirs.peak / 1e6:,.0f} MB",
            against,
            None if theirs is None else theirs.peak / ours.peak,
        ),
    ]
