"""A real service in a process of its own, for benchmarks and tests."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from time import monotonic, sleep
from typing import IO, NamedTuple
from urllib.request import urlopen

LISTENS = re.compile(r"(http://[^\s/]+:(\d+))")
TIMEOUT = 60.0


class Service(NamedTuple):
    """A service that runs."""

    url: str
    port: int
    process: "subprocess.Popen[str]"
    log: "deque[str]"
    """The last lines it wrote."""

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Tell it to stop; return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(TIMEOUT)

    def wait_until_ready(self) -> None:
        """Wait until its studies are open and its learners compiled."""
        deadline = monotonic() + TIMEOUT
        while monotonic() < deadline:
            try:
                with urlopen(f"{self.url}/readyz", timeout=5.0) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                sleep(0.05)
        raise TimeoutError("\n".join(self.log))


def start_service(database: str | Path, *options: str, port: int = 0) -> Service:
    """Start a service and return when it listens; by default nobody needs a key."""
    place = ("--database", str(database), "--port", str(port))
    return start("serve", *place, *(options or ("--open", "--quiet")))


def start_arena(file: str | Path, *options: str, port: int = 0) -> Service:
    """Start an arena and return when it listens."""
    return start("arena", str(file), "--port", str(port), "--no-browser", *options)


def start(*command: str) -> Service:
    """Start a command that serves, and return when it listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "duelist", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "COLUMNS": "200", "PYTHONUNBUFFERED": "1"},
    )
    log: deque[str] = deque(maxlen=1000)
    output = process.stdout
    assert output is not None
    for line in output:
        log.append(line.rstrip())
        found = LISTENS.search(line)
        if found:
            # what it writes must be read, or it would wait
            threading.Thread(target=drain, args=(output, log), daemon=True).start()
            return Service(found[1], int(found[2]), process, log)
    process.wait()
    output.close()
    raise RuntimeError("the service did not start:\n" + "\n".join(log))


def drain(output: IO[str], log: "deque[str]") -> None:
    """Keep the last lines of what a process writes, until it ends."""
    with output:
        log.extend(output)
