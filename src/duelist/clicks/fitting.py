"""Expectation maximisation, as far as it is the same for all click models."""

from collections.abc import Callable
from math import isfinite, log

import numpy as np

from duelist.clicks.log import ClickLog
from duelist.duel import FloatArray
from duelist.errors import ParameterError, require_whole
from duelist.kernels.compile import compiled


def maximise(
    improve: Callable[[], float], clicks: ClickLog, prior: float, rounds: int, tolerance: float
) -> FloatArray:
    """Improve until a round gains too little, or rounds run out; return what is maximised before each."""
    if not (isfinite(prior) and prior >= 0.0):
        raise ParameterError(f"prior must be a finite number of looks, 0 or more; got {prior}.")
    if not (isfinite(tolerance) and tolerance >= 0.0):
        raise ParameterError(f"tolerance must be a finite number, 0 or more; got {tolerance}.")
    require_whole("rounds", rounds, 1)
    if not clicks.clicked.any():
        raise ParameterError("the log holds no click; give impressions with clicks to fit a model.")
    trace: list[float] = []
    while len(trace) < rounds and not (len(trace) > 1 and trace[-1] - trace[-2] < tolerance * len(clicks)):
        trace.append(improve())
    return np.array(trace)


@compiled
def renew(
    chances: FloatArray, parts: FloatArray, wholes: FloatArray, usual: float, prior: float, total: float
) -> float:
    """Set each chance to the likeliest after `parts` of `wholes`, and `prior` more of which a share is usual.

    Returns a total to which the logarithms of the old chances' prior densities are added, up to a constant.
    """
    for i in range(len(chances)):
        if prior > 0.0:
            total += prior * (usual * log(chances[i]) + (1.0 - usual) * log(1.0 - chances[i]))
        known = wholes[i] + prior
        if known > 0.0:
            chances[i] = (parts[i] + prior * usual) / known
    return total
