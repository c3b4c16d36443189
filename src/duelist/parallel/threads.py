"""Long work spread over all cores, with a progress bar, until done or interrupted."""

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Protocol

from duelist.duel import BoolArray

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
