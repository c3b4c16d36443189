"""Executors of independent jobs: the protocol, one of processes on this machine, and what travels to them."""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ProcessPoolExecutor, ThreadPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from multiprocessing import get_context
from multiprocessing.connection import Connection
from socket import gethostname
from threading import Thread, current_thread, main_thread
from traceback import format_exception
from typing import Any, Protocol, TypeVar

from duelist.duel import BoolArray
from duelist.errors import ParameterError, WorkersError, require_whole

Task = TypeVar("Task")
Made = TypeVar("Made")
LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA")
# for every worker: a worker is a core, and sums of floating-point numbers depend on how they are split
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in LIBRARIES}
SAME_EVERYWHERE = ("duelist", "numba", "numpy", "scipy")  # packages whose version decides what a job makes
# what a process of `Processes` does, packed: it gets there once, not with every task
JOB: ContextVar[bytes] = ContextVar("JOB")
PROTOCOL = 5  # the first that keeps read-only arrays read-only; compiled code tells the two kinds apart


class Executor(Protocol):
    """Runs jobs that do not depend on each other, on this machine or others."""

    @property
    def size(self) -> int:
        """How many jobs are done at the same time."""
        ...

    def as_completed(self, job: Callable[[Task], Made], tasks: Sequence[Task]) -> Iterator[tuple[int, Made]]:
        """Call the job with every task; yield the task's place and its result, in the order of completion.

        The job is a function of a module, or a `functools.partial` of one; it gets to the workers once, so
        that what all tasks share belongs into it. Job, tasks and what is made can be pickled. An error of a
        job ends it all; leaving the iteration early stops the workers.
        """
        ...


@dataclass(frozen=True)
class Processes:
    """Processes of this machine, by default one for each core.

    Examples
    --------
    >>> sorted(Processes(2).as_completed(abs, [-3, 2]))
    [(0, 3), (1, 2)]
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is not a number of processes."""
        require_whole("workers", 1 if self.workers is None else self.workers, 1)

    @property
    def size(self) -> int:
        """How many jobs are done at the same time."""
        return self.workers or os.cpu_count() or 1

    def as_completed(self, job: Callable[[Task], Made], tasks: Sequence[Task]) -> Iterator[tuple[int, Made]]:
        """Call the job with every task; yield the task's place and its result, in the order of completion."""
        # spawned, not forked, because threads of compiled code do not survive a fork
        context = get_context("spawn")
        theirs, ours = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(min(self.size, len(tasks) or 1), context, begin, (pack(job), theirs))
        try:
            with environment(ONE_THREAD), deaf_to_interrupts():
                places = {pool.submit(do, pack(task)): place for place, task in enumerate(tasks)}
            for done in as_completed(places):
                yield places.pop(done), unpack(done.result())
        except BrokenProcessPool as error:
            raise WorkersError(
                "a worker process ended before its work was done: it was killed, perhaps for want of memory, "
                "or could not start, as in a script that does not keep its work under "
                "`if __name__ == '__main__':`."
            ) from error
        finally:
            ours.close()
            pool.shutdown(cancel_futures=True)
            theirs.close()


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that decide what a job makes, to the last bit."""
    return {name: version(name) for name in SAME_EVERYWHERE}


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Let processes that are started in the block have these environment variables."""
    kept = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Let processes that are started in the block ignore Ctrl-C from the start; their parent handles it."""
    if current_thread() is not main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def begin(job: bytes, line: Connection) -> None:
    """Prepare a process: remember the job, ignore Ctrl-C, and end with its parent."""
    JOB.set(job)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=end_with, args=(line,), daemon=True).start()


def end_with(line: Connection) -> None:
    """End this process, whatever it is doing, when the other end of a line is closed."""
    with suppress(EOFError):
        line.recv()
    os._exit(1)


def do(task: bytes) -> bytes:
    """Return the result of this process's job for a task, packed."""
    return perform(JOB.get(), task)


def pack(value: object, dumps: Callable[..., bytes] = pickle.dumps) -> bytes:
    """Return a job or a task as bytes, or refuse what cannot be pickled."""
    try:
        return dumps(value, protocol=PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ParameterError(
            f"what is to be done cannot be sent to another process: {error}. Define functions and classes in "
            "a module, neither in another function nor as a lambda; or use threads, without an executor."
        ) from error


def perform(job: bytes, task: bytes, expected: Mapping[str, str] | None = None) -> bytes:
    """Return what a job makes of a task, or its error, all packed; versions must be as expected, if given."""
    if expected is not None and versions() != expected:
        return packed_error(
            WorkersError(
                f"a worker on {gethostname()} has {versions()}, but {expected} is expected; results may "
                "differ, so install the same everywhere."
            )
        )
    try:
        return pickle.dumps((pickle.loads(job)(pickle.loads(task)), None), PROTOCOL)
    except Exception as error:
        error.add_note(f"In a worker:\n{''.join(format_exception(error))}")
        return packed_error(error)


def packed_error(error: Exception) -> bytes:
    """Return an error as bytes, in parts, because it need not have a constructor that takes its message."""
    try:
        return pickle.dumps((None, error.__reduce__()), PROTOCOL)
    except Exception:
        return packed_error(WorkersError(f"a job failed: {error!r}"))


def unpack(made: bytes) -> Any:
    """Return what a job made, or raise its error, made of its parts without calling its constructor."""
    content, parts = pickle.loads(made)
    if parts is None:
        return content
    maker, arguments, state = (*parts, None)[:3]
    error = maker.__new__(maker, *arguments) if isinstance(maker, type) else maker(*arguments)
    vars(error).update(state or {})
    raise error


LOOK_EVERY = 0.1  # seconds between two looks at the progress
HISTORY = 3600.0  # seconds by which the time left is estimated: work may come in pieces of minutes


class Show(Protocol):
    """Shows progress: what is being done, the share that is done, and the result so far."""

    def __call__(self, what: str, share: float, standing: str = "") -> None:
        """Show it."""


def repeat(
    run: Callable[[int], None], runs: int, workers: int | None, halt: BoolArray, look: Callable[[], None]
) -> None:
    """Call `run` with 0 to `runs` - 1, spread over threads; `look` is called every tenth of a second.

    Threads suffice because compiled runs do not hold the interpreter lock. When interrupted, or when a run
    fails, the flag `halt` is raised, which ends the runs under way, before the error goes on.
    """
    pool = ThreadPoolExecutor(workers or os.cpu_count())
    try:
        waiting = {pool.submit(run, index) for index in range(runs)}
        while waiting:
            done, waiting = wait(waiting, LOOK_EVERY, FIRST_EXCEPTION)
            for finished in done:
                finished.result()
            look()
    except BaseException:
        halt[0] = True
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def silence(what: str, share: float, standing: str = "") -> None:
    """Show nothing."""


@contextmanager
def progress_bar(show: bool | None) -> Iterator[Show]:
    """Show a bar on standard error while the block runs; None shows it only in a terminal."""
    if show is None:
        show = sys.stderr.isatty()
    if not show:
        yield silence
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=HISTORY) as bar:
        tasks = {}

        def update(what: str, share: float, standing: str = "") -> None:
            if what not in tasks:
                # without a total the bar moves to and fro, because how long preparations take is not known
                tasks[what] = bar.add_task(what, total=None)
            total = 1.0 if share > 0.0 else None
            bar.update(tasks[what], total=total, completed=share, description=f"{what} {standing}".rstrip())

        yield update
