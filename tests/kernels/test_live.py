"""Kernels that never wait for the compiler: interpreted, they give the same results to the last bit."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from catalogue import catalogue_learners, catalogue_point_learners
from kernels.compilations import COUNT
from numba.core import event
from numpy.random import default_rng

import duelist
from duelist import Actions, Arms, LogisticDuels, SparringEXP4P, Sphere
from duelist.kernels.live import interpreted_kernels
from duelist.protocols import Learner

CONTEXTUAL = [
    (SparringEXP4P([[0, 1], [1, 2], [2, 0]], horizon=100), Actions(3, np.ones(1))),
    (LogisticDuels(), Actions(3, np.ones(2))),
    (LogisticDuels(choice="thompson"), Actions(3, np.zeros(0), np.eye(3))),
]
STAGES = [
    *((learner, Arms(4)) for learner in catalogue_learners()),
    *((learner, Sphere(3)) for learner in catalogue_point_learners()),
    *CONTEXTUAL,
]


class Listener(event.Listener):
    def __init__(self) -> None:
        self.compiled: list[Any] = []

    def on_start(self, event: Any) -> None:
        self.compiled.append(event.data["dispatcher"])

    def on_end(self, event: Any) -> None:
        pass


def play(learner: Learner[Any], menu: Any, rounds: int) -> list[Any]:
    """Return a learner's duels and final state as bytes."""
    rng, answers, seen = default_rng(5), default_rng(6), []
    state = learner.init(menu, rng)
    for _ in range(rounds):
        duel = learner.ask(state, menu, rng)
        state = learner.tell(state, duel, float(answers.choice([0.0, 0.5, 1.0])))
        seen += [duel.left, duel.right, duel.propensity, duel.note, learner.best(state, menu)]
    return [np.asarray(part, np.float64).tobytes() for part in [*seen, *state] if part is not None]


@pytest.mark.parametrize(("learner", "menu"), STAGES, ids=lambda value: repr(value)[:40])
def test_interpreted_kernels_do_the_same_to_the_last_bit(learner: Learner[Any], menu: Any) -> None:
    compiled = play(learner, menu, 150)
    listener = Listener()
    with event.install_listener("numba:compile", listener), interpreted_kernels():
        assert play(learner, menu, 150) == compiled
    assert listener.compiled == []


LIVE = (
    COUNT
    + """
from duelist import Study, Uniform
from duelist.kernels.live import BACKGROUND

study, duels = Study(Uniform(), arms="a b c d".split(), seed=3), []
def play(rounds):
    for _ in range(rounds):
        duel = study.ask()
        study.tell(duel, "left" if duel.left < duel.right else "right")
        duels.append(duel.left + duel.right + study.best())
play(1)
first = len(BACKGROUND.ready)
play(40)
BACKGROUND.finish()
play(40)
print(*duels)
print(first, len(BACKGROUND.ready), len(compiled))
"""
)


def test_a_study_never_waits_for_the_compiler_and_asks_the_same(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(Path(duelist.__file__).parents[1]),
    }
    cold, warm = (
        subprocess.run(
            [sys.executable, "-W", "error", "-c", LIVE],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for _ in range(2)
    )
    assert cold[0] == warm[0]
    assert cold[1] == "0 4 0"
    assert warm[1] == "4 4 0"
