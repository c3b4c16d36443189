"""Files are whole or not there, drafts are nobody's own files, and errors name what was to be written."""

import errno
import gzip
import os
from pathlib import Path

import pytest
from refusals import refused

from duelist.database import Database
from duelist.database.backups import write_backup
from duelist.errors import FileError
from duelist.files import (
    append_fully,
    atomic_writer,
    decoded,
    opened,
    read_text,
    remove_temporary_files,
    require_file,
    require_folder,
    reserved,
    user_cache_folder,
    write_whole,
)


def test_a_killed_writers_draft_is_removed_and_nothing_else(tmp_path: Path) -> None:
    own = [".zshrc.20240115", ".vimrc.deadbeef", "note.txt.deadbeef.draft", ".mine.draft"]
    for name in own:
        (tmp_path / name).write_text("own")
    (tmp_path / ".cache.12345678.draft").mkdir()
    with atomic_writer(tmp_path / "note.txt"):
        (draft,) = (path for path in tmp_path.iterdir() if path.name.startswith(".note.txt."))
    (tmp_path / "note.txt").rename(draft)  # as if it had been killed
    remove_temporary_files(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*own, ".cache.12345678.draft"}


def test_what_was_written_is_on_the_disk_before_it_takes_the_place_of_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash after a rename of what is not on the disk yet would leave an empty file."""
    path, calls = tmp_path / "note.txt", list[tuple[str, int, bytes]]()
    sync, replace = os.fsync, Path.replace

    def syncing(file: int) -> None:
        status = os.fstat(file)
        [draft] = [place for place in tmp_path.iterdir() if place.stat().st_ino == status.st_ino]
        sync(file)
        calls.append(("fsync", status.st_ino, draft.read_bytes()))

    def replacing(self: Path, target: Path) -> Path:
        calls.append(("replace", self.stat().st_ino, self.read_bytes()))
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(Path, "replace", replacing)
    write_whole(path, b"old")
    write_whole(path, b"new" * 100_000)
    with Database(tmp_path / "studies.db") as database:
        write_backup(database, tmp_path / "backup.zip")
    expected = [b"old", b"new" * 100_000, (tmp_path / "backup.zip").read_bytes()]
    assert [(name, content) for name, _, content in calls] == [
        (name, content) for content in expected for name in ("fsync", "replace")
    ]
    assert [number for _, number, _ in calls[::2]] == [number for _, number, _ in calls[1::2]]
    assert calls[-1][1] == (tmp_path / "backup.zip").stat().st_ino


def test_a_line_that_was_appended_is_on_the_disk_or_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, synced = tmp_path / "lines.txt", list[bytes]()
    path.write_bytes(b"one\n")
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(path.read_bytes()))
    with opened(path, os.O_RDWR) as file:
        append_fully(file, 4, b"two\n")
        assert synced == [b"one\ntwo\n"]

        def fail(file: int) -> None:
            raise OSError(errno.EIO, "Input/output error")

        monkeypatch.setattr(os, "fsync", fail)
        with refused(OSError, "Input/output error"):
            append_fully(file, 8, b"three\n")
    assert path.read_bytes() == b"one\ntwo\n"


def interrupted(path: Path) -> None:
    with atomic_writer(path) as file:
        file.write(b"ha")
        raise KeyboardInterrupt


def test_what_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "note.txt")
    assert list(tmp_path.iterdir()) == []


def on_a_full_disk(path: Path) -> None:
    with atomic_writer(path):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_told_by_the_name_of_the_file(tmp_path: Path) -> None:
    with refused(OSError, "No space left", str(tmp_path / "note.txt")):
        on_a_full_disk(tmp_path / "note.txt")
    assert list(tmp_path.iterdir()) == []


def copying(source: Path, target: Path) -> None:
    with atomic_writer(target) as file:
        file.write(source.read_bytes())


def test_errors_about_other_files_stay_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        copying(tmp_path / "absent", tmp_path / "note.txt")
    assert missing.value.filename == str(tmp_path / "absent")


def test_a_folder_in_the_place_of_a_file_is_told_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "note.txt").mkdir()
    with pytest.raises(IsADirectoryError) as caught:
        write_whole(tmp_path / "note.txt", b"")
    assert caught.value.filename == str(tmp_path / "note.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]


def test_a_folder_is_reserved_once_at_a_time(tmp_path: Path) -> None:
    first, again = reserved(tmp_path / "out"), reserved(tmp_path / "out")
    with first:
        with refused(FileError, str(tmp_path / "out")):
            again.__enter__()
        with reserved(tmp_path / "else"):
            pass
    with reserved(tmp_path / "out"):
        assert (tmp_path / "out").is_dir()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_texts_are_decoded_by_their_mark_and_lines_end_alike(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "note.txt").write_bytes(gzip.compress("café\r\none\rtwo\n".encode(encoding)))
    assert read_text(tmp_path / "note.txt") == "café\none\ntwo\n"


def test_what_is_not_text_is_refused(tmp_path: Path) -> None:
    latin = "café".encode("latin-1")
    assert decoded("note.txt", latin, "latin-1") == "café"
    for content, encoding, found in (
        (latin, None, ("note.txt", "byte 3", "UTF-8")),
        ("ab".encode("utf-16-le"), None, ("note.txt", "utf-16-le")),
        (latin, "latin-99", ("'latin-99'", "utf-8")),
    ):
        with refused(FileError, *found):
            decoded("note.txt", content, encoding)
    (tmp_path / "note.txt").write_bytes(gzip.compress(latin)[:-4])
    with refused(FileError, str(tmp_path / "note.txt"), "damaged"):
        read_text(tmp_path / "note.txt")


def test_a_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("a file")
    require_folder(tmp_path / "new" / "results")
    with refused(FileError, str(tmp_path / "note.txt")):
        require_folder(tmp_path / "note.txt" / "results")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no /proc")
def test_a_folder_is_tried_because_rights_do_not_tell() -> None:
    with refused(FileError, "/proc"):
        require_folder("/proc/results")


def test_a_path_that_cannot_be_written_to_as_a_file_is_refused(tmp_path: Path) -> None:
    require_file(tmp_path / "new" / "result.json")
    with refused(FileError, str(tmp_path), "folder"):
        require_file(tmp_path)
    (tmp_path / "note.txt").write_text("")
    with refused(FileError, str(tmp_path / "note.txt"), "folder"):
        require_file(tmp_path / "note.txt" / "result.json")


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"DUELIST_CACHE_DIR": "/chosen", "XDG_CACHE_HOME": "/xdg"}, "/chosen"),
        ("linux", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/duelist"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/ann/.cache/duelist"),
        ("linux", {}, "/home/ann/.cache/duelist"),
        ("darwin", {}, "/home/ann/Library/Caches/duelist"),
        ("darwin", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/duelist"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/duelist"),
        ("win32", {}, "/home/ann/AppData/Local/duelist"),
    ],
)
def test_where_caches_are(
    platform: str, variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DUELIST_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ann", **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    assert user_cache_folder().as_posix() == expected
