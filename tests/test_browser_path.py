"""Where the browser for tests is looked for."""

from pathlib import Path

import browser_path
import pytest
from browser_path import VARIABLE, find_browser


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(browser_path, "PLACES", ("~/.local/bin/chromium",))
    return tmp_path


def test_without_a_browser_none_is_found(nowhere: Path) -> None:
    assert find_browser() is None


@pytest.mark.parametrize(
    "place",
    [
        "bin/google-chrome-stable",
        "bin/chromium-browser",
        "home/.local/bin/chromium",
        "home/.cache/ms-playwright/chromium-1200/chrome-linux/chrome",
    ],
)
def test_browsers_are_found_where_they_usually_are(nowhere: Path, place: str) -> None:
    found = executable(nowhere / place)
    assert find_browser() == str(found)


def test_the_one_that_is_named_goes_before_all_others(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(nowhere / "bin" / "chromium")
    own = executable(nowhere / "own" / "browser")
    monkeypatch.setenv(VARIABLE, str(own))
    assert find_browser() == str(own)
    monkeypatch.setenv(VARIABLE, str(nowhere / "absent"))
    assert find_browser() is None
