"""The range of votes left is honest: studies end within it about as often as it says, four times in five."""

from math import inf
from typing import Any

import numpy as np
from numpy.random import default_rng
from stopping.worlds import LONG, NAMES, answer_one, in_order

from duelist import Study
from duelist.stopping import votes_left

STUDIES, LONGEST, POINTS = (300, 4_000, (40, 80, 160)) if LONG else (8, 1_000, (40, 160))
"""A study is given up after the longest number of votes: then its range must not have ended before."""


def ranges_of(seed: int) -> tuple[dict[int, Any], float]:
    """Return the forecasts of one study at some points, and after how many votes there was a verdict."""
    rng = default_rng([seed, 1])
    k = 3 + seed % 3
    chances = in_order(*rng.normal(size=k))
    study, forecasts = Study(arms=list(NAMES[:k]), seed=seed), dict[int, Any]()
    while not study.done() and study.answers < LONGEST:
        if study.answers in POINTS:
            forecasts[study.answers] = study.votes_left()
        answer_one(study, chances, rng)
    return forecasts, study.answers if study.done() else inf


def test_studies_end_within_the_forecast_range() -> None:
    inside = list[bool]()
    for seed in range(STUDIES):
        forecasts, end = ranges_of(seed)
        for point, (low, high) in forecasts.items():
            held = low <= end - point <= high if end < inf else point + high >= LONGEST
            inside.append(held)
    assert len(inside) >= STUDIES
    assert np.mean(inside) >= 0.6


def mean_left(ties: int) -> float:
    """Return how many votes are left at a clear lead, with a threshold so far that chance matters little."""
    won, even = [[0, 400], [100, 0]], [[0, ties], [ties, 0]]
    ranges = [votes_left(won, even, default_rng(seed), delta=1e-60) for seed in range(3)]
    return float(np.mean(ranges))


def test_as_many_ties_as_other_votes_double_what_is_left() -> None:
    without = mean_left(0)
    assert 240.0 < without < 290.0
    longer = np.array([mean_left(250), mean_left(500), mean_left(1500)]) / without
    np.testing.assert_allclose(longer, [1.5, 2.0, 4.0], rtol=0.1)
