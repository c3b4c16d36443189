"""Data files are found in any subfolder, and files of the same name are not confused."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

from duelist.errors import FileError
from duelist.laboratory import Sources


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@pytest.mark.parametrize("place", ["mq2008/S1.txt", "ltr/MQ2008/S1.txt", "ltr/mq2008/S1.txt.gz"])
def test_a_file_is_found_below_its_folder(tmp_path: Path, place: str) -> None:
    path = write(tmp_path / place, "2 qid:1 1:0.5\n0 qid:1 1:0.1\n")
    sources = Sources(tmp_path)
    assert sources.find("mq2008/S1.txt") == path
    assert len(sources.documents("mq2008/S1.txt")) == 1


def test_files_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path / "mq2007" / "S1.txt", "")
    write(tmp_path / "S1.txt", "")
    for folder in (tmp_path, tmp_path / "mq2007"):
        with refused(FileError, str(folder), "mq2008/S1.txt", "--data"):
            Sources(folder).find("mq2008/S1.txt")
    wanted = write(tmp_path / "mq2008" / "S1.txt", "")
    assert Sources(tmp_path).find("mq2008/S1.txt") == wanted


def test_the_folder_itself_may_be_the_one_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = write(tmp_path / "mq2008" / "S1.txt", "")
    monkeypatch.chdir(tmp_path / "mq2008")
    assert Sources(Path()).find("mq2008/S1.txt") == wanted


def test_a_matrix_is_read_and_checked(tmp_path: Path) -> None:
    write(tmp_path / "preferences" / "two.csv", "0.5,0.7\n0.3,0.5\n")
    sources = Sources(tmp_path)
    assert np.array_equal(sources.matrix("preferences/two.csv", 2), [[0.5, 0.7], [0.3, 0.5]])
    with refused(FileError, "two.csv", "2 arms", 3):
        sources.matrix("preferences/two.csv", 3)


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        ("csv", b"0.5,0.7\n0.7,0.5\n"),
        ("csv", b"0.5,x\n"),
        ("csv.gz", b"0.5,0.7\n0.3,0.5\n"),
        ("csv.gz", gzip.compress(b"0.5,0.7\n0.3,0.5\n", mtime=0)[:-12]),
    ],
)
def test_a_file_that_is_no_matrix_is_refused_by_name(tmp_path: Path, ending: str, content: bytes) -> None:
    write(tmp_path / "a" / f"wrong.{ending}", "").write_bytes(content)
    with refused(FileError, f"wrong.{ending}"):
        Sources(tmp_path).matrix("a/wrong.csv", 2)


def test_all_that_is_missing_is_told_at_once(tmp_path: Path) -> None:
    write(tmp_path / "a" / "there.csv", "1")
    with refused(FileError, "a/one.csv", "b/two.csv", "--data"):
        Sources(tmp_path).require(["a/one.csv", "a/there.csv", "b/two.csv", "a/one.csv"])


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with refused(FileError, "a/b.csv", "--data"):
        Sources(None).find("a/b.csv")
    with refused(FileError, str(tmp_path / "nowhere"), "--data"):
        Sources(tmp_path / "nowhere")


def test_fingerprints_tell_contents_apart(tmp_path: Path) -> None:
    sources, names = Sources(tmp_path), ("a/one.csv", "a/two.csv")
    write(tmp_path / "a" / "one.csv", "1")
    write(tmp_path / "a" / "two.csv", "2")
    first = sources.fingerprint(names)
    assert first == sources.fingerprint(names) != sources.fingerprint(names[:1])
    write(tmp_path / "a" / "two.csv", "3")
    assert first != sources.fingerprint(names)
    write(tmp_path / "a" / "one.csv", "")
    write(tmp_path / "a" / "two.csv", "12")
    assert first != sources.fingerprint(names)  # the same bytes, but not in the same file
    assert sources.fingerprint(()) == Sources(None).fingerprint(()) == "none"
    assert Sources(None).fingerprint(names) == "made up"
