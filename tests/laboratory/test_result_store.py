"""Stored results are used only if they match, and equal work gives identical files."""

import io
from pathlib import Path

import numpy as np
import pytest
import toy_paper
from refusals import refused

from duelist.duel import IntArray
from duelist.errors import FileError
from duelist.laboratory import Piece
from duelist.laboratory.result_store import ResultStore

PIECE = Piece("n=2", toy_paper.square, {"number": 2})
ARRAYS = {"square": np.array([4]), "flags": np.array([True, False])}


def test_what_was_put_is_taken(tmp_path: Path) -> None:
    store = ResultStore(tmp_path, "none")
    assert store.take(PIECE) is None
    store.put(PIECE, ARRAYS)
    taken = store.take(PIECE)
    assert taken is not None
    assert taken.setting == {"number": 2}
    assert taken.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert np.array_equal(taken[name], array)
        assert taken[name].dtype == array.dtype


@pytest.mark.parametrize(
    ("piece", "data"),
    [
        (Piece("n=2", toy_paper.square, {"number": 3}), "none"),
        (Piece("n=2", toy_paper.square_or_end, {"number": 2}), "none"),
        (PIECE, "made up"),
    ],
)
def test_other_work_of_the_same_name_is_not_taken_and_not_lost(
    tmp_path: Path, piece: Piece, data: str
) -> None:
    store, other = ResultStore(tmp_path, "none"), ResultStore(tmp_path, data)
    store.put(PIECE, ARRAYS)
    assert other.take(piece) is None
    other.put(piece, {"square": np.array([9])})
    first, second = store.take(PIECE), other.take(piece)
    assert first is not None
    assert first["square"].tolist() == [4]
    assert second is not None
    assert second["square"].tolist() == [9]


def test_what_other_code_made_is_not_taken_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ResultStore(tmp_path, "none")
    store.put(PIECE, ARRAYS)
    monkeypatch.setattr("duelist.laboratory.result_store.code_of", lambda module: f"another {module}")
    assert store.take(PIECE) is None
    store.put(PIECE, {"square": np.array([5])})
    taken = store.take(PIECE)
    assert taken is not None
    assert taken["square"].tolist() == [5]
    assert len(list(tmp_path.iterdir())) == 1


def test_equal_work_makes_equal_files(tmp_path: Path) -> None:
    shelves = [ResultStore(tmp_path / name, "none") for name in ("one", "two")]
    for store in shelves:
        store.put(PIECE, ARRAYS)
    first, second = (store.file_of(PIECE).read_bytes() for store in shelves)
    assert first == second


def npz_of(**arrays: IntArray) -> bytes:
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    return content.getvalue()


def npy_of(array: IntArray) -> bytes:
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"something else",
        npz_of(other=np.arange(3)),
        npz_of(stamp=np.arange(9))[:90],
        npy_of(np.arange(3)),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    store = ResultStore(tmp_path, "none")
    store.file_of(PIECE).write_bytes(content)
    with refused(FileError, str(store.file_of(PIECE))):
        store.take(PIECE)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    store = ResultStore(tmp_path, "none")
    store.put(PIECE, ARRAYS)
    content = bytearray(store.file_of(PIECE).read_bytes())
    content[60:80] = bytes(20)
    store.file_of(PIECE).write_bytes(content)
    with refused(FileError, str(store.file_of(PIECE))):
        store.take(PIECE)
