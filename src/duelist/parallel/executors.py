"""Executors of independent jobs: the protocol, local processes, and the serialization of jobs."""

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
# one thread per worker: a worker is a core, and floating-point sums depend on how they are split
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in LIBRARIES}
SAME_EVERYWHERE = ("duelist", "numba", "numpy", "scipy")  # packages whose version affects results
# the pickled job of a process of `Processes`: sent once, not with every task
JOB: ContextVar[bytes] = ContextVar("JOB")
PROTOCOL = 5  # the first that preserves read-only arrays, which are a different type in compiled code


class Executor(Protocol):
    """The protocol of executors: they run independent jobs, on this machine or others.

    Examples
    --------
    >>> executor: Executor = Processes(2)
    >>> executor.size
    2
    """

    @property
    def size(self) -> int:
        """The number of jobs that run at the same time."""
        ...

    def as_completed(self, job: Callable[[Task], Made], tasks: Sequence[Task]) -> Iterator[tuple[int, Made]]:
        """Call the job with every task, and yield results in the order of completion.

        An error of a job stops all others. Leaving the iteration early stops the workers.

        Parameters
        ----------
        job : callable
            A function of a module, or a `functools.partial` of one. It is sent to the workers once: put what
            all tasks share into it. The job, the tasks and the results must be picklable.
        tasks : sequence
            The arguments.

        Yields
        ------
        tuple of int and object
            The index of a task and its result.

        Raises
        ------
        ParameterError
            If the job or a task cannot be pickled.
        WorkersError
            If a worker is lost.

        Examples
        --------
        >>> executor: Executor = Processes(2)
        >>> sorted(executor.as_completed(abs, [-3, 2]))
        [(0, 3), (1, 2)]
        """
        ...


@dataclass(frozen=True)
class Processes:
    """Processes on this machine.

    Parameters
    ----------
    workers : int, optional
        The number of processes; by default one per core.

    Raises
    ------
    ParameterError
        If `workers` is not a positive whole number.

    Examples
    --------
    >>> sorted(Processes(2).as_completed(abs, [-3, 2]))
    [(0, 3), (1, 2)]
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        require_whole("workers", 1 if self.workers is None else self.workers, 1)

    @property
    def size(self) -> int:
        """The number of jobs that run at the same time."""
        return self.workers or os.cpu_count() or 1

    def as_completed(self, job: Callable[[Task], Made], tasks: Sequence[Task]) -> Iterator[tuple[int, Made]]:
        """Call the job with every task, and yield results in the order of completion.

        Parameters
        ----------
        job : callable
            A function of a module, or a `functools.partial` of one.
        tasks : sequence
            The arguments.

        Yields
        ------
        tuple of int and object
            The index of a task and its result.

        Raises
        ------
        ParameterError
            If the job or a task cannot be pickled.
        WorkersError
            If a worker process is killed.

        Examples
        --------
        >>> sorted(Processes(2).as_completed(len, ["a", "bc"]))
        [(0, 1), (1, 2)]
        """
        # spawn, because the threads of compiled code do not survive a fork
        context = get_context("spawn")
        theirs, ours = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(min(self.size, len(tasks) or 1), context, begin, (pack(job), theirs))
        try:
            with environment(ONE_THREAD), ignoring_interrupts():
                indices = {pool.submit(do, pack(task)): index for index, task in enumerate(tasks)}
            for done in as_completed(indices):
                yield indices.pop(done), unpack(done.result())
        except BrokenProcessPool as error:
            raise WorkersError(
                "a worker process ended before its work was done: it was killed, perhaps because memory ran "
                "out, or it could not start. In a script, put the work under `if __name__ == '__main__':`."
            ) from error
        finally:
            ours.close()
            pool.shutdown(cancel_futures=True)
            theirs.close()


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that affect results, to the last bit."""
    return {name: version(name) for name in SAME_EVERYWHERE}


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the processes that are started in the block."""
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
def ignoring_interrupts() -> Iterator[None]:
    """Make processes that are started in the block ignore Ctrl-C from the start; their parent handles it."""
    if current_thread() is not main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def begin(job: bytes, pipe: Connection) -> None:
    """Initialize a process: store the job, ignore Ctrl-C, and exit with the parent."""
    JOB.set(job)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=end_with, args=(pipe,), daemon=True).start()


def end_with(pipe: Connection) -> None:
    """Exit this process, whatever it is doing, once the other end of the pipe is closed."""
    with suppress(EOFError):
        pipe.recv()
    os._exit(1)


def do(task: bytes) -> bytes:
    """Return the pickled result of this process's job for a task."""
    return perform(JOB.get(), task)


