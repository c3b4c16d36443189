"""Results do not change unnoticed, and compiling changes none of them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from golden.record import RECORDED, golden_learners, golden_point_learners, trajectory

from duelist.catalog import LEARNERS, POINT_LEARNERS
from duelist.protocols import Learner

GOLDEN: dict[str, list[list[float]]] = json.loads(RECORDED.read_text())


ALL = [*golden_learners(), *golden_point_learners()]


@pytest.mark.parametrize("learner", ALL, ids=lambda learner: type(learner).__name__)
def test_the_first_duels_are_the_recorded_ones(learner: Learner[Any]) -> None:
    assert trajectory(learner) == GOLDEN[repr(learner)]


def test_every_learner_is_recorded() -> None:
    assert {type(learner).__name__ for learner in ALL} == set(LEARNERS) | set(POINT_LEARNERS) - {
        "PreferentialOptimization"
    }
    assert list(GOLDEN) == [repr(learner) for learner in ALL]


def test_uncompiled_kernels_give_the_same_duels() -> None:
    program = "import json; from golden.record import all_trajectories; print(json.dumps(all_trajectories()))"
    path = os.pathsep.join(str(folder) for folder in (Path(__file__).parents[1], Path("src")))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == GOLDEN
