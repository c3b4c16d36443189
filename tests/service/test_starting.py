"""What a service says when it cannot start, and what it refuses to share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.processes import Service, start_service


def test_sqlite_serves_one(tmp_path: Path, started: Callable[..., Service]) -> None:
    place = tmp_path / "studies.db"
    first = started(place)
    with pytest.raises(RuntimeError, match="is being served already"):
        start_service(place)
    first.kill()
    assert started(place).stop() == 0


def test_keys_of_tickets_that_are_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUELIST_TICKET_KEYS", "garbage")
    with pytest.raises(RuntimeError, match="DUELIST_TICKET_KEYS: key 1 is damaged"):
        start_service(tmp_path / "studies.db")
