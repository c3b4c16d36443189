"""The option --ray: its value may be left out, wherever it stands."""

import pytest
from parallel.backwards import Backwards
from typer.testing import CliRunner

from duelist.cli import simulate as command
from duelist.cli.main import app
from duelist.cli.options import executor_for
from duelist.parallel import ray_executor

runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
SMALL = ["simulate", "-p", "worst_case:k=3", "-t", "50", "-n", "2", "-l", "Uniform"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, int | None]]:
    """What was asked for; no Ray is needed for it."""
    asked = list[tuple[str | None, int | None]]()

    def note(ray: str | None, workers: int | None) -> Backwards | None:
        asked.append((ray, workers))
        return None if ray is None else Backwards()

    monkeypatch.setattr(command, "executor_for", note)
    return asked


@pytest.mark.parametrize(
    ("arguments", "address"),
    [
        ([], None),
        (["--ray"], "local"),
        (["--ray", "--seed", "0"], "local"),
        (["--ray", "-l", "RUCB"], "local"),
        (["--ray", "auto"], "auto"),
        (["--ray", "ray-head:6379", "--seed", "0"], "ray-head:6379"),
        (["--ray=ray-head:6379"], "ray-head:6379"),
    ],
)
def test_the_address_may_be_left_out(
    asked: list[tuple[str | None, int | None]], arguments: list[str], address: str | None
) -> None:
    result = runner.invoke(app, [*SMALL, *arguments])
    assert result.exit_code == 0, result.output
    assert asked == [(address, None)]


def test_results_do_not_depend_on_who_worked(asked: list[tuple[str | None, int | None]]) -> None:
    here, elsewhere = (runner.invoke(app, [*SMALL, *more]) for more in ([], ["--workers", "1", "--ray"]))
    assert asked[1] == ("local", 1)
    assert here.output == elsewhere.output


def test_what_is_no_address_is_not_taken_for_one() -> None:
    result = runner.invoke(app, [*SMALL, "--ray", "ray-head"])
    assert result.exit_code == 2
    assert "(ray-head)" in result.output


def test_help_says_that_the_address_may_be_left_out() -> None:
    assert "[ADDRESS]" in runner.invoke(app, ["simulate", "--help"]).output


def test_without_ray_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_executor, "find_spec", lambda name: None)
    result = runner.invoke(app, [*SMALL, "--ray"])
    assert result.exit_code == 2
    assert 'pip install "duelist[ray]"' in result.output


def test_no_crew_without_the_option() -> None:
    assert executor_for(None, 3) is None
