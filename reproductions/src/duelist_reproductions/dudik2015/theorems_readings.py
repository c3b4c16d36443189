"""Statistics of the runs of sparring learners."""

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
    """All runs of a learner with one horizon."""

    horizon: int
    duels: int
    """Number of duels it learned from: all of the horizon's, or those explored."""
    promised: float
    """Proven bound on regret and error for EXP4.P; for the others, on the error minus the gap."""
    regret: FloatArray
    error: FloatArray
    gap: FloatArray
    """Gain of a best response on the log; 0 for EXP4.P, which has no log."""


class Prices(NamedTuple):
    """Accuracy by oracle calls of a learner on its logs, with the library's default step."""

    calls: Sequence[int]
    accuracies: Sequence[float]
    gap: FloatArray
    """Gain of a best response on the log, by log and number of calls."""
    error: FloatArray
    """True margin of the best policy over the learned one, likewise."""
    support: FloatArray
    """Number of policies in the mixture, likewise."""

    @property
    def needed(self) -> list[int | None]:
        """For each accuracy, the fewest calls from which on the gap is no larger on any log, or None."""
        worst = np.maximum.accumulate(self.gap.max(axis=0)[::-1])[::-1]
        return [
            next((calls for calls, gap in zip(self.calls, worst, strict=True) if gap <= accuracy), None)
            for accuracy in self.accuracies
        ]

    def power(self, calls: int | None) -> float:
        """Return the exponent of calls in 1 / accuracy if the highest accuracy needs n calls."""
        few = self.needed[0]
        return log2(calls / few) * self.doubling if few and calls else np.inf

    @property
    def doubling(self) -> float:
        """Change of that exponent by one doubling of calls, the resolution of the measurement."""
        return 1.0 / log2(self.accuracies[0] / self.accuracies[-1])


def levels(results: ItemResults, learner: str) -> list[Level]:
    """Return a learner's runs by horizon, shortest first."""
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
    """Return the horizons at which the guarantee is below the loss of random play."""
    uniform = float(results["problem"]["uniform"])
    return [one for one in levels(results, learner) if one.promised < uniform]


def prices(results: ItemResults, learner: str) -> Prices:
    """Return the accuracy by calls of a learner on all logs."""
    parts = [one for one in results.where(learner=learner) if one["gap"].ndim == 2]
    arrays = (np.concatenate([one[name] for one in parts]) for name in Prices._fields[2:])
    return Prices(parts[0].setting["calls"], SETTINGS[results.scale].accuracies, *arrays)


def fit(found: Sequence[Level], size: str, what: str) -> tuple[float, float]:
    """Fit a power law of mean regret or error in `size`; return its exponent and standard error."""
    logs = np.log([getattr(one, size) for one in found])
    samples = [getattr(one, what) for one in found]
    pulls = (logs - logs.mean()) / np.square(logs - logs.mean()).sum()
    means = np.array([sample.mean() for sample in samples])
    errors = np.array([sample.std(ddof=1) / np.sqrt(len(sample)) for sample in samples]) / means
    return float(pulls @ np.log(means)), float(np.sqrt(np.square(pulls) @ np.square(errors)))


def rates(results: ItemResults) -> dict[str, tuple[float, float]]:
    """Return the exponents of regret per round by horizon, and of error by duels, by claim.

    For EXP4.P, over the horizons at which its bound is informative.
    """
    found = {}
    for learner in LEARNERS:
        name = learner.removeprefix("Sparring").lower()
        played = (levels if learner in EXPLORERS else telling)(results, learner)
        found[f"{name}_regret_rate"] = fit(played, "horizon", "regret")
        found[f"{name}_error_rate"] = fit(played, "duels", "error")
    return found
