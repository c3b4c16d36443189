"""Data is found wherever it is in a folder, and never taken for other data."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from duelist.errors import FileError
from duelist.laboratory import Sources


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@pytest.mark.parametrize("place", ["mq2008/S1.txt", "ltr/MQ2008/S1.txt", "ltr/mq2008/S1.txt.gz", "S1.txt.gz"])
def test_a_file_is_found_below_its_folder_or_in_the_folder_itself(tmp_path: Path, place: str) -> None:
    path = write(tmp_path / place, "2 qid:1 1:0.5\n0 qid:1 1:0.1\n")
    sources = Sources(tmp_path)
    assert sources.find("mq2008/S1.txt") == path
    assert len(sources.documents("mq2008/S1.txt")) == 1


def test_files_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path / "mq2007" / "S1.txt", "")
    with pytest.raises(FileError, match=r"has no mq2008/S1.txt, plain or .gz"):
        Sources(tmp_path).find("mq2008/S1.txt")
    wanted = write(tmp_path / "mq2008" / "S1.txt", "")
    assert Sources(tmp_path).find("mq2008/S1.txt") == wanted


def test_a_matrix_is_read_and_checked(tmp_path: Path) -> None:
    write(tmp_path / "two.csv", "0.5,0.7\n0.3,0.5\n")
    assert np.array_equal(Sources(tmp_path).matrix("preferences/two.csv"), [[0.5, 0.7], [0.3, 0.5]])
    write(tmp_path / "wrong.csv", "0.5,0.7\n0.7,0.5\n")
    with pytest.raises(FileError, match=r"wrong.csv is not a preference matrix"):
        Sources(tmp_path).matrix("preferences/wrong.csv")


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no folder of data was given"):
        Sources(None).find("a/b.csv")
    with pytest.raises(FileError, match="is not a folder"):
        Sources(tmp_path / "nowhere").find("a/b.csv")


def test_fingerprints_tell_contents_apart(tmp_path: Path) -> None:
    sources, names = Sources(tmp_path), ("a/one.csv", "a/two.csv")
    write(tmp_path / "a" / "one.csv", "1")
    write(tmp_path / "a" / "two.csv", "2")
    first = sources.fingerprint(names)
    assert first == sources.fingerprint(names) != sources.fingerprint(names[:1])
    write(tmp_path / "a" / "two.csv", "3")
    assert first != sources.fingerprint(names)
    assert sources.fingerprint(()) == Sources(None).fingerprint(()) == "none"
    assert Sources(None).fingerprint(names) == "made up"