def pack(value: object, dumps: Callable[..., bytes] = pickle.dumps) -> bytes:
    """Pickle a job or a task; raise ParameterError if that is impossible."""
    try:
        return dumps(value, protocol=PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ParameterError(
            f"the work cannot be sent to another process: {error}. Define functions and classes at the top "
            "level of a module, not inside a function or as a lambda; or use threads, without an executor."
        ) from error


def perform(job: bytes, task: bytes, expected: Mapping[str, str] | None = None) -> bytes:
    """Return the pickled result of a job for a task, or its pickled error; check versions if given."""
    if expected is not None and versions() != expected:
        return packed_error(
            WorkersError(
                f"a worker on {gethostname()} has {versions()}, but {expected} is expected; install the same "
                "versions everywhere, because results may differ."
            )
        )
    try:
        return pickle.dumps((pickle.loads(job)(pickle.loads(task)), None), PROTOCOL)
    except Exception as error:
        error.add_note(f"In a worker:\n{''.join(format_exception(error))}")
        return packed_error(error)


def packed_error(error: Exception) -> bytes:
    """Pickle an error in parts, because its constructor may not accept its message."""
    try:
        return pickle.dumps((None, error.__reduce__()), PROTOCOL)
    except Exception:
        return packed_error(WorkersError(f"a job failed: {error!r}"))


def unpack(made: bytes) -> Any:
    """Return a result, or raise its error, restored from its parts without calling its constructor."""
    content, parts = pickle.loads(made)
    if parts is None:
        return content
    maker, arguments, state = (*parts, None)[:3]
    error = maker.__new__(maker, *arguments) if isinstance(maker, type) else maker(*arguments)
    vars(error).update(state or {})
    raise error


LOOK_EVERY = 0.1  # seconds between two updates of the progress
HISTORY = 3600.0  # seconds for estimating the remaining time: pieces of work may take minutes


class Show(Protocol):
    """The protocol of progress displays.

    Examples
    --------
    >>> show: Show = silence
    >>> show("RUCB", 0.5)
    """

    def __call__(self, what: str, share: float, standing: str = "") -> None:
        """Show the progress.

        Parameters
        ----------
        what : str
            What is being done.
        share : float
            The share that is done.
        standing : str, default ""
            A short interim result.

        Examples
        --------
        >>> show: Show = silence
        >>> show("RUCB", 0.5, "NDCG 0.431")
        """


def repeat(
    run: Callable[[int], None], runs: int, workers: int | None, halt: BoolArray, look: Callable[[], None]
) -> None:
    """Call `run` with 0 to `runs` - 1, in threads, and `look` every tenth of a second.

    Threads suffice because compiled runs release the interpreter lock. If the work is interrupted or a run
    fails, the flag `halt` is set, which ends the other runs, and the error is raised.

    Parameters
    ----------
    run : callable
        Takes the index of a run.
    runs : int
        The number of runs.
    workers : int or None
        The number of threads; None for one per core.
    halt : array of bool
        The flag, which runs should check.
    look : callable
        Called without arguments to show the progress.

    Examples
    --------
    >>> import numpy as np
    >>> squares = [0, 0, 0]
    >>> def run(index):
    ...     squares[index] = index**2
    >>> repeat(run, 3, 2, np.zeros(1, np.bool_), lambda: None)
    >>> squares
    [0, 1, 4]
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
    """Show nothing; a `Show` without output.

    Parameters
    ----------
    what : str
        Ignored.
    share : float
        Ignored.
    standing : str, default ""
        Ignored.

    Examples
    --------
    >>> silence("RUCB", 0.5)
    """


@contextmanager
def progress_bar(show: bool | None) -> Iterator[Show]:
    """Show a progress bar on standard error while the block runs.

    Parameters
    ----------
    show : bool or None
        Whether to show it; None shows it only in a terminal.

    Yields
    ------
    Show
        The function that updates the bar.

    Examples
    --------
    >>> with progress_bar(False) as show:
    ...     show("RUCB", 0.5)
    """
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
                # without a total the bar pulses, because the duration of the preparation is unknown
                tasks[what] = bar.add_task(what, total=None)
            total = 1.0 if share > 0.0 else None
            bar.update(tasks[what], total=total, completed=share, description=f"{what} {standing}".rstrip())

        yield update
