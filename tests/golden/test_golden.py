"""Results do not change unnoticed, and compiling changes none of them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from golden.record import NOT_RECORDED, RECORDED, SETTINGS, golden, trajectory

from duelist.registry import LEARNERS

GOLDEN: dict[str, list[list[float]]] = json.loads(RECORDED.read_text())

ALL = golden()


@pytest.mark.parametrize("learner", ALL, ids=lambda learner: type(learner).__name__)
def test_the_first_duels_are_the_recorded_ones(learner: Any) -> None:
    assert trajectory(learner) == GOLDEN[repr(learner)]


def test_every_learner_is_recorded() -> None:
    assert {type(learner).__name__ for learner in ALL} == set(LEARNERS) - NOT_RECORDED
    assert SETTINGS.keys() | NOT_RECORDED <= LEARNERS.keys()
    assert sorted(GOLDEN) == sorted(repr(learner) for learner in ALL)


def test_uncompiled_kernels_give_the_same_duels() -> None:
    program = "import json; from golden.record import all_trajectories; print(json.dumps(all_trajectories()))"
    path = os.pathsep.join(str(folder) for folder in (Path(__file__).parents[1], Path("src")))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == GOLDEN
