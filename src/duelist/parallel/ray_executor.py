"""Workers on the machines of a Ray cluster."""

import logging
import os
import re
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from threading import current_thread, main_thread
from typing import Any

from duelist.errors import MissingExtraError, ParameterError, WorkersError, require_whole
from duelist.parallel.executors import ONE_THREAD, Made, Task, environment, pack, perform, unpack, versions

LOCAL, AUTO = "local", "auto"
ADDRESS = rf"{LOCAL}|{AUTO}|[^\s/]+:\d+"  # what the address of a cluster looks like
CONNECT_TIMEOUT = 5.0  # seconds to wait for a cluster to answer
AHEAD = 4  # tasks handed out for each worker, so that none waits for the next, and few wait in memory
ATTEMPTS_AFTER_LOSS = 5  # how often a task is done again whose process was killed or machine was lost
DATA, HEADERS, SETTINGS = 0, 1, 4  # kinds of frames in HTTP/2
FRAMES = 20  # more than come before the answer


def frame(kind: int, flags: int, stream: int, content: bytes = b"") -> bytes:
    """Return a frame of HTTP/2."""
    return len(content).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + content


def header(name: bytes, value: bytes) -> bytes:
    """Return a field of a frame of headers; its name is a number of HPACK's, or a field without a value."""
    return name + bytes([len(value)]) + value


POST, PATH, AUTHORITY, KIND, OTHER = b"\x83\x86", b"\x04", b"\x01", b"\x0f\x10", b"\x00"
CALL = (
    POST
    + header(PATH, b"/duelist.Greeting/Hello")
    + header(AUTHORITY, b"ray")
    + header(KIND, b"application/grpc")
    + header(header(OTHER, b"te"), b"trailers")
)
QUESTION = (
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    + frame(SETTINGS, 0, 0)
    + frame(HEADERS, 4, 1, CALL)
    + frame(DATA, 1, 1, bytes(5))
)
"""A call in gRPC, the language of Ray's machines, of a method that none of them has."""


@dataclass(frozen=True)
class RayExecutor:
    """Workers of Ray, on this machine or on a cluster.

    A task whose process is killed or whose machine is lost is done again elsewhere. Every machine needs the
    same version of `duelist`, and every module that jobs and tasks mention. Where Ray is connected already,
    by `ray.init`, that connection is used and left open; otherwise what was started is ended.

    Parameters
    ----------
    address : str, optional
        `"local"`, the default, starts Ray on this machine; `"auto"` finds the cluster that this machine is
        part of; `"head:6379"` is one whose head is there. This machine is to be part of the cluster
        (`ray start --address=head:6379`).
    workers : int, optional
        The most jobs at the same time; by default one for each processor.

    Examples
    --------
    >>> from duelist import RUCB, simulate
    >>> from duelist.problems import worst_case
    >>> simulate(RUCB(), worst_case(16, 0.1), 10**6, executor=RayExecutor("head:6379"))  # doctest: +SKIP
    Result(RUCB)
    """

    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be an address, and do not begin without Ray."""
        require_whole("workers", 1 if self.workers is None else self.workers, 1)
        if self.address is not None and not re.fullmatch(ADDRESS, self.address):
            raise ParameterError(
                f"address must be {LOCAL}, {AUTO} or HOST:PORT, such as head:6379; got {self.address!r}."
            )
        if find_spec("ray") is None:
            raise MissingExtraError("Ray", "ray")

    @property
    def local(self) -> bool:
        """Whether Ray is to be started on this machine."""
        return self.address in (None, LOCAL)

    @property
    def size(self) -> int:
        """How many jobs are done at the same time."""
        if self.local:
            return self.workers or os.cpu_count() or 1
        with self.connected() as ray:
            processors = int(ray.cluster_resources().get("CPU", 1))
            return min(processors, self.workers or processors)

    def as_completed(self, job: Callable[[Task], Made], tasks: Sequence[Task]) -> Iterator[tuple[int, Made]]:
        """Call the job with every task; yield the task's place and its result, in the order of completion."""
        with self.connected() as ray:
            dumps = ray.cloudpickle.dumps  # takes functions that are in no module, too
            shared = ray.put(pack(job, dumps))
            do = ray.remote(perform).options(
                num_cpus=1, max_retries=ATTEMPTS_AFTER_LOSS, runtime_env={"env_vars": ONE_THREAD}
            )
            capacity = self.size if self.workers is not None and not self.local else AHEAD * self.size
            coming, places = iter(enumerate(tasks)), dict[Any, int]()
            try:
                while True:
                    for place, task in islice(coming, capacity - len(places)):
                        places[do.remote(shared, pack(task, dumps), versions())] = place
                    if not places:
                        return
                    ray.wait(list(places))
                    for done in ray.wait(list(places), num_returns=len(places), timeout=0)[0]:
                        yield places.pop(done), unpack(ray.get(done))
            except ray.exceptions.RayError as error:
                raise WorkersError(f"{self} could not do a task: {error}") from error
            finally:
                for unfinished in places:
                    ray.cancel(unfinished, force=True)

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """Use Ray in the block: the connection there is, or one of its own."""
        import ray

        if ray.is_initialized():
            yield ray
            return
        with unchanged_process():
            try:
                self.connect()
                yield ray
            finally:
                ray.shutdown()

    def connect(self) -> None:
        """Connect to a cluster, or start Ray on this machine, without any output."""
        import ray

        quiet: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
        if self.local:
            with environment({"RAY_USAGE_STATS_ENABLED": "0"}):
                ray.init(LOCAL, num_cpus=self.size, include_dashboard=False, **quiet)
            return
        try:
            if self.address != AUTO:
                self.greet()
            ray.init(self.address, **quiet)
        except (OSError, OverflowError, RuntimeError, UnicodeError) as error:
            raise ParameterError(
                f"no Ray cluster can be reached at {self.address} ({str(error).rstrip('.')}). Start one by "
                "`ray start --head`; other machines join it, as this one must, by "
                "`ray start --address=HEAD:6379`."
            ) from error

    def greet(self) -> None:
        """See whether anything answers that may be Ray, because Ray itself tries for minutes."""
        host, _, port = str(self.address).rpartition(":")
        with socket.create_connection((host, int(port)), CONNECT_TIMEOUT) as line:
            if "RAY_USE_TLS" in os.environ:  # then the greeting is enciphered
                return
            line.sendall(QUESTION)
            if not understood(line):
                raise OSError("what answers there is not Ray")


def understood(line: socket.socket) -> bool:
    """Return whether the answer is in gRPC, which says so also where it refuses a call."""
    with line.makefile("rb") as answer:
        for place in range(FRAMES):
            head = answer.read(9)
            kind = head[3] if len(head) == 9 else None
            if kind is None or (place == 0 and kind != SETTINGS):
                return False
            content = answer.read(int.from_bytes(head[:3], "big"))
            if kind == HEADERS:
                return b"application/grpc" in content
    return False


@contextmanager
def unchanged_process() -> Iterator[None]:
    """Undo what Ray changes in the process it is used in."""
    logger = logging.getLogger("ray")
    level, handler = logger.level, signal.getsignal(signal.SIGTERM)
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
        if current_thread() is main_thread():
            signal.signal(signal.SIGTERM, handler)
