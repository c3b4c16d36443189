"""Every call to the system fails once, and is the last of a killed process once: nothing is half done."""

import os
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from duelist.checks.journals import BEGINNING, answer
from duelist.errors import FileError
from duelist.journal import Answered, JsonLinesJournal, RepeatedEventError
from duelist.journal.index import LineIndex

SYSTEM = ["pwrite", "fsync", "ftruncate"]
INDEX = ["add", "cover", "clear"]
PWRITE = os.pwrite
Fault = Callable[..., Any]
BATCHES = {
    "one": [answer("new")],
    "three": [answer("new"), answer("newer"), answer("newest")],
}


def at_call(monkeypatch: pytest.MonkeyPatch, number: int, fault: Fault) -> None:
    """Let something happen in place of a call to the system or to the index, counted from 0."""
    numbers = count()

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def instead(*arguments: Any) -> Any:
            if next(numbers) == number:
                return fault(call, *arguments)
            return call(*arguments)

        return instead

    for name in SYSTEM:
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    for name in INDEX:
        monkeypatch.setattr(LineIndex, name, watched(getattr(LineIndex, name)))


@pytest.fixture(params=["whole", "torn", "empty"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "votes.jsonl"
    if request.param != "empty":
        JsonLinesJournal(path).append([BEGINNING, answer("a")])
    if request.param == "torn":
        with path.open("ab") as file:
            file.write(b'{"event":"answered","ticket":"torn"')
    return path


def batch_for(path: Path, batch: list[Answered]) -> list[Any]:
    return batch if path.exists() else [BEGINNING, *batch]


def fail(call: Callable[..., Any], *arguments: Any) -> None:
    raise OSError(5, "Input/output error")


def fill_the_disk(call: Callable[..., Any], *arguments: Any) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("fault", [fail, fill_the_disk])
@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES.keys())
def test_a_call_that_fails_leaves_everything_as_it_was(
    path: Path,
    batch: list[Answered],
    fault: Fault,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = JsonLinesJournal(path).read()
    events = batch_for(path, batch)
    for number in count():
        with monkeypatch.context() as patch:
            journal = JsonLinesJournal(path)
            at_call(patch, number, fault)
            try:
                last = journal.append(events)
            except FileError:
                assert journal.read() == JsonLinesJournal(path).read() == before
                continue
        # all calls before the events were on disk have failed once; what fails after that is the index
        assert last == len(before) + len(events)
        break
    assert number >= 2
    assert journal.append([answer("next")]) == last + 1
    expected = [*before, *((len(before) + 1 + n, event) for n, event in enumerate(events))]
    assert JsonLinesJournal(path).read() == journal.read() == [*expected, (last + 1, answer("next"))]


def do_and_die(call: Callable[..., Any], *arguments: Any) -> None:
    call(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)


def do_most_and_die(call: Callable[..., Any], *arguments: Any) -> None:
    if call is PWRITE:
        file, content, start = arguments
        call(file, content[:-1], start)
    os.kill(os.getpid(), signal.SIGKILL)


def outcomes(path: Path, events: list[Any], fault: Fault) -> Iterator[None]:
    """Kill a process at each of its calls in turn, each time with the files as they are now."""
    content, index = path.read_bytes() if path.exists() else b"", Path(f"{path}.index")
    kept = index.read_bytes() if index.exists() else None
    for number in count():
        for name in ("", "-wal", "-shm"):
            Path(f"{index}{name}").unlink(missing_ok=True)
        path.write_bytes(content)
        if kept is not None:
            index.write_bytes(kept)
        child = os.fork()
        if child == 0:
            try:
                with pytest.MonkeyPatch.context() as patch:
                    at_call(patch, number, fault)
                    JsonLinesJournal(path).append(events)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            assert number >= 3
            return
        yield


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
# whoever is killed before a call is where one killed after the call before it was
@pytest.mark.parametrize("fault", [do_and_die, do_most_and_die])
@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES.keys())
def test_a_process_that_is_killed_at_any_call(path: Path, batch: list[Answered], fault: Fault) -> None:
    before = JsonLinesJournal(path).read()
    events = batch_for(path, batch)
    after = [*before, *((len(before) + 1 + n, event) for n, event in enumerate(events))]
    seen = []
    for _ in outcomes(path, events, fault):
        journal = JsonLinesJournal(path)
        found = journal.read()
        seen.append(found == after)
        if found == after:
            with pytest.raises(RepeatedEventError):
                journal.append([batch[-1]])
        else:
            assert found == before, "a batch is there in part"
            assert journal.append(events) == len(after)
        assert journal.append([answer("next")]) == len(after) + 1
        assert JsonLinesJournal(path).read() == [*after, (len(after) + 1, answer("next"))]
    assert seen == sorted(seen), "what was there after an early kill is there after a later one"
    assert seen[-1]


def test_a_reader_does_not_see_what_may_still_be_taken_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, seen = JsonLinesJournal(path), []
    before = journal.read()

    def fail_under_the_eyes_of_a_reader(file: int) -> None:
        if path.stat().st_size > 100:
            seen.append(journal.read() + journal.read(keys=["new"]))
            assert journal.append([]) == len(before)
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("duelist.journal.jsonl.sync_folder", lambda folder: None)
        patch.setattr(os, "fsync", fail_under_the_eyes_of_a_reader)
        with pytest.raises(FileError, match="Input/output error"):
            journal.append(batch_for(path, [answer("new")]))
    assert seen == [before]
    assert journal.append(batch_for(path, [answer("new")]) if before else [BEGINNING]) == len(before) + 1
