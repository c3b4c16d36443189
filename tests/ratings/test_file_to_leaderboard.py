"""The benchmark of a leaderboard from a file: what it measures, and when it refuses to compare."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

from benchmarks import file_to_leaderboard as benchmark
from duelist import load_votes, ratings

LARGE = 'import json; held = b"x" * 200_000_000; print(json.dumps({"a": (0.5, len(held), 2.0)}))'
BUSY = 'import json, time\nwhile time.process_time() < 0.5: pass\nprint(json.dumps({"a": (0.5, 1.0, 2.0)}))'
SHIFTED = benchmark.OURS.replace("arm.high)", "arm.high + 0.1)")


@pytest.fixture(autouse=True)
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "TRIES", 1)


def test_time_and_memory_are_those_of_the_program(tmp_path: Path) -> None:
    large = benchmark.measured(sys.executable, LARGE, tmp_path)
    assert large.leaderboard == {"a": [0.5, 200_000_000, 2.0]}
    assert 200e6 < large.peak < 240e6
    busy = benchmark.measured(sys.executable, BUSY, tmp_path)
    assert busy.seconds >= 0.45
    assert busy.peak < 40e6  # of the tests' own memory nothing


def test_the_file_has_the_votes_and_both_programs_print_leaderboards(tmp_path: Path) -> None:
    path = benchmark.write_votes(tmp_path / "votes.csv", 3_000, 5)
    votes = load_votes(path)
    assert (len(votes.left), len(votes.arms)) == (3_000, 5)
    assert 0.05 < np.mean(votes.outcomes == 0.5) < 0.15
    found = benchmark.measured(sys.executable, benchmark.OURS, path).leaderboard
    rows = ratings.fit_bradley_terry(votes).rows()
    assert json.loads(json.dumps([(line.arm, [*line[1:4]]) for line in rows])) == [
        [arm, numbers] for arm, numbers in found.items()
    ]
    compile(benchmark.THEIRS, "theirs", "exec")


def test_without_the_other_package_its_columns_are_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    for python in (sys.executable, "/nowhere/python"):
        monkeypatch.setenv(benchmark.VARIABLE, python)
        assert benchmark.other_python() is None
    monkeypatch.delenv(benchmark.VARIABLE)
    for figure in benchmark.figures(3_000, 5):
        assert (figure.baseline, figure.ratio) == ("", None)
        assert benchmark.VARIABLE in figure.against


def test_leaderboards_that_differ_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "other_python", lambda: sys.executable)
    monkeypatch.setattr(benchmark, "THEIRS", benchmark.OURS)
    assert all(figure.baseline and figure.ratio for figure in benchmark.figures(3_000, 5))
    monkeypatch.setattr(benchmark, "THEIRS", SHIFTED)
    with refused(AssertionError, "leaderboards"):
        benchmark.figures(3_000, 5)
