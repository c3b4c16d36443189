"""Numba's public API: used if its internals are not as expected, with the same results."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core import caching, codegen, pythonapi

import duelist
from duelist.kernels import _numba
from duelist.kernels.compile import TOOLCHAIN

TESTS = Path(__file__).parents[1]

HIDE = """
import numba._dispatcher, numba.core.caching, numba.core.codegen
del numba._dispatcher.compute_fingerprint
del numba.core.caching._CacheLocator
del numba.core.codegen.JITCodeLibrary
"""

PLAY = """
import json
import numpy as np
from duelist import RUCB, MatrixProblem, Study, simulate
from duelist.interleaving import Optimized, TeamDraft
from duelist.kernels.compile import TOOLCHAIN
from duelist.kernels.live import BACKGROUND
from interleaving.drafts import draw_lists

result = {"toolchain": type(TOOLCHAIN).__name__}
better = np.sign(np.arange(5) - np.arange(5)[:, None])
played = simulate(RUCB(), MatrixProblem(0.5 + 0.1 * better), horizon=2000, runs=2, seed=1, workers=1)
result["regret"] = [float(number).hex() for number in played["RUCB"].regret.ravel()]

study, result["study"] = Study(RUCB(), arms="a b c d".split(), seed=3), []
for vote in range(60):
    duel = study.ask()
    result["study"].append([duel.left, duel.right])
    study.tell(duel, "left" if duel.left < duel.right else "right")
    if vote % 20 == 19:
        BACKGROUND.finish()
result["ready"] = len(BACKGROUND.ready)

lists = draw_lists(TeamDraft().rules(), [0, 1, 2], [2, 3], length=3, cut=1, times=500)
result["lists"] = sorted([*map(list, shown), times] for shown, times in lists.items())
shown = Optimized().interleave(["abcd", "dbca"], np.random.default_rng(2))
result["shown"] = [shown.documents, shown.teams, [float(number).hex() for number in shown.propensities]]
print(json.dumps(result))
"""


def played(code: str, folder: Path) -> tuple[dict[str, Any], str]:
    """Return the results and the standard error of a separate process."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(folder),
            "PYTHONPATH": os.pathsep.join([str(TESTS), str(Path(duelist.__file__).parents[1])]),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_results_are_the_same_to_the_last_bit(tmp_path: Path) -> None:
    quick, said = played(PLAY, Path(os.environ["NUMBA_CACHE_DIR"]))
    assert (quick.pop("toolchain"), said) == ("Internals", "")
    public, said = played(HIDE + PLAY, tmp_path)
    assert public.pop("toolchain") == "Toolchain"
    assert said.startswith("duelist: ")
    assert public == quick
    assert len(quick["regret"]) > 20
    kept = {path.name for path in tmp_path.rglob("*.nbc")}
    assert kept
    again, _ = played(HIDE + PLAY, tmp_path)
    assert again == {"toolchain": "Toolchain", **public}
    assert {path.name for path in tmp_path.rglob("*.nbc")} == kept


def test_what_numba_has_of_its_own_is_as_expected() -> None:
    assert type(TOOLCHAIN).__name__ == "Internals"
    assert _numba.find_missing() == []


@pytest.mark.parametrize(
    ("owner", "name", "missing"),
    [
        (codegen.JITCodeLibrary, "_finalize_final_module", "JITCodeLibrary._finalize_final_module"),
        (caching.IndexDataCacheFile, "_load_index", "IndexDataCacheFile._load_index"),
        (caching.FunctionCache, "_impl_class", "FunctionCache._impl_class"),
    ],
)
def test_a_part_that_is_gone_is_missed(
    owner: type, name: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in owner.__mro__:
        if name in vars(kind):
            monkeypatch.delattr(kind, name)
    assert _numba.find_missing() == [missing]


def test_a_part_that_does_something_else_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    known: Any = pythonapi
    monkeypatch.setattr(_numba, "compute_fingerprint", lambda value: b"all the same")
    monkeypatch.setattr(_numba, "addresses_in_capsule", lambda: [0, 0, 0, 0])
    monkeypatch.setattr(known._unboxers, "functions", {})
    assert _numba.find_missing() == [
        "an unboxer of bit generators",
        "compute_fingerprint",
        "BitGenerator.capsule",
    ]
