"""The rounds at which a simulation is looked at."""

from collections.abc import Sequence

import numpy as np

from duelist.duel import IntArray
from duelist.errors import ParameterError


def log_spaced(horizon: int, per_decade: int = 10) -> IntArray:
    """Return rounds from 1 to the horizon, so many in every factor of ten.

    Examples
    --------
    >>> log_spaced(1000, per_decade=2)
    array([   1,    3,   10,   32,  100,  316, 1000])
    """
    steps = int(np.ceil(per_decade * np.log10(horizon))) + 1
    rounded: IntArray = np.rint(np.geomspace(1, horizon, steps)).astype(np.int64)
    return np.unique(rounded)


def as_checkpoints(rounds: Sequence[int] | None, horizon: int) -> IntArray:
    """Return the rounds asked for, ending with the horizon; log-spaced ones if none are asked for."""
    if rounds is None:
        return log_spaced(horizon)
    marks = np.unique(np.append(np.asarray(rounds, np.int64), horizon))
    if marks[0] < 1 or marks[-1] > horizon:
        wrong = marks[0] if marks[0] < 1 else marks[-1]
        raise ParameterError(f"checkpoints must lie between 1 and the horizon, {horizon}; got {wrong}.")
    return marks
