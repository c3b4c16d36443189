"""Settings for all tests."""

import hashlib
import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

SOURCE = Path(__file__).resolve().parents[1] / "src"


def source_fingerprint() -> str:
    digest = hashlib.sha256()
    for path in sorted(SOURCE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


# A kernel kept on disk does not notice a change in a kernel of another file that is merged into it.
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"duelist-kernels-{source_fingerprint()}")
)

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=50,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")
