"""Settings for all tests."""

import gc
import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

# a worker of the tests is a core: threads of linear algebra would only wait for each other
os.environ.setdefault("OMP_NUM_THREADS", "1")
# types of the tests' own must not stand in the index of the kernels that people use
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / "duelist-kernels"))

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


def pytest_collection_finish() -> None:
    """Let the garbage collector not look at thousands of tests again and again; they stay to the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
