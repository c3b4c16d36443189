"""Jobs for executors: functions of a module that workers can import."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from duelist.errors import UnknownNameError
from duelist.parallel import Executor
from duelist.parallel.executors import ONE_THREAD, Made, Task


def threads_allowed(_: int) -> list[str | None]:
    return [os.environ.get(name) for name in ONE_THREAD]


def own_number(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def first_of_two(folder: Path, task: int) -> None:
    """Sleep for ten minutes, or, as the first task, only until the other sleeps."""
    if task == 0:
        wait_until(lambda: any(folder.iterdir()))
    else:
        (folder / str(os.getpid())).touch()
        time.sleep(600.0)


def alive(process: int, column: str = "pid") -> bool:
    """Whether a process is there; one that ended and waits for someone to notice is not."""
    listing = ["ps", "-A", "-o", f"{column}=,stat="]
    lines = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.splitlines()
    return any(int(number) == process and state[0] != "Z" for number, state in map(str.split, lines))


def fail_at_two(task: int) -> int:
    if task == 2:
        raise UnknownNameError("learner", "rucb", ["RUCB"])
    return task


def fail_oddly(_: int) -> None:
    raise ValueError("a message, and what cannot be pickled", lambda: None)


def miss_a_file(path: str) -> bytes:
    return Path(path).read_bytes()


def kill_own_process(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def patient(folder: Path, task: int) -> int:
    """Report the start and the process of the task, and wait for permission to continue."""
    import ray

    (folder / f"{ray.get_runtime_context().get_node_id()}-{os.getpid()}-{task}").touch()
    wait_until((folder / "go").exists)
    return task * task


def wait_until(it_is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120.0
    while not it_is_so():
        if time.monotonic() > deadline:
            raise TimeoutError("waited in vain for two minutes")
        time.sleep(0.02)


def accident_first(job: Callable[[Task], Made], mark: Path, task: Task) -> Made:
    """Do a job, but let the first process that ever tries be killed."""
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return job(task)
    job(task)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("this process is dead")


@dataclass(frozen=True)
class AccidentProne:
    """An executor of which one process is killed at the end of its task, before its result is known."""

    executor: Executor
    mark: Path

    @property
    def size(self) -> int:
        return self.executor.size

    def as_completed(self, job: Callable[[Task], Made], tasks: Sequence[Task]) -> Iterator[tuple[int, Made]]:
        return self.executor.as_completed(partial(accident_first, job, self.mark), tasks)
