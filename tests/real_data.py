from pathlib import Path

import numpy as np
import pytest

from duelist.duel import FloatArray

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PREFERENCES = DATA / "preferences"
VOTES = DATA / "votes"
MQ2008, MSLR, NP2004 = (DATA / "ltr" / name for name in ("mq2008", "mslr", "np2004"))

needs_rankings = pytest.mark.skipif(
    not MQ2008.is_dir(), reason="the shared learning-to-rank data is not here"
)
needs_data = pytest.mark.skipif(not PREFERENCES.is_dir(), reason="the shared preference data is not here")
needs_votes = pytest.mark.skipif(not VOTES.is_dir(), reason="the shared votes are not here")


def real_matrix(name: str) -> FloatArray:
    matrix: FloatArray = np.loadtxt(PREFERENCES / f"{name}.csv", delimiter=",")
    return matrix
