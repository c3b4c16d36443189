import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist.errors import FileError
from duelist.study.knob_votes import FORMAT, Journal, Vote, read_journal
from duelist.study.knobs import Knob, Knobs

KNOBS = Knobs({"x": Knob(0.0, 1.0), "größe": Knob(1, 8, whole=True)})
SETTINGS = st.fixed_dictionaries({"x": st.floats(0.0, 1.0), "größe": st.integers(1, 8)})
VOTES = st.builds(Vote, st.sampled_from(["left", "right", "tie"]), SETTINGS, SETTINGS)
VOTE = Vote("left", {"x": 0.25, "größe": 2}, {"x": 0.75, "größe": 3})


def begin(path: Path, *votes: Vote, knobs: Knobs = KNOBS, seed: int | None = None) -> Journal:
    journal = read_journal(path, knobs, seed)
    journal.begin()
    for vote in votes:
        journal.add(vote)
    return journal


@given(st.lists(VOTES | st.none(), max_size=12))
def test_any_answers_and_undos_are_read_back(actions: list[Vote | None]) -> None:
    expected: list[Vote] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.jsonl"
        journal = begin(path)
        for action in actions:
            before = path.read_bytes()
            if action is not None:
                journal.add(action)
                expected.append(action)
            elif expected:
                journal.undo()
                expected.pop()
            assert path.read_bytes().startswith(before)
            assert journal.votes == read_journal(path, KNOBS).votes == expected


@given(st.lists(VOTES, min_size=1, max_size=3), VOTES, st.data())
def test_torn_last_line_does_not_count(votes: list[Vote], last: Vote, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.jsonl"
        whole = begin(path, *votes).size
        begin(path, last)
        kept = data.draw(st.integers(whole + 1, path.stat().st_size - 1))
        content = path.read_bytes()[:kept]
        path.write_bytes(content)
        journal = read_journal(path, KNOBS)
        assert journal.torn
        assert journal.votes == votes
        assert path.read_bytes() == content
        journal.add(last)
        again = read_journal(path, KNOBS)
        assert not again.torn
        assert again.votes == [*votes, last]


def test_names_are_readable_in_the_file(tmp_path: Path) -> None:
    begin(tmp_path / "votes.jsonl", VOTE)
    header, line = (tmp_path / "votes.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(header) == {"format": FORMAT, "seed": 0, "knobs": KNOBS.as_json()}
    assert line == ('{"answer": "left", "left": {"x": 0.25, "größe": 2}, "right": {"x": 0.75, "größe": 3}}')


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (b'{"answer": "le', ["not JSON"]),
        (b"", ["not JSON"]),
        (b"\xff\xfe", ["not JSON"]),
        pytest.param(b"[" * 100_000, ["not JSON"], id="deeply nested"),
        (b"3", ["not a JSON object"]),
        (b"{}", ["answer None", "left, right, tie, undo"]),
        (b'{"answer": ["left"]}', ["answer ['left']"]),
        (b'{"answer": "left", "left": {"x": 0.5, "gr\xc3\xb6\xc3\x9fe": 2}}', ["right is not a setting"]),
        (b'{"answer": "tie", "left": {"x": NaN, "gr\xc3\xb6\xc3\x9fe": 2}}', ["left is not a setting"]),
    ],
)
def test_broken_line_is_named(line: bytes, parts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    begin(path, VOTE, VOTE)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:2], line, *lines[2:]]))
    with pytest.raises(FileError) as caught:
        read_journal(path, KNOBS)
    assert all(part in str(caught.value) for part in [f"{path}, line 3: ", *parts, "Repair"]), caught.value


def test_undo_of_nothing_is_a_broken_line(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    begin(path)
    path.write_bytes(path.read_bytes() + b'{"answer": "undo"}\n')
    with pytest.raises(FileError, match="line 2: there is no answer to undo"):
        read_journal(path, KNOBS)


@pytest.mark.parametrize("content", [b"my notes", b"my notes\n", b'{"format": "else/1"}\n', b"{}\n"])
def test_file_of_something_else_is_refused_and_kept(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"notes\.txt"):
        read_journal(path, KNOBS)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("knobs", "seed", "change"),
    [
        (KNOBS, 1, "seed was 0, now 1"),
        (Knobs({**KNOBS.named, "x": Knob(0.0, 2.0)}), None, "knobs.x.high was 1.0, now 2.0"),
        (Knobs({**KNOBS.named, "x": Knob(0.0, 1.0, step=0.5)}), None, "knobs.x.step was absent, now 0.5"),
        (
            Knobs({"x": Knob(0.0, 1.0)}),
            None,
            "knobs.größe was {'low': 1, 'high': 8, 'whole': True}, now absent",
        ),
        (
            Knobs({**KNOBS.named, "y": Knob(0.0, 1.0)}),
            None,
            "knobs.y was absent, now {'low': 0.0, 'high': 1.0}",
        ),
    ],
)
def test_answers_to_other_questions_are_refused(
    knobs: Knobs, seed: int | None, change: str, tmp_path: Path
) -> None:
    path = tmp_path / "votes.jsonl"
    content = begin(path, VOTE).path.read_bytes()
    with pytest.raises(FileError) as caught:
        read_journal(path, knobs, seed)
    assert all(part in str(caught.value) for part in [str(path), change, "--votes"]), caught.value
    assert path.read_bytes() == content


def test_file_without_answers_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    begin(path, seed=3)
    other = Knobs({"y": Knob(0.0, 1.0)})
    begin(path, Vote("tie", {"y": 0.0}, {"y": 1.0}), knobs=other)
    journal = read_journal(path, other)
    assert (journal.seed, len(journal.votes)) == (3, 1)


def test_seed_is_the_one_it_was_begun_with(tmp_path: Path) -> None:
    begin(tmp_path / "votes.jsonl", VOTE, seed=7)
    assert read_journal(tmp_path / "votes.jsonl", KNOBS).seed == 7
    assert read_journal(tmp_path / "votes.jsonl", KNOBS, 7).votes == [VOTE]


def test_two_at_once_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    first, second = begin(path), begin(path)
    first.add(VOTE)
    with pytest.raises(FileError, match="changed by someone else"):
        second.add(VOTE)
    assert second.votes == []
    assert read_journal(path, KNOBS).votes == [VOTE]


def test_empty_file_is_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    path.touch()
    assert begin(path, VOTE).votes == read_journal(path, KNOBS).votes == [VOTE]


def test_full_disk_loses_only_the_last_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "votes.jsonl"
    journal = begin(path, VOTE)
    monkeypatch.setattr("duelist.study.knob_votes.os.fsync", fail)
    with pytest.raises(FileError, match="No space left on device"):
        journal.undo()
    assert journal.votes == [VOTE]


def test_reading_writes_nothing(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "votes.jsonl", KNOBS).votes == []
    assert list(tmp_path.iterdir()) == []
