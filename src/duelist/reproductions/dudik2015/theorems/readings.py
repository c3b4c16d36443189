"""What the runs of sparring learners say, learner by learner."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np

from duelist.laboratory.work import Result, Results
from duelist.types import FloatArray

EXPLORERS = ("SparringFPL", "SparringPGD")
LEARNERS = ("SparringEXP4P", *EXPLORERS)


@dataclass(frozen=True, eq=False)
class Level:
    """All runs of a learner that have the same horizon."""

    horizon: int
    duels: int
    """From how many duels it learned: all of the horizon's, or those explored."""
    regret: FloatArray
    error: FloatArray
    promised: FloatArray
    """What regret is proven not to exceed, of EXP4.P; of the others, what the error is."""


class Rate(NamedTuple):
    """How fast something falls: the exponent of a power law, and its standard error."""

    slope: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Prices:
    """What calls of the oracle buy a learner on its logs."""

    calls: tuple[int, ...]
    gap: FloatArray
    """By log and number of calls: what a best response gains on the log."""
    error: FloatArray
    """The same: by how much the best policy truly beats what is learned."""
    accuracies: tuple[float, ...]
    promised: FloatArray
    """By log and accuracy: the calls that theory asks for."""

    @property
    def needed(self) -> list[int | None]:
        """For each accuracy, the fewest calls from which on the gap is no larger on any log; None if none."""
        worst = np.maximum.accumulate(self.gap.max(axis=0)[::-1])[::-1]
        return [
            next((calls for calls, gap in zip(self.calls, worst, strict=True) if gap <= accuracy), None)
            for accuracy in self.accuracies
        ]

    @property
    def doubling(self) -> float:
        """How much one doubling of calls, the step in which they were tried, changes the exponent."""
        return log(2.0) / log(max(self.accuracies) / min(self.accuracies))

    @property
    def exponent(self) -> float:
        """With which power of one over the accuracy the calls needed grow, from the lowest to the highest."""
        few, many = self.needed[0], self.needed[-1]
        if few is None or many is None:
            return np.inf
        return log(many / few) / log(self.accuracies[0] / self.accuracies[-1])


def levels(results: Results, learner: str) -> list[Level]:
    """Return a learner's runs by horizon, from the shortest on."""
    if learner == "SparringEXP4P":
        found = [one for one in results.values() if "bound" in one]
    else:
        found = [one for one in results.where(learner=learner) if "misled" in one]
    horizons = sorted({int(one.setting["horizon"]) for one in found})
    return [level([one for one in found if one.setting["horizon"] == horizon]) for horizon in horizons]


def level(parts: Sequence[Result]) -> Level:
    """Return all runs of one horizon together."""
    horizon = int(parts[0].setting["horizon"])
    regret, error = (np.concatenate([part[name] for part in parts]) for name in ("regret", "error"))
    if "bound" in parts[0]:
        return Level(horizon, horizon, regret, error, np.full(len(regret), parts[0]["bound"]))
    gap = np.concatenate([part["gap"] for part in parts])
    return Level(horizon, int(parts[0]["duels"]), regret, error, gap + parts[0]["misled"])


def prices(results: Results, learner: str) -> Prices:
    """Return what a learner's calls bought on all logs."""
    parts = [one for one in results.where(learner=learner) if "promised" in one]
    gap, error, promised = (
        np.concatenate([one[name] for one in parts]) for name in ("gap", "error", "promised")
    )
    setting = parts[0].setting
    return Prices(tuple(setting["calls"]), gap, error, tuple(setting["accuracies"]), promised)


def telling(results: Results) -> list[Level]:
    """Return EXP4.P's horizons at which the proven bound is below what playing at random costs."""
    uniform = float(results["problem"]["uniform"])
    return [one for one in levels(results, "SparringEXP4P") if one.promised[0] < uniform]


def rate(sizes: Sequence[float], samples: Sequence[FloatArray]) -> Rate:
    """Fit a power law to the means of samples.

    Examples
    --------
    >>> found = rate([100, 400, 1600], [np.array([0.2, 0.2]), np.array([0.1, 0.1]), np.array([0.05, 0.05])])
    >>> round(found.slope, 3), found.deviation
    (-0.5, 0.0)
    """
    logs = np.log(np.asarray(sizes, np.float64))
    pulls = (logs - logs.mean()) / np.square(logs - logs.mean()).sum()
    means = np.array([sample.mean() for sample in samples])
    errors = np.array([sample.std(ddof=1) / np.sqrt(len(sample)) for sample in samples]) / means
    return Rate(float(pulls @ np.log(means)), float(np.sqrt(np.square(pulls) @ np.square(errors))))


def error_rate(found: Sequence[Level]) -> Rate:
    """Return how the error falls with the duels that it was learned from."""
    return rate([one.duels for one in found], [one.error for one in found])


def regret_rate(found: Sequence[Level]) -> Rate:
    """Return how a round's regret falls with the horizon."""
    return rate([one.horizon for one in found], [one.regret for one in found])
