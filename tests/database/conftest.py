"""What tests of databases share."""

from pathlib import Path

import pytest


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new database is made: a file, and then one on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "studies.db")
    return str(request.getfixturevalue("postgresql"))
