"""What the runs of sparring learners say, learner by learner."""

from collections.abc import Sequence
from math import log2
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import ItemResults
from duelist_reproductions.dudik2015.theorems_sweep import SETTINGS

EXPLORERS = ("SparringFPL", "SparringPGD")
LEARNERS = ("SparringEXP4P", *EXPLORERS)


class Level(NamedTuple):
    """All runs of a learner that have the same horizon."""

    horizon: int
    duels: int
    """From how many duels it learned: all of the horizon's, or those explored."""
    promised: float
    """What regret and error are proven not to exceed, of EXP4.P; of the others, the error less the gap."""
    regret: FloatArray
    error: FloatArray
    gap: FloatArray
    """What a best response gains on the log; 0 for EXP4.P, which has none."""


class Prices(NamedTuple):
    """What calls of the oracle buy a learner on its logs, with the library's usual step."""

    calls: Sequence[int]
    accuracies: Sequence[float]
    gap: FloatArray
    """By log and number of calls: what a best response gains on the log."""
    error: FloatArray
    """The same: by how much the best policy truly beats what is learned."""
    support: FloatArray
    """The same: how many policies the mixture has."""

    @property
    def needed(self) -> list[int | None]:
        """For each accuracy, the fewest calls from which on the gap is no larger on any log; None if none."""
        worst = np.maximum.accumulate(self.gap.max(axis=0)[::-1])[::-1]
        return [
            next((calls for calls, gap in zip(self.calls, worst, strict=True) if gap <= accuracy), None)
            for accuracy in self.accuracies
        ]

    def power(self, calls: int | None) -> float:
        """Return with which power of one over the accuracy calls grow, if n are needed for the highest."""
        few = self.needed[0]
        return log2(calls / few) * self.doubling if few and calls else np.inf

    @property
    def doubling(self) -> float:
        """How much one doubling of calls, the step in which they were tried, changes that power."""
        return 1.0 / log2(self.accuracies[0] / self.accuracies[-1])


def levels(results: ItemResults, learner: str) -> list[Level]:
    """Return a learner's runs by horizon, from the shortest on."""
    played = {one.setting["horizon"]: one for one in results.where(learner=learner) if "bound" in one}
    return [
        Level(
            horizon,
            int(one["duels"]),
            float(one["bound"]),
            *(results.stacked(name, learner=learner, horizon=horizon) for name in Level._fields[3:]),
        )
        for horizon, one in sorted(played.items())
    ]


def telling(results: ItemResults, learner: str) -> list[Level]:
    """Return the horizons at which what is promised is below what playing at random costs."""
    uniform = float(results["problem"]["uniform"])
    return [one for one in levels(results, learner) if one.promised < uniform]


def prices(results: ItemResults, learner: str) -> Prices:
    """Return what a learner's calls bought on all logs."""
    parts = [one for one in results.where(learner=learner) if one["gap"].ndim == 2]
    arrays = (np.concatenate([one[name] for one in parts]) for name in Prices._fields[2:])
    return Prices(parts[0].setting["calls"], SETTINGS[results.scale].accuracies, *arrays)


def fit(found: Sequence[Level], size: str, what: str) -> tuple[float, float]:
    """Return the exponent of a power law of mean regret or error by `size`, and its standard error."""
    logs = np.log([getattr(one, size) for one in found])
    samples = [getattr(one, what) for one in found]
    pulls = (logs - logs.mean()) / np.square(logs - logs.mean()).sum()
    means = np.array([sample.mean() for sample in samples])
    errors = np.array([sample.std(ddof=1) / np.sqrt(len(sample)) for sample in samples]) / means
    return float(pulls @ np.log(means)), float(np.sqrt(np.square(pulls) @ np.square(errors)))


def rates(results: ItemResults) -> dict[str, tuple[float, float]]:
    """Return how a round's regret falls with the horizon, and the error with the duels it is learned from.

    By the names of the claims; of EXP4.P over the horizons at which its bound says something.
    """
    found = {}
    for learner in LEARNERS:
        name = learner.removeprefix("Sparring").lower()
        played = (levels if learner in EXPLORERS else telling)(results, learner)
        found[f"{name}_regret_rate"] = fit(played, "horizon", "regret")
        found[f"{name}_error_rate"] = fit(played, "duels", "error")
    return found
