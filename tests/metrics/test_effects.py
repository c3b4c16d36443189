import numpy as np
import pytest
from numpy.random import default_rng
from refusals import names

from duelist.logs import DuelLog
from duelist.metrics.lowest_win_rate import Effects, advise, find_effects
from duelist.policies import TreePolicy
from duelist.policies.mixture import PolicyMixture

CIRCLE = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
ORDER = np.array([[0.5, 0.8, 0.8], [0.2, 0.5, 0.5], [0.2, 0.5, 0.5]])
NOISE = np.full((3, 3), 0.5)


def find(matrix: np.ndarray, weights: list[float], seed: int = 0, duels: int = 900) -> tuple[Effects, str]:
    rng = default_rng(seed)
    left, right = rng.integers(3, size=(2, duels))
    outcomes = rng.random(duels) < matrix[left, right]
    log = DuelLog(np.zeros((duels, 1)), left, right, outcomes, np.full(duels, 1 / 9), actions=["a", "b", "c"])
    constants = [TreePolicy.always(action) for action in range(3)]
    mixture = PolicyMixture(constants, np.array(weights), log.actions, log.columns)
    effects = find_effects(mixture, log)
    return effects, advise(mixture, effects, log)


def test_pure_noise_is_said_to_be_noise_as_often_as_promised() -> None:
    found = [find(NOISE, [1.0, 0.0, 0.0], seed)[0] for seed in range(60)]
    silent = sum(effects == Effects((), (), ()) for effects in found)
    assert silent >= 54  # 57 of 60 are expected at least; fewer than 54 would be a chance in a hundred


@pytest.mark.parametrize(
    ("matrix", "weights", "facts"),
    [
        (
            ORDER,
            [1.0, 0.0, 0.0],
            ["a", "b", "c", "95%"],
        ),
        (ORDER, [0.0, 1.0, 0.0], ["Do not follow", "a", "95%"]),
        (
            CIRCLE,
            [1 / 3, 1 / 3, 1 / 3],
            ["95%", "a beats b, b beats c, c beats a"],
        ),
    ],
)
def test_what_to_do_comes_first(matrix: np.ndarray, weights: list[float], facts: list[str]) -> None:
    assert names(find(matrix, weights)[1], *facts)
