"""Tables of an older version are brought up to date, all or nothing; by several processes at once, once."""

import shutil
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import inspect, text

from duelist.checks.journals import BEGINNING, answer
from duelist.database import Database, versions
from duelist.database.versions import upgrade
from duelist.errors import FileError

SECOND = """
import sqlalchemy as sa
from alembic import op
revision, down_revision = "0002", "0001"
def upgrade():
    op.create_table("remarks", sa.Column("study", sa.Integer, primary_key=True))
    op.execute("INSERT INTO remarks (study) SELECT {number} FROM studies")
def downgrade():
    op.drop_table("remarks")
"""


@pytest.fixture
def second_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let there be a second version of the tables, which an older database does not have."""
    folder = tmp_path / "migrations"
    shutil.copytree(versions.MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "0002_remarks.py").write_text(SECOND.format(number="id"))
    monkeypatch.setattr(versions, "HEAD", "0002")
    monkeypatch.setattr(versions, "MIGRATIONS", folder)
    return folder / "versions" / "0002_remarks.py"


@pytest.fixture
def old(place: str) -> str:
    with Database(place) as database:
        database.journal("tea").append([BEGINNING, answer("a")])
        database.journal("cheese").append([BEGINNING])
    return place


def test_an_older_database_is_refused_until_it_is_upgraded(old: str, second_version: Path) -> None:
    with pytest.raises(FileError, match=r"version 0001, and this duelist needs 0002.*duelist db upgrade"):
        Database(old)
    assert upgrade(old) == ("0001", "0002")
    assert upgrade(old) == ("0002", "0002")
    with Database(old) as database:
        assert len(database.journal("tea").read()) == 2
        assert "remarks" in inspect(database.engine).get_table_names()


def test_an_upgrade_that_fails_changes_nothing(old: str, second_version: Path) -> None:
    second_version.write_text(SECOND.format(number="1"))  # the second row of the key 1 is refused
    with pytest.raises(FileError):
        upgrade(old)
    second_version.write_text(SECOND.format(number="id"))
    assert upgrade(old) == ("0001", "0002"), "the table of the failed attempt is in the way"


def test_two_who_upgrade_at_once_do_it_once(old: str, second_version: Path) -> None:
    done: list[tuple[str, str]] = []
    threads = [Thread(target=lambda: done.append(upgrade(old))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [now for _, now in done] == ["0002", "0002"]
    with Database(old) as database, database.engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM remarks")).scalar() == 2


def test_what_cannot_be_upgraded(old: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"there is no database of studies at .*none.db; duelist db create"):
        upgrade(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
    with Database(old) as database, database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(FileError, match="install the newer version"):
        upgrade(old)


def test_a_database_that_must_be_there_is_not_made(place: str) -> None:
    with pytest.raises(FileError, match="there is no database of studies at"):
        Database(place, create=False)
    Database(place).close()
    Database(place, create=False).close()
