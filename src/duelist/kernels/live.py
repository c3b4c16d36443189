"""Kernels that never wait for the compiler: they are interpreted until another process has compiled them.

A thread would not help, because the compiler holds the interpreter lock. The interpreted function is the same
and gives the same results to the last bit.
"""

import atexit
import importlib
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import event

from duelist.kernels.cache import kernel_folder, kernel_root
from duelist.kernels.compile import RUN, Kernel
from duelist.text import counted

typeof: Any = numba.typeof
Returned = TypeVar("Returned")


@contextmanager
def interpreted_kernels() -> Iterator[None]:
    """Within the block, run kernels and the kernels they call as plain Python, in this thread or task."""
    token = RUN.set(lambda kernel, arguments: kernel.py_func(*arguments))
    try:
        with np.errstate(all="ignore"):  # as in machine code, where division by zero is not an error
            yield
    finally:
        RUN.reset(token)


def without_waiting(function: Callable[..., Returned], *arguments: Any) -> Returned:
    """Call a function whose kernels are interpreted until another process has compiled them."""
    token = RUN.set(run_meanwhile)
    try:
        return function(*arguments)
    finally:
        RUN.reset(token)


def run_meanwhile(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    """Run a kernel's machine code if it exists; otherwise request compilation and interpret the kernel."""
    if kernel in BACKGROUND.ready or BACKGROUND.is_ready(kernel, arguments):
        return kernel.dispatcher(*arguments)
    with interpreted_kernels():
        return kernel.py_func(*arguments)


class LiveKernel:
    """A kernel that never waits for the compiler, and whose arguments always have the same types.

    Once compiled, its machine code is called directly: looking it up by argument types would take longer than
    most kernels.
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel: Kernel = kernel
        self.entry: Any = None

    def __call__(self, *arguments: Any) -> Any:
        if self.entry is not None:
            return self.entry(*arguments)
        returned = run_meanwhile(self.kernel, arguments)
        if self.kernel in BACKGROUND.ready:
            signature = tuple(typeof(argument) for argument in arguments)
            self.entry = self.kernel.entry(signature)
        return returned


class Background:
    """A background process that compiles kernels, and a thread that loads the results."""

    def __init__(self) -> None:
        self.ready: set[Kernel] = set()
        self.wanted: deque[tuple[Kernel, tuple[Any, ...]]] = deque()
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
        self.is_lost = False  # whether the process cannot be started; kernels then remain interpreted
        self.thread: threading.Thread | None = None

    def is_ready(self, kernel: Kernel, arguments: tuple[Any, ...]) -> bool:
        """Return whether a kernel can be called without waiting; if not, request its compilation."""
        with self.lock:
            if self.is_lost:
                return kernel in self.ready
            if kernel not in self.ready and not any(kernel is known for known, _ in self.wanted):
                signature = tuple(typeof(argument) for argument in arguments)
                if kernel.is_kept(signature) is False:
                    self.request(kernel, signature)
                else:
                    self.ready.add(kernel)
            return kernel in self.ready

    def request(self, kernel: Kernel, signature: tuple[Any, ...]) -> None:
        """Request a kernel from the background process, which is started if needed."""
        self.wanted.append((kernel, signature))
        if self.process is None:
            try:
                self.process = start_process()
            except OSError:
                self.is_lost = True
                self.wanted.clear()
                return
            self.thread = threading.Thread(target=self.load, args=(self.process,), daemon=True)
            self.thread.start()
        function = kernel.py_func
        try:
            pipe: Any = self.process.stdin
            pickle.dump((function.__module__, function.__qualname__, signature), pipe)
            pipe.flush()
        except (OSError, pickle.PicklingError, AttributeError, TypeError):
            self.process.terminate()

    def load(self, process: "subprocess.Popen[bytes]") -> None:
        """Load compiled kernels until no request is left or the background process has ended."""
        output: Any = process.stdout
        ended = False
        while not ended:
            ended = not output.readline()
            kernel, signature = self.wanted[0]
            if not ended:
                kernel.dispatcher.compile(signature)
            with self.lock:
                # kernels that the process failed to compile are compiled at the next call, which shows errors
                done = list(self.wanted) if ended else [self.wanted[0]]
                for known, _ in done:
                    self.ready.add(known)
                    self.wanted.popleft()
                if not self.wanted:
                    ended = True
                    self.process = None
        process.communicate()

    def finish(self) -> None:
        """Wait until all kernels requested so far are compiled."""
        if self.thread is not None:
            self.thread.join()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()


BACKGROUND = Background()
atexit.register(BACKGROUND.stop)


def start_process() -> "subprocess.Popen[bytes]":
    """Start a process with the same module path and the same cache folder."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "NUMBA_CACHE_DIR": str(kernel_root()),
    }
    return subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import serve; serve()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


def serve() -> None:
    """Compile the kernels named on standard input, and write a line after each."""
    while True:
        try:
            module, name, signature = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        kernel = getattr(importlib.import_module(module), name)
        with taking_turns():
            kernel.dispatcher.compile(signature)
        print(flush=True)


@contextmanager
def taking_turns() -> Iterator[None]:
    """Let one process compile at a time; others often need the same kernels and then find them compiled."""
    from filelock import FileLock

    folder = kernel_folder()
    if folder is None:
        yield
        return
    with FileLock(folder / ".compiling.lock"):
        yield


class Compilations(event.Listener):
    """Counts the functions that this process has started to compile."""

    def __init__(self) -> None:
        self.begun = 0

    def on_start(self, event: Any) -> None:
        self.begun += 1

    def on_end(self, event: Any) -> None:
        """Ignore the event; `on_start` has counted the function."""

    def since(self, before: int) -> str:
        """Describe the progress since the count was `before`; empty if nothing has been compiled."""
        made = self.begun - before
        return f"compiling, {counted(made, 'function')} so far" if made else ""


COMPILATIONS = Compilations()
register: Any = event.register
register("numba:compile", COMPILATIONS)
