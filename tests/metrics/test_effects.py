import numpy as np
import pytest
from numpy.random import default_rng

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
    said = [find(NOISE, [1.0, 0.0, 0.0], seed)[1] for seed in range(60)]
    silent = sum(text.startswith("Keep what you do: no effect was shown") for text in said)
    assert silent >= 54  # 57 of 60 are expected at least; fewer than 54 would be a chance in a hundred


@pytest.mark.parametrize(
    ("matrix", "weights", "words"),
    [
        (
            ORDER,
            [1.0, 0.0, 0.0],
            "Take a always. It beats b, c, were that taken always, with 95% confidence.",
        ),
        (ORDER, [0.0, 1.0, 0.0], "Do not follow the learned policy: a, taken always, beats it"),
        (
            CIRCLE,
            [1 / 3, 1 / 3, 1 / 3],
            "actions differ, with 95% confidence: a beats b, b beats c, c beats a.",
        ),
    ],
)
def test_what_to_do_comes_first(matrix: np.ndarray, weights: list[float], words: str) -> None:
    assert words in find(matrix, weights)[1]
