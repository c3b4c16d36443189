"""Work spread over threads: every piece runs once; errors and interrupts set the flag."""

import threading

import numpy as np
import pytest
from refusals import names, refused

from duelist.parallel import progress_bar, repeat


@pytest.mark.parametrize("workers", [1, 3, None])
def test_every_run_is_called_once(workers: int | None) -> None:
    calls, looks = list[int](), list[int]()
    halt = np.zeros(1, np.bool_)
    repeat(calls.append, 20, workers, halt, lambda: looks.append(len(calls)))
    assert sorted(calls) == list(range(20))
    assert looks[-1] == 20
    assert not halt[0]


def test_runs_share_the_threads() -> None:
    both = threading.Barrier(2, timeout=30.0)  # passes only if two runs are under way at once
    passed = list[int]()

    def run(index: int) -> None:
        both.wait()
        passed.append(index)

    repeat(run, 2, 2, np.zeros(1, np.bool_), lambda: None)
    assert sorted(passed) == [0, 1]


def test_an_error_ends_the_others() -> None:
    halt, ended = np.zeros(1, np.bool_), list[int]()
    wait = threading.Event()

    def run(index: int) -> None:
        if index == 0:
            raise ValueError("the first run failed")
        while not halt[0]:
            wait.wait(0.01)
        ended.append(index)

    with refused(ValueError, "the first run failed"):
        repeat(run, 3, 3, halt, lambda: None)
    assert halt[0]
    assert set(ended) <= {1, 2}


def test_an_interrupt_ends_all_runs() -> None:
    halt = np.zeros(1, np.bool_)
    wait = threading.Event()

    def run(index: int) -> None:
        while not halt[0]:
            wait.wait(0.01)

    def look() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        repeat(run, 2, 2, halt, look)
    assert halt[0]


def test_no_bar_is_shown_to_files(capsys: pytest.CaptureFixture[str]) -> None:
    for shown in (None, False):
        with progress_bar(shown) as show:
            show("RUCB", 0.5)
    assert capsys.readouterr().err == ""


def test_a_bar_says_what_is_done_before_the_first_round_too(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(True) as show:
        show("RUCB", 0.0, "compiling, 7 functions so far")
        show("Uniform", 0.5)
    output = capsys.readouterr().err
    assert names(output, "RUCB", "7 functions", "Uniform")
    assert "50%" in output
