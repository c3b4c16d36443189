"""Settings for all tests."""

import gc
import os
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from browser_path import MISSING
from hypothesis import HealthCheck, settings

# each test worker uses one core: threads of linear algebra would only wait for each other
os.environ.setdefault("OMP_NUM_THREADS", "1")
# types defined in tests must not enter the user's index of kernels
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / "duelist-kernels"))
# nor files of tests the user's caches
os.environ["DUELIST_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "duelist-caches")

# background processes ignore Ctrl-C, and so would the programs that tests interrupt
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=50,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

pytest_plugins = ["postgresql", "serving", "browsing"]


WAITING = ("arena", "client", "cli", "database", "journal", "parallel", "service", "web")
COMPILING = ("checks", "golden", "kernels", "learners")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one half of the workers start with tests that wait, and the other half with those that compile.

    Of two processes, each begins with a half. What waits for servers, browsers and clusters leaves time to
    check types, and kernels that are compiled by one process share what they are made of.
    """
    here = Path(__file__).parent
    waiting, compiling, others = list[pytest.Item](), list[pytest.Item](), list[pytest.Item]()
    for item in items:
        folders = {folder.name for folder in item.path.parents if folder.parent == here}
        if folders & {*WAITING}:
            waiting.append(item)
        else:
            (compiling if folders & {*COMPILING} or "src" in item.path.parts else others).append(item)
    half = max(len(items) // 2 - len(waiting), 0)
    items[:] = waiting + others[:half] + compiling + others[half:]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests were left out for want of a browser."""
    skipped = terminalreporter.stats.get("skipped", [])
    left_out = [one for one in skipped if isinstance(one.longrepr, tuple) and MISSING in one.longrepr[2]]
    if left_out:
        terminalreporter.section("TESTS OF PAGES WERE NOT RUN", sep="!", red=True, bold=True)
        terminalreporter.line(f"{len(left_out)} tests, because {MISSING}.")
        for file in sorted({one.nodeid.partition("::")[0] for one in left_out}):
            terminalreporter.line(f"  {file}")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude the collected tests from garbage collection, since they live until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()
