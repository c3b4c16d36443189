"""The cache of answers: damaged files, files of another kind, many threads and processes."""

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from refusals import refused

from duelist.errors import FileError, StorageError
from duelist.judging.calling import HEADER, AnswerCache, key_of
from duelist.judging.judge import Showing
from duelist.judging.material import Output

SHOWN = Showing(Output("q"), Output("a"), Output("b"))


def test_what_was_added_is_there_in_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    cache = AnswerCache(path)
    assert not path.exists()
    cache.add("1", "judge: x", "left")
    cache.add("1", "judge: x", "right")
    cache.add("2", "judge: x", "tie")
    assert (cache.find("1"), cache.find("2"), cache.find("3")) == ("left", "tie", None)
    assert [json.loads(line) for line in path.read_text().splitlines()[1:]] == [
        {"key": "1", "judge": "judge: x", "answer": "left"},
        {"key": "2", "judge": "judge: x", "answer": "tie"},
    ]
    again = AnswerCache(path)
    assert (again.find("1"), again.find("2")) == ("left", "tie")


def test_a_file_cut_anywhere_loses_only_what_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    whole = AnswerCache(path)
    whole.add("1", "judge: x", "left")
    whole.add("2", "judge: é", "right")
    content = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    near_ends = {end - back for end in ends for back in range(3)}
    for size in sorted({*range(0, len(content), 9)} | near_ends):
        path.write_bytes(content[:size])
        cut = AnswerCache(path)
        # a line that lacks only its newline is complete
        assert cut.find("1") == ("left" if size >= ends[1] - 1 else None), size
        assert cut.find("2") == ("right" if size >= ends[2] - 1 else None), size
        cut.add("3", "judge: x", "tie")
        again = AnswerCache(path)
        assert [again.find(key) for key in "123"] == [cut.find("1"), cut.find("2"), "tie"], size


def test_damaged_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    lines = [
        b'{"key":"1","judge":"j","answer":"up"}',
        b'{"key":"2","judge":"j","answer":"left"',
        b"\xff\xfe\0\0",
        b"[]",
        b'{"key":3,"judge":"j","answer":"left"}',
        b'{"key":"4","judge":"j","answer":"left"}\r',
        b"[" * 100_000,
        b'{"key":"5","judge":"j","answer":"right","later":1}',
    ]
    path.write_bytes(HEADER + b"\n".join(lines))
    cache = AnswerCache(path)
    assert [cache.find(key) for key in "12345"] == [None, None, None, "left", "right"]


@pytest.mark.parametrize(
    "content", [b'{"arm": "a"}\n', b"\n", b"\xff" * 100, b'{"format":"duelist judge answers"}']
)
def test_other_files_are_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "outputs.jsonl"
    cache = AnswerCache(path)
    path.write_bytes(content)
    with refused(FileError, str(path)):
        AnswerCache(path)
    with refused(FileError, str(path)):
        cache.add("1", "judge: x", "left")
    assert path.read_bytes() == content


def test_places_that_cannot_be_written_to(tmp_path: Path) -> None:
    with refused(FileError, str(tmp_path), os.strerror(errno.EISDIR)):
        AnswerCache(tmp_path)
    lost = AnswerCache(tmp_path / "no" / "answers.jsonl")
    with refused(StorageError, str(tmp_path / "no" / "answers.jsonl"), os.strerror(errno.ENOENT)):
        lost.add("1", "judge: x", "left")
    assert lost.find("1") is None


def test_many_threads_and_two_caches_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    caches = [AnswerCache(path), AnswerCache(path)]
    with ThreadPoolExecutor(8) as pool:
        for number in range(40):
            pool.submit(caches[number % 2].add, str(number), "judge: x", "left")
    again = AnswerCache(path)
    assert all(again.find(str(number)) == "left" for number in range(40))
    assert len(path.read_bytes().splitlines()) == 41


def test_keys_tell_apart_judges_items_sides_and_contents(tmp_path: Path) -> None:
    image, copy, other = (tmp_path / name for name in ("image.png", "copy.png", "other.png"))
    image.write_bytes(b"1")
    copy.write_bytes(b"1")
    other.write_bytes(b"2")
    text = Showing(None, Output("a"), Output("b"))
    shown = [
        SHOWN,
        SHOWN.swapped(),
        text,
        Showing(Output("a"), Output("b"), Output("q")),
        Showing(None, Output(path=image, media_type="image/png"), Output("b")),
        Showing(None, Output(path=other, media_type="image/png"), Output("b")),
        Showing(None, Output(path=image, media_type="image/gif"), Output("b")),
        Showing(None, Output("a\udc80"), Output("b")),
    ]
    assert len({key_of("j", one) for one in shown} | {key_of("k", SHOWN)}) == len(shown) + 1
    assert key_of("j", shown[4]) == key_of(
        "j", Showing(None, Output(path=copy, media_type="image/png"), text.right)
    )
    image.unlink()
    with refused(FileError, str(image), os.strerror(errno.ENOENT)):
        key_of("j", shown[4])
