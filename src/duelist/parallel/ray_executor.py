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
ADDRESS = rf"{LOCAL}|{AUTO}|[^\s/]+:\d+"
CONNECT_TIMEOUT = 5.0  # seconds
AHEAD = 4  # tasks submitted per worker: enough to keep workers busy, few enough to save memory
ATTEMPTS_AFTER_LOSS = 5  # retries of a task whose process or machine was lost
DATA, HEADERS, SETTINGS = 0, 1, 4  # HTTP/2 frame types
FRAMES = 20  # more than precede the response


def frame(kind: int, flags: int, stream: int, content: bytes = b"") -> bytes:
    """Return an HTTP/2 frame."""
    return len(content).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + content


def header(name: bytes, value: bytes) -> bytes:
    """Return a header field; its name is an HPACK index, or a field without a value."""
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
"""A gRPC call of a method that does not exist; Ray's machines speak gRPC."""


@dataclass(frozen=True)
class RayExecutor:
    """Ray workers, on this machine or on a cluster.

    A task whose process or machine is lost is retried elsewhere. Every machine needs the same version of
    `duelist`, and every module that jobs and tasks refer to. If Ray is already connected by `ray.init`, that
    connection is used and left open; otherwise the connection is closed at the end.

    Parameters
    ----------
    address : str, optional
        `"local"`, the default, starts Ray on this machine; `"auto"` finds the cluster that this machine is
        part of; `"head:6379"` is the address of a cluster's head. This machine must be part of the cluster
        (`ray start --address=head:6379`).
    workers : int, optional
        The maximum number of concurrent jobs; by default one per processor.

    Raises
    ------
    ParameterError
        If the address or the number of workers is invalid.
    MissingExtraError
        If Ray is not installed.

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
        require_whole("workers", 1 if self.workers is None else self.workers, 1)
        if self.address is not None and not re.fullmatch(ADDRESS, self.address):
            raise ParameterError(
                f"address must be {LOCAL}, {AUTO} or HOST:PORT such as head:6379; got {self.address!r}."
            )
        if find_spec("ray") is None:
            raise MissingExtraError("Ray", "ray")

    @property
    def local(self) -> bool:
        """Whether Ray is started on this machine."""
        return self.address in (None, LOCAL)

    @property
    def size(self) -> int:
        """The number of jobs that run at the same time."""
        if self.local:
            return self.workers or os.cpu_count() or 1
        with self.connected() as ray:
            processors = int(ray.cluster_resources().get("CPU", 1))
            return min(processors, self.workers or processors)

    def as_completed(self, job: Callable[[Task], Made], tasks: Sequence[Task]) -> Iterator[tuple[int, Made]]:
        """Call the job with every task, and yield results in the order of completion.

        Parameters
        ----------
        job : callable
            A function, or a `functools.partial` of one.
        tasks : sequence
            The arguments.

        Yields
        ------
        tuple of int and object
            The index of a task and its result.

        Raises
        ------
        ParameterError
            If no cluster can be reached, or the job or a task cannot be pickled.
        WorkersError
            If Ray cannot complete a task.

        Examples
        --------
        >>> sorted(RayExecutor().as_completed(abs, [-3, 2]))  # doctest: +SKIP
        [(0, 3), (1, 2)]
        """
        with self.connected() as ray:
            dumps = ray.cloudpickle.dumps  # also pickles functions that are not in a module
            shared = ray.put(pack(job, dumps))
            do = ray.remote(perform).options(
                num_cpus=1, max_retries=ATTEMPTS_AFTER_LOSS, runtime_env={"env_vars": ONE_THREAD}
            )
            capacity = self.size if self.workers is not None and not self.local else AHEAD * self.size
            remaining, indices = iter(enumerate(tasks)), dict[Any, int]()
            try:
                while True:
                    for index, task in islice(remaining, capacity - len(indices)):
                        indices[do.remote(shared, pack(task, dumps), versions())] = index
                    if not indices:
                        return
                    ray.wait(list(indices))
                    for done in ray.wait(list(indices), num_returns=len(indices), timeout=0)[0]:
                        yield indices.pop(done), unpack(ray.get(done))
            except ray.exceptions.RayError as error:
                raise WorkersError(f"{self} could not complete a task: {error}") from error
            finally:
                for unfinished in indices:
                    ray.cancel(unfinished, force=True)

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """Use the existing Ray connection in the block, or open a new one and close it at the end.

        Yields
        ------
        module
            The module `ray`.

        Raises
        ------
        ParameterError
            If no cluster can be reached.

        Examples
        --------
        >>> with RayExecutor().connected() as ray:  # doctest: +SKIP
        ...     ray.is_initialized()
        True
        """
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
        """Connect to a cluster, or start Ray on this machine, without any output.

        Raises
        ------
        ParameterError
            If no cluster can be reached.

        Examples
        --------
        >>> RayExecutor("head:6379").connect()  # doctest: +SKIP
        """
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
                f"no Ray cluster can be reached at {self.address} ({str(error).rstrip('.')}). Start one with "
                "`ray start --head`, and let every other machine, including this one, join it with "
                "`ray start --address=HEAD:6379`."
            ) from error

    def greet(self) -> None:
        """Check that a gRPC server answers at the address, because Ray itself would retry for minutes.

        Raises
        ------
        OSError
            If it does not.

        Examples
        --------
        >>> RayExecutor("head:6379").greet()  # doctest: +SKIP
        """
        host, _, port = str(self.address).rpartition(":")
        with socket.create_connection((host, int(port)), CONNECT_TIMEOUT) as connection:
            if "RAY_USE_TLS" in os.environ:  # the connection would be encrypted
                return
            connection.sendall(QUESTION)
            if not speaks_grpc(connection):
                raise OSError("the server there is not Ray")


def speaks_grpc(connection: socket.socket) -> bool:
    """Return whether the response is gRPC, which servers also use to reject a call."""
    with connection.makefile("rb") as answer:
        for number in range(FRAMES):
            head = answer.read(9)
            kind = head[3] if len(head) == 9 else None
            if kind is None or (number == 0 and kind != SETTINGS):
                return False
            content = answer.read(int.from_bytes(head[:3], "big"))
            if kind == HEADERS:
                return b"application/grpc" in content
    return False


@contextmanager
def unchanged_process() -> Iterator[None]:
    """Undo Ray's changes to the process at the end of the block."""
    logger = logging.getLogger("ray")
    level, handler = logger.level, signal.getsignal(signal.SIGTERM)
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
        if current_thread() is main_thread():
            signal.signal(signal.SIGTERM, handler)
