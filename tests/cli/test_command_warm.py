"""`duelist warm`."""

from pathlib import Path

import pytest
from catalogue import example
from refusals import names
from typer.testing import CliRunner

from duelist.cli.learners import compile_missing
from duelist.cli.main import app
from duelist.kernels.cache import kernel_folder
from duelist.registry import LEARNERS, learners_for


def test_warm_compiles_once_and_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # in a folder of its own, because other tests compile at the same time
    known = kernel_folder()
    assert known is not None
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("duelist.kernels.cache.kernel_folder", lambda: tmp_path / known.name)
    # the one with the fewest kernels
    monkeypatch.setattr("duelist.registry.LEARNERS", {"FollowMixture": LEARNERS["FollowMixture"]})
    first, second = (CliRunner().invoke(app, ["warm"]) for _ in range(2))
    assert first.exit_code == second.exit_code == 0
    assert names(first.output, "compiled", "0")
    assert names(second.output, "ready")
    assert str(tmp_path) in second.output.replace("\n", "")


def test_only_what_is_not_kept_is_compiled_before_a_simulation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = list[list[str]]()
    monkeypatch.setattr("duelist.kernels.cache.kernel_folder", lambda: tmp_path)
    monkeypatch.setattr("duelist.cli.learners.compile_side_by_side", lambda names, live: asked.append(names))
    learners = [example(kind) for kind in learners_for("arms").values()]
    modules = {"rmed", "rucb", "auto", "beat_the_mean", "savage", "double_thompson", "interleaved_filter"}
    for module in modules | {"top_two", "uniform", "widest_interval"}:
        (tmp_path / f"duelist.learners.armed.{module}.play-37.py311.1.nbc").touch()
    compile_missing(learners)
    assert asked == []
    for module in ("rmed", "rucb"):
        (tmp_path / f"duelist.learners.armed.{module}.play-37.py311.1.nbc").unlink()
    compile_missing(learners)
    assert asked == [["RMED2FH", "RUCB"]]


def test_warm_needs_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.kernels.cache.kernel_folder", lambda: None)
    result = CliRunner().invoke(app, ["warm"])
    assert result.exit_code == 2
    assert "set NUMBA_CACHE_DIR" in result.output
