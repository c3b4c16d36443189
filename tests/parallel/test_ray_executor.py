"""Work spread by Ray over the processes of two machines: results, failures, errors and clean-up."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from parallel.backwards import Backwards
from parallel.experiments import assert_same_bits, on_arms
from parallel.jobs import (
    AccidentProne,
    alive,
    fail_at_two,
    first_of_two,
    kill_own_process,
    patient,
    threads_allowed,
    wait_until,
)
from refusals import refused

from duelist.errors import MissingExtraError, ParameterError, UnknownNameError, WorkersError
from duelist.laboratory import Scale, Sources, carry_out, choose
from duelist.parallel import RayExecutor, ray_executor, silence
from duelist.parallel.executors import ONE_THREAD, environment, pack, perform, unpack, versions
from duelist.parallel.ray_executor import HEADERS, SETTINGS, frame

ray = pytest.importorskip("ray", reason="Ray is an extra")
cluster_utils = pytest.importorskip("ray.cluster_utils", reason="Ray is an extra")

QUICK_TO_NOTICE = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 200}
"""A machine that is lost; by default, Ray takes a quarter of a minute."""

TESTS = Path(__file__).resolve().parents[1]


def processes_of_ray() -> int:
    """How many this process has started."""
    listing = ["ps", "-o", "args=", "--ppid", str(os.getpid())]
    return subprocess.run(listing, capture_output=True, text=True, check=True).stdout.count("/ray/core/")


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_executor, "find_spec", lambda name: None)
    with refused(MissingExtraError, "duelist[ray]"):
        RayExecutor()


def test_addresses_and_numbers_that_cannot_be_are_refused() -> None:
    with refused(ParameterError, "address", "local", "auto", "HOST:PORT", "'ray-head'"):
        RayExecutor("ray-head")
    with refused(ParameterError, "address", "'ray://head:10001'"):
        RayExecutor("ray://head:10001")
    with refused(ParameterError, "workers", 1, 0):
        RayExecutor(workers=0)


def test_where_no_cluster_is_the_error_says_so() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # taken, and nobody listens
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        with refused(ParameterError, address, "ray start --head"):
            list(RayExecutor(address).as_completed(abs, [1]))
    assert not ray.is_initialized()


POLITE, NOT_FOUND = frame(SETTINGS, 0, 0), frame(HEADERS, 5, 1, b"\x8d")


@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", POLITE, POLITE + NOT_FOUND, POLITE * 30],
    ids=["HTTP", "silent", "HTTP/2, silent", "HTTP/2, not found", "HTTP/2, talkative"],
)
def test_what_is_not_ray_is_told_at_once(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, ThreadPoolExecutor(1) as pool:

        def reply() -> None:
            line, _ = other.accept()
            with line:
                line.recv(1000)
                line.sendall(answer)

        replied = pool.submit(reply)
        address = f"127.0.0.1:{other.getsockname()[1]}"
        with refused(ParameterError, address, "not Ray"):
            list(RayExecutor(address).as_completed(abs, [1]))
        replied.result()
    assert not ray.is_initialized()


def test_what_says_no_more_than_hello_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_executor, "CONNECT_TIMEOUT", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as other, ThreadPoolExecutor(1) as pool:
        accepted = pool.submit(other.accept)
        address = f"127.0.0.1:{other.getsockname()[1]}"
        with refused(ParameterError, address, "timed out"):
            list(RayExecutor(address).as_completed(abs, [1]))
        accepted.result()[0].close()


@pytest.mark.parametrize("address", ["127.0.0.1:99999", "head..node:6379"])
def test_an_address_that_cannot_exist_is_one_line(address: str) -> None:
    with refused(ParameterError, address, "ray start --head"):
        list(RayExecutor(address).as_completed(abs, [1]))


def test_workers_with_other_versions_refuse_to_work() -> None:
    others = {**versions(), "numpy": "1.0"}
    with refused(WorkersError, "'numpy': '1.0'"):
        unpack(perform(pack(abs), pack(-1), others))
    assert unpack(perform(pack(abs), pack(-1), versions())) == 1


def test_on_this_machine_it_ends_what_it_starts(capfd: pytest.CaptureFixture[str]) -> None:
    assert RayExecutor().size == os.cpu_count()
    executor = RayExecutor(workers=1)
    assert executor.size == 1
    with executor.connected():
        assert processes_of_ray() > 0
        assert sorted(executor.as_completed(abs, [-1, -2])) == [(0, 1), (1, 2)]
    assert not ray.is_initialized()
    assert processes_of_ray() == 0
    assert capfd.readouterr() == ("", "")


def machines(folder: Path) -> set[str]:
    """Where patient tasks have begun."""
    return {path.name.split("-")[0] for path in folder.glob("*-*")}


@contextmanager
def meanwhile(*steps: Callable[[], object]) -> Iterator[None]:
    """Do something else while the block runs."""
    with ThreadPoolExecutor() as pool:
        done = pool.submit(lambda: [step() for step in steps])
        yield
        done.result()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    # where workers find these tests' jobs, and more threads than they are to have
    with environment({"PYTHONPATH": os.pathsep.join(paths), **dict.fromkeys(ONE_THREAD, "2")}):
        cluster = cluster_utils.Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 1, "include_dashboard": False, "_system_config": QUICK_TO_NOTICE},
        )
        cluster.add_node(num_cpus=1)
        yield cluster
        cluster.shutdown()


@pytest.fixture(scope="module")
def connected(cluster: Any) -> Iterator[RayExecutor]:
    """Stay connected to the end: a new connection waits for new processes."""
    executor, handler = RayExecutor(cluster.address), signal.getsignal(signal.SIGTERM)
    with executor.connected():
        yield executor
    assert not ray.is_initialized()
    assert signal.getsignal(signal.SIGTERM) == handler


def test_a_simulation_makes_the_same_bits(connected: RayExecutor) -> None:
    assert connected.size == 2
    assert_same_bits(on_arms(connected), on_arms(None))


def test_a_reproduction_makes_the_same_files_although_a_process_is_killed(
    connected: RayExecutor, tmp_path: Path
) -> None:
    chosen = choose(["zoghi2014/figure5"])
    unlucky = AccidentProne(connected, tmp_path / "killed")
    for executor, out in ((Backwards(), tmp_path / "here"), (unlucky, tmp_path / "there")):
        carry_out(chosen, Scale.QUICK, Sources(None), out, executor, silence, lambda *_: None)
    here, there = (
        {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*.npz"))}
        for out in (tmp_path / "here", tmp_path / "there")
    )
    assert (tmp_path / "killed").exists()
    assert len(here) > 1
    assert here == there


def test_errors_come_as_themselves_and_end_it_all(
    connected: RayExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((_, made),) = connected.as_completed(lambda task: task + 1, [1])  # needs no module
    assert made == 2
    ((_, allowed),) = connected.as_completed(threads_allowed, [0])
    assert set(allowed) == {"1"}
    with refused(UnknownNameError, "'rucb'", "'RUCB'") as caught:
        list(connected.as_completed(fail_at_two, range(20)))
    assert "fail_at_two" in caught.value.__notes__[0]
    for _ in connected.as_completed(partial(first_of_two, tmp_path), range(2)):
        break
    (asleep,) = (int(path.name) for path in tmp_path.iterdir())
    wait_until(lambda: not alive(asleep))
    monkeypatch.setattr(ray_executor, "ATTEMPTS_AFTER_LOSS", 0)
    with refused(WorkersError, "RayExecutor"):
        list(connected.as_completed(kill_own_process, [0]))


def test_both_machines_work_and_what_is_lost_with_one_is_done_again(
    cluster: Any, connected: RayExecutor, tmp_path: Path
) -> None:
    (lost,) = cluster.worker_nodes
    with meanwhile(
        lambda: wait_until(lambda: len(machines(tmp_path)) == 2),
        lambda: cluster.remove_node(lost, allow_graceful=False),
        (tmp_path / "go").touch,
    ):
        made = list(connected.as_completed(partial(patient, tmp_path), range(40)))
    assert sorted(made) == [(place, place * place) for place in range(40)]
    assert len(list(tmp_path.glob("*-*"))) > 40  # what had begun on the lost machine began again
    wait_until(lambda: connected.size == 1)
