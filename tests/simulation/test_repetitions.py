import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from refusals import refused

from duelist import Uniform, simulate
from duelist.parallel import progress_bar, repeat
from duelist.problems import worst_case
from duelist.simulation import engine


def nothing() -> None:
    """Take no notice."""


def test_every_run_is_played_once() -> None:
    played: list[int] = []
    repeat(played.append, 20, 3, np.zeros(1, np.bool_), nothing)
    assert sorted(played) == list(range(20))


def test_a_failing_run_ends_all() -> None:
    halt = np.zeros(1, np.bool_)

    def run(index: int) -> None:
        if index == 1:
            raise ZeroDivisionError("run 1")

    with refused(ZeroDivisionError, "run 1"):
        repeat(run, 4, 2, halt, nothing)
    assert halt[0]


def test_an_interrupt_stops_the_runs_under_way() -> None:
    halt = np.zeros(1, np.bool_)
    started = threading.Event()

    def run(index: int) -> None:
        started.set()
        while not halt[0]:
            pass

    def interrupt() -> None:
        if started.is_set():
            raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        repeat(run, 1000, 2, halt, interrupt)
    assert halt[0]
    assert threading.active_count() == before


def test_an_interrupt_ends_a_compiled_run_of_endless_length(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def interrupting(show: bool | None) -> Iterator[object]:
        def update(what: str, share: float, standing: str = "") -> None:
            if share > 0.0:
                raise KeyboardInterrupt

        yield update

    monkeypatch.setattr(engine, "progress_bar", interrupting)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        simulate(Uniform(), worst_case(4), horizon=10**15, runs=2, workers=2)
    assert threading.active_count() == before


def test_the_bar_shows_what_is_played_and_how_far(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(True) as show:
        show("RUCB", 0.0)
        show("RUCB", 1.0)
    printed = capsys.readouterr()
    assert "RUCB" in printed.err
    assert "100%" in printed.err
    assert printed.out == ""


def test_no_bar_is_shown_to_files(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(None) as show:
        show("RUCB", 0.5)
    assert capsys.readouterr().err == ""
