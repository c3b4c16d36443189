"""`duelist warm`."""

import pytest
from typer.testing import CliRunner

from duelist.cli.main import app
from duelist.kernels.cache import kernel_folder
from duelist.registry import LEARNERS


def test_warm_compiles_once_and_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.registry.LEARNERS", {"Uniform": LEARNERS["Uniform"]})
    first, second = (CliRunner().invoke(app, ["warm"]) for _ in range(2))
    assert first.exit_code == second.exit_code == 0
    assert "kernels are ready." in second.output
    assert str(kernel_folder()) in second.output.replace("\n", "")


def test_warm_needs_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.kernels.cache.kernel_folder", lambda: None)
    result = CliRunner().invoke(app, ["warm"])
    assert result.exit_code == 2
    assert "set NUMBA_CACHE_DIR" in result.output
