"""Work is done once, stored, resumed, and planned further once results are known."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
import toy_paper
from refusals import refused

from duelist.errors import FileError, ParameterError, WorkersError
from duelist.laboratory import Item, ItemResults, Paper, Piece, Scale, Sources, carry_out
from duelist.laboratory.running import TIMES, Job, do, work_for
from duelist.parallel import Processes, silence

Task = TypeVar("Task")
Made = TypeVar("Made")


class Alone:
    """An executor of one, here, that counts its tasks and can be stopped."""

    def __init__(self, stop_after: int = 10**9) -> None:
        self.done: list[str] = []
        self.stop_after = stop_after

    @property
    def size(self) -> int:
        return 1

    def as_completed(self, job: Callable[[Task], Made], tasks: Sequence[Task]) -> Iterator[tuple[int, Made]]:
        # the last first, because nothing says in which order work is done
        for place in reversed(range(len(tasks))):
            if len(self.done) == self.stop_after:
                raise KeyboardInterrupt
            task = tasks[place]
            assert isinstance(task, Job)
            self.done.append(task.piece.name)
            yield place, job(task)


def run(
    out: Path,
    executor: Alone | Processes,
    item: Item = toy_paper.SQUARES,
    scale: Scale = Scale.QUICK,
    data: Path | None = None,
) -> ItemResults:
    found: list[ItemResults] = []

    def finished(paper: Paper, item: Item, results: ItemResults) -> None:
        found.append(results)

    carry_out([(toy_paper.PAPER, item)], scale, Sources(data), out, executor, silence, finished)
    (results,) = found
    return results


def contents(out: Path) -> dict[str, bytes]:
    files = (path for path in out.rglob("*") if path.is_file() and path.name != TIMES)
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def test_what_depends_on_results_is_planned_when_they_are_there(tmp_path: Path) -> None:
    executor = Alone()
    results = run(tmp_path, executor)
    assert executor.done == ["n=2", "n=1", "n=0", "again"]
    assert {name: int(one["square"][0]) for name, one in results.items()} == {
        "n=0": 0,
        "n=1": 1,
        "n=2": 4,
        "again": 16,
    }
    assert list(results) == ["n=0", "n=1", "n=2", "again"]  # as planned, not as done


def test_what_is_kept_is_not_done_again(tmp_path: Path) -> None:
    run(tmp_path, Alone())
    again = Alone()
    results = run(tmp_path, again)
    assert again.done == []
    assert len(results) == 4


def test_a_larger_scale_uses_what_the_smaller_did(tmp_path: Path) -> None:
    run(tmp_path, Alone())
    executor = Alone()
    results = run(tmp_path, executor, scale=Scale.PAPER)
    # the piece named 'again' has another setting now
    assert sorted(executor.done) == ["again", "n=3", "n=4", "n=5"]
    assert int(results["again"]["square"][0]) == 625


@pytest.mark.parametrize("stop_after", [0, 1, 3])
def test_interrupted_work_goes_on_and_makes_the_same_files(tmp_path: Path, stop_after: int) -> None:
    run(tmp_path / "whole", Alone())
    executor = Alone(stop_after)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "cut", executor)
    rest = Alone()
    run(tmp_path / "cut", rest)
    assert len(executor.done) + len(rest.done) == 4
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    assert len(contents(tmp_path / "whole")) == 4


@pytest.mark.parametrize("name", ["results/toy/squares/.n=1.npz.0123abcd.draft", f".{TIMES}.0123abcd.draft"])
def test_half_written_files_of_a_killed_process_are_removed(tmp_path: Path, name: str) -> None:
    run(tmp_path, Alone())
    draft = tmp_path / name
    draft.write_bytes(b"ha")
    run(tmp_path, Alone())
    assert not draft.exists()


def test_processes_make_the_same_files(tmp_path: Path) -> None:
    run(tmp_path / "here", Alone())
    run(tmp_path / "there", Processes(2))
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


def test_a_killed_worker_is_told_and_what_was_done_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "whole", Alone())
    monkeypatch.setenv("TOY_PAPER_ENDS_AT", "2")
    with refused(WorkersError, "worker", "__main__"):
        run(tmp_path / "cut", Processes(1))
    monkeypatch.delenv("TOY_PAPER_ENDS_AT")
    rest = Alone()
    run(tmp_path / "cut", rest)
    assert {"n=2", "again"} <= set(rest.done)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_every_piece_is_timed(tmp_path: Path) -> None:
    run(tmp_path, Alone())
    times = json.loads((tmp_path / TIMES).read_text())
    assert times["toy/squares"].keys() == {"n=0", "n=1", "n=2", "again"}
    assert all(seconds >= 0.0 for seconds in times["toy/squares"].values())


def test_progress_grows_to_the_whole(tmp_path: Path) -> None:
    shares: dict[str, list[float]] = {}

    def show(what: str, share: float, standing: str = "") -> None:
        shares.setdefault(what, []).append(share)

    chosen = [(toy_paper.PAPER, toy_paper.SQUARES)]
    carry_out(chosen, Scale.QUICK, Sources(None), tmp_path, Alone(), show, lambda *_: None)
    first_round = shares["everything"][:4]
    # pieces cost 3, 2 and 1 of 6; then a piece of cost 1 is planned in addition
    assert first_round == pytest.approx([0.0, 3 / 6, 5 / 6, 6 / 7])
    assert shares["everything"][-1] == shares["toy/squares"][-1] == 1.0


def test_data_that_is_missing_is_told_before_the_work(tmp_path: Path) -> None:
    executor = Alone()
    with refused(FileError, str(tmp_path), "squares/list.csv", "--data"):
        run(tmp_path / "out", executor, toy_paper.NEEDING, data=tmp_path)
    assert executor.done == []


def test_a_worker_with_other_data_refuses_to_work(tmp_path: Path) -> None:
    there = tmp_path / "squares" / "list.csv"
    there.parent.mkdir()
    there.write_text("1\n")
    sources = Sources(tmp_path)
    work = work_for(toy_paper.PAPER, toy_paper.NEEDING, Scale.QUICK, sources, tmp_path / "out")
    work.look()
    job = Job(work.missing[0], sources, work.item.data, work.store.data)
    assert do(job)[0]
    there.write_text("2\n")
    with refused(WorkersError, str(tmp_path)):
        do(job)


def test_times_that_are_no_times_are_forgotten(tmp_path: Path) -> None:
    (tmp_path / TIMES).write_text("[]")
    run(tmp_path, Alone())
    assert "toy/squares" in json.loads((tmp_path / TIMES).read_text())


def test_results_on_other_data_are_not_taken(tmp_path: Path) -> None:
    made_up = run(tmp_path / "out", Alone(), toy_paper.NEEDING)
    assert not made_up.real
    data = tmp_path / "data" / "squares"
    data.mkdir(parents=True)
    (data / "list.csv").write_text("1,2")
    for content, pieces in (("1,2", 4), ("1,2", 0), ("1,3", 4)):
        (data / "list.csv").write_text(content)
        executor = Alone()
        assert run(tmp_path / "out", executor, toy_paper.NEEDING, data=tmp_path / "data").real
        assert len(executor.done) == pieces


def test_two_pieces_of_one_name_are_refused(tmp_path: Path) -> None:
    twice = [Piece("one", toy_paper.square, {"number": n}) for n in (1, 2)]
    item = Item("twice", "", 1.0, lambda results: twice, toy_paper.findings, toy_paper.show)
    work = work_for(toy_paper.PAPER, item, Scale.QUICK, Sources(None), tmp_path)
    with refused(ParameterError, "toy/twice", "one"):
        work.look()
