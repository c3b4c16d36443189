"""What the runs of sparring learners say, learner by learner."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.work import ItemResults, PieceResult

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
    gap: FloatArray
    """What a best response gains on the log; 0 for EXP4.P, which has none."""
    promised: float
    """What regret and error are proven not to exceed, of EXP4.P; of the others, the error less the gap."""

    @property
    def bound(self) -> FloatArray:
        """What is proven of each run."""
        return self.promised + self.gap


class Rate(NamedTuple):
    """How fast something falls: the exponent of a power law, and its standard error."""

    slope: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Prices:
    """What calls of the oracle buy a learner on its logs, with the library's usual step."""

    calls: tuple[int, ...]
    gap: FloatArray
    """By log and number of calls: what a best response gains on the log."""
    error: FloatArray
    """The same: by how much the best policy truly beats what is learned."""
    support: FloatArray
    """The same: how many policies the mixture has."""
    accuracies: tuple[float, ...]

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
        return 1.0 / log2(max(self.accuracies) / min(self.accuracies))

    @property
    def exponent(self) -> float:
        """With which power of one over the accuracy the calls needed grow, from the lowest to the highest."""
        return self.power(self.needed[-1])

    @property
    def largest(self) -> float:
        """The largest exponent that could have been seen: if only the most calls had sufficed."""
        return self.power(self.calls[-1])

    def power(self, many: int | None) -> float:
        """Return the exponent if so many calls were needed for the highest accuracy."""
        few = self.needed[0]
        if few is None or many is None:
            return np.inf
        return log2(many / few) / log2(self.accuracies[0] / self.accuracies[-1])


@dataclass(frozen=True, eq=False)
class Promises:
    """What theory promises for its own step and calls, and what came, by log."""

    duels: int
    calls: FloatArray
    promised: FloatArray
    gap: FloatArray


def levels(results: ItemResults, learner: str) -> list[Level]:
    """Return a learner's runs by horizon, from the shortest on."""
    if learner == "SparringEXP4P":
        found = [one for one in results.values() if "bound" in one]
    else:
        found = [one for one in results.where(learner=learner) if "misled" in one]
    horizons = sorted({int(one.setting["horizon"]) for one in found})
    return [level([one for one in found if one.setting["horizon"] == horizon]) for horizon in horizons]


def level(parts: Sequence[PieceResult]) -> Level:
    """Return all runs of one horizon together."""
    horizon = int(parts[0].setting["horizon"])
    regret, error = gather(parts, "regret", "error")
    if "bound" in parts[0]:
        return Level(horizon, horizon, regret, error, np.zeros(len(error)), float(parts[0]["bound"]))
    [gap] = gather(parts, "gap")
    return Level(horizon, int(parts[0]["duels"]), regret, error, gap, float(parts[0]["misled"]))


def gather(parts: Sequence[PieceResult], *names: str) -> list[FloatArray]:
    """Return arrays of all parts, one after the other."""
    return [np.concatenate([part[name] for part in parts]) for name in names]


def prices(results: ItemResults, learner: str) -> Prices:
    """Return what a learner's calls bought on all logs."""
    parts = [one for one in results.where(learner=learner) if "accuracies" in one.setting]
    setting = parts[0].setting
    gap, error, support = gather(parts, "gap", "error", "support")
    return Prices(tuple(setting["calls"]), gap, error, support, tuple(setting["accuracies"]))


def promises(results: ItemResults, learner: str) -> Promises:
    """Return what was promised of theory's own step, and what came, on all logs."""
    parts = [one for one in results.where(learner=learner) if "promised" in one]
    calls, promised, gap = gather(parts, "calls", "promised", "gap")
    return Promises(int(parts[0].setting["duels"]), calls, promised, gap)


def telling(results: ItemResults, learner: str) -> list[Level]:
    """Return the horizons at which what is promised is below what playing at random costs."""
    uniform = float(results["problem"]["uniform"])
    return [one for one in levels(results, learner) if one.promised < uniform]


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
