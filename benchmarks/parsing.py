"""How fast files of documents are loaded, and what memory it takes as they grow."""

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.table import Figure, seconds
from duelist.duel import FeatureArray, IntArray
from duelist.ranking import RankingData, load_ranking_data, synthetic_ranking_data

LINES, FEATURES = 3_771_125, 136
"""Of MSLR-WEB30K."""
BLOCK = 2_000
SIZES = (40, 20, 10)
TRIES = 3

# a process inherits the peak of the one that starts it, so that a small one stands between
START = "import subprocess, sys; subprocess.run(sys.argv[1:], check=True)"
MEASURE = """
import json, resource, sys, time
from duelist.ranking import load_ranking_data

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

load_ranking_data(sys.argv[1], cache=False)
before, start = peak(), time.process_time()
data = load_ranking_data(sys.argv[2], cache=sys.argv[3] or False)
print(json.dumps([time.process_time() - start, peak() - before, data.features.nbytes]))
"""


def raw_block() -> RankingData:
    """Return documents with values as MSLR has them: counts, and numbers of six decimals."""
    data = synthetic_ranking_data(BLOCK // 100, 100, FEATURES, grades=5)
    counts = np.arange(FEATURES) % 5 < 3
    values = np.where(counts, np.floor(100.0 * data.features), np.round(20.0 * data.features, 6))
    names = np.array([f"{query:03d}" for query in range(len(data))])
    return RankingData(values.astype(np.float32), data.labels, names, data.offsets)


def write_lines(path: Path, lines: int) -> Path:
    """Write so many lines of the shape of MSLR's: a block of them again and again, with new query ids."""
    data = raw_block()
    text = (
        data.to_svmlight(path.with_suffix(".block")).read_text().replace(".0 ", " ").splitlines(keepends=True)
    )
    path.with_suffix(".block").unlink()
    with path.open("w") as file:
        for repetition in range(-(-lines // len(text))):
            batch = text[: lines - repetition * len(text)]
            file.write("".join(batch).replace(" qid:", f" qid:{repetition + 1}"))
    return path


def plain_load(path: Path) -> tuple[FeatureArray, IntArray, list[str]]:
    """Load as one would write it first: split every line."""
    rows, labels, names = [], [], []
    with path.open() as file:
        for line in file:
            tokens = line.partition("#")[0].split()
            labels.append(int(tokens[0]))
            names.append(tokens[1])
            rows.append([float(token.partition(":")[2]) for token in tokens[2:]])
    return np.array(rows, np.float32), np.array(labels), names


def sklearn_load(path: Path) -> Any:
    datasets = import_module("sklearn.datasets")
    return datasets.load_svmlight_file(str(path), dtype=np.float32, query_id=True)[0].toarray()


def best(work: Callable[[], object]) -> float:
    return min(seconds(work) for _ in range(TRIES))


def load_anew(path: Path, cache: Path) -> RankingData:
    shutil.rmtree(cache, ignore_errors=True)
    return load_ranking_data(path, cache=cache)


def speeds() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = write_lines(Path(folder) / "train.txt", 20_000)
        zipped = path.with_suffix(".txt.gz")
        zipped.write_bytes(gzip.compress(path.read_bytes()))
        megabytes = path.stat().st_size / 1e6
        cold_ways = {
            "plain": lambda: load_ranking_data(path, cache=False),
            "gzip": lambda: load_ranking_data(zipped, cache=False),
        }
        load_ranking_data(path, cache=False)
        cache = Path(folder) / "cache"
        kept = best(lambda: load_anew(path, cache))
        cold = {name: best(way) for name, way in cold_ways.items()}
        warm = best(lambda: load_ranking_data(path, cache=cache))
        touched = best(lambda: load_ranking_data(path, cache=cache).features.sum())
        split, sklearn = seconds(lambda: plain_load(path)), best(lambda: sklearn_load(path))
    return [
        speed(what, megabytes, ours, theirs, against)
        for what, ours, theirs, against in (
            ("plain text, first load", cold["plain"], split, "Python, splitting every line"),
            ("plain text, first load", cold["plain"], sklearn, "scikit-learn's load_svmlight_file"),
            ("gzip, first load", cold["gzip"], cold["plain"], "the same as plain text"),
            ("first load, and a cache made", kept, cold["plain"], "the same without a cache"),
            ("second load, from the cache", warm, cold["plain"], "the first load"),
            ("second load, and all features read", touched, cold["plain"], "the first load"),
        )
    ]


def speed(what: str, megabytes: float, ours: float, theirs: float, against: str) -> Figure:
    return Figure(
        f"{megabytes:.0f} MB of SVMlight lines, {what}",
        f"{megabytes / ours:,.0f} MB/s",
        f"{megabytes / theirs:,.0f} MB/s",
        against,
        theirs / ours,
    )


def measured(small: Path, path: Path, cache: str = "") -> tuple[float, float, float]:
    """Return seconds of the processor, and bytes: peak memory of a load in its own process, and features."""
    run = [sys.executable, "-c"]
    command = [*run, START, *run, MEASURE, str(small), str(path), cache]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    elapsed, peak, features = json.loads(report)
    return elapsed, peak, features


def growth() -> list[Figure]:
    """Show that time and memory grow as the file does: the baseline is the smallest file, scaled up."""
    figures, first = [], None
    with tempfile.TemporaryDirectory() as folder:
        small = write_lines(Path(folder) / "small.txt", 100)
        for size in SIZES:
            path = write_lines(Path(folder) / f"{size}.txt", LINES // size)
            elapsed, peak, features = measured(small, path)
            again = min(measured(small, path)[0] for _ in range(TRIES - 1))
            _, cached_peak, _ = measured(small, path, f"{folder}/cache")
            path.unlink()
            elapsed = min(elapsed, again)
            first = first or elapsed
            linear = first * SIZES[0] / size
            what = f"1/{size} of MSLR-WEB30K, {LINES // size:,} lines"
            figures += [
                Figure(
                    f"{what}: first load, processor time",
                    f"{elapsed:.2f} s",
                    f"{linear:.2f} s",
                    "linear growth",
                    linear / elapsed,
                ),
                Figure(
                    f"{what}: peak memory",
                    megabytes(peak),
                    megabytes(features),
                    "the features",
                    features / peak,
                ),
                Figure(
                    f"{what}: peak memory, and a cache made",
                    megabytes(cached_peak),
                    megabytes(features),
                    "the features",
                    features / cached_peak,
                ),
            ]
    return figures


def megabytes(count: float) -> str:
    return f"{count / 1e6:,.0f} MB"


def figures() -> list[Figure]:
    return speeds() + growth()
