"""Work spread over processes: every task runs once, errors arrive unchanged, no process is left behind."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children

import pytest
from parallel.jobs import fail_at_two, fail_oddly, kill_own_process, miss_a_file, own_number, threads_allowed
from refusals import refused

from duelist.errors import ParameterError, UnknownNameError, WorkersError
from duelist.parallel import Processes
from duelist.parallel.executors import ONE_THREAD, ignoring_interrupts


def test_every_task_is_done_once_by_other_processes_in_one_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ONE_THREAD:
        monkeypatch.setenv(name, "2")
    assert sorted(Processes(2).as_completed(abs, range(-9, 0))) == [(place, 9 - place) for place in range(9)]
    ((_, allowed),) = Processes(2).as_completed(threads_allowed, [0])
    assert set(allowed) == {"1"}
    ((_, number),) = Processes(1).as_completed(own_number, [0.0])
    assert number != os.getpid()


def test_processes_leave_interrupts_to_this_one_from_the_first() -> None:
    before = signal.getsignal(signal.SIGINT)
    program = [
        sys.executable,
        "-c",
        "import signal; print(signal.getsignal(signal.SIGINT) == signal.SIG_IGN)",
    ]
    with ignoring_interrupts():
        output = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    assert output == "True\n"
    assert signal.getsignal(signal.SIGINT) == before


def test_this_process_keeps_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    list(Processes(1).as_completed(abs, [1]))
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "MKL_NUM_THREADS" not in os.environ


def test_there_are_as_many_as_asked_for() -> None:
    assert Processes(3).size == 3
    assert Processes().size == os.cpu_count()
    assert list(Processes(2).as_completed(abs, [])) == []
    with refused(ParameterError, "workers", 1, 0):
        Processes(0)


def test_an_error_arrives_as_itself_and_says_where_it_was() -> None:
    with refused(UnknownNameError, "'rucb'", "'RUCB'") as caught:
        list(Processes(2).as_completed(fail_at_two, range(4)))
    assert "fail_at_two" in caught.value.__notes__[0]
    with pytest.raises(FileNotFoundError) as missing:
        list(Processes(1).as_completed(miss_a_file, ["/no/such/file"]))
    assert missing.value.filename == "/no/such/file"
    with refused(WorkersError, "ValueError", "a message"):
        list(Processes(1).as_completed(fail_oddly, [0]))


def test_what_cannot_be_sent_is_refused() -> None:
    with refused(ParameterError, "process", "lambda"):
        list(Processes(1).as_completed(lambda task: task, [0]))
    with refused(ParameterError, "process"):
        list(Processes(1).as_completed(str, [lambda: None]))
    assert not active_children()


def test_leaving_early_stops_the_processes() -> None:
    start = time.monotonic()
    for _ in Processes(2).as_completed(own_number, [0.0, 600.0, 600.0, 600.0]):
        assert active_children()
        break
    assert not active_children()
    assert time.monotonic() - start < 300.0  # nobody waited for a task of ten minutes


def test_a_killed_process_is_an_error_not_a_wait() -> None:
    with refused(WorkersError, "worker", "__main__"):
        list(Processes(1).as_completed(kill_own_process, [0, 1]))
    assert not active_children()
