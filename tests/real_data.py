from pathlib import Path

import numpy as np
import pytest

from duelist.types import FloatArray

PREFERENCES = Path(__file__).resolve().parents[2] / "shared" / "data" / "preferences"

needs_data = pytest.mark.skipif(not PREFERENCES.is_dir(), reason="the shared preference data is not here")


def real_matrix(name: str) -> FloatArray:
    matrix: FloatArray = np.loadtxt(PREFERENCES / f"{name}.csv", delimiter=",")
    return matrix
