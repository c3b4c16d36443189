"""Results are taken only if they are what was asked for, and equal work makes equal files."""

from pathlib import Path

import numpy as np
import pytest
import toy_paper

from duelist.errors import FileError
from duelist.laboratory import Piece
from duelist.laboratory.shelf import Shelf

PIECE = Piece("n=2", toy_paper.square, {"number": 2})
ARRAYS = {"square": np.array([4]), "flags": np.array([True, False])}


def test_what_was_put_is_taken(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, "none")
    assert shelf.take(PIECE) is None
    shelf.put(PIECE, ARRAYS)
    taken = shelf.take(PIECE)
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
def test_other_work_of_the_same_name_is_not_taken(tmp_path: Path, piece: Piece, data: str) -> None:
    Shelf(tmp_path, "none").put(PIECE, ARRAYS)
    assert Shelf(tmp_path, data).take(piece) is None


def test_equal_work_makes_equal_files(tmp_path: Path) -> None:
    shelves = [Shelf(tmp_path / name, "none") for name in ("one", "two")]
    for shelf in shelves:
        shelf.put(PIECE, ARRAYS)
    first, second = (shelf.file_of(PIECE).read_bytes() for shelf in shelves)
    assert first == second


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, "none")
    shelf.file_of(PIECE).write_bytes(b"something else")
    with pytest.raises(FileError, match="not a result of this program"):
        shelf.take(PIECE)
