"""The result of an interleaving experiment, in numbers and in words."""

from dataclasses import dataclass

from duelist.duel import TIE
from duelist.interleaving.analysis.intervals import EVEN
from duelist.text import Report, align, as_p_value, list_warnings, say_p_value

HEAVY = 0.1
"""The share of all impressions beyond which one session, user or list is named as heavy."""

FEW = 30
"""With fewer units, Student's interval depends on outcomes being nearly normal."""


@dataclass(frozen=True)
class UnitPreference(Report):
    """The preference, where every unit of one kind counts once."""

    unit: str
    """impression, session, user or list"""
    count: int
    wins: int
    """Units whose mean outcome is above one half."""
    ties: int
    losses: int
    preference: float
    """The mean over units of their mean outcome: above one half, left is preferred."""
    delta: float
    """(wins + ties / 2) / count - 1/2, of Chapelle et al. (2012)."""
    deviation: float
    """The standard deviation of the units' mean outcomes."""
    lower: float
    """Student's interval of the preference; of unanimous units an exact one."""
    upper: float
    bootstrap_lower: float
    """The bootstrap's interval of the preference, whole units drawn with replacement; of unanimous units,
    which it cannot resample to anything else, the exact one."""
    bootstrap_upper: float
    p_value: float
    """Student's test of a preference of one half; of unanimous units an exact one."""
    sign_p_value: float
    """The exact sign test of wins against losses."""
    heaviest: float
    """The largest share of the impressions that come from one unit."""

    @property
    def interval(self) -> tuple[float, float]:
        """Student's interval, cut to [0, 1]."""
        return max(0.0, self.lower), min(1.0, self.upper)

    @property
    def unanimous(self) -> bool:
        """Whether all units have the same value, so that their deviation is 0."""
        return self.deviation <= EVEN


@dataclass(frozen=True)
class PreferenceReport(Report):
    """The result of an interleaving experiment; prints as a table and a verdict."""

    impressions: int
    confidence: float
    resamples: int
    units: tuple[UnitPreference, ...]
    """From the finest unit to the coarsest that was given; lists come last."""
    verdict: str
    """A sentence about the last unit, whose preferences are most nearly independent."""
    warnings: tuple[str, ...]

    @property
    def main(self) -> UnitPreference:
        """The last unit, which the verdict is about."""
        return self.units[-1]

    def __str__(self) -> str:
        """Return a table, the verdict and warnings."""
        percent = f"{self.confidence:.0%}"
        header = ["unit", "number", "left", "tie", "right", "preference"]
        header += [f"{percent} interval", f"{percent} bootstrap", "delta", "p"]
        rows = [
            [
                unit.unit,
                *(f"{count:,}" for count in (unit.count, unit.wins, unit.ties, unit.losses)),
                f"{unit.preference:.4f}",
                "{:.4f} to {:.4f}".format(*unit.interval),
                "-" if unit.unanimous else f"{unit.bootstrap_lower:.4f} to {unit.bootstrap_upper:.4f}",
                f"{unit.delta:+.4f}",
                as_p_value(unit.p_value),
            ]
            for unit in self.units
        ]
        return f"{align(header, rows)}\n{self.verdict}{list_warnings(self.warnings)}"


def conclude(unit: UnitPreference, confidence: float) -> str:
    """Return what a unit's preference means, in a sentence."""
    side = "left" if unit.preference >= TIE else "right"
    shares = sorted(share if side == "left" else 1.0 - share for share in unit.interval)
    preference = unit.preference if side == "left" else 1.0 - unit.preference
    numbers = (
        f"at {preference:.1%} ({confidence:.0%} interval {shares[0]:.1%} to {shares[1]:.1%}, "
        f"{say_p_value(unit.p_value)})"
    )
    if unit.p_value >= 1.0 - confidence:
        return f"No difference shown: by {unit.unit}, {side} is preferred {numbers}."
    return f"{side.capitalize()} is preferred: by {unit.unit}, {numbers}."


def find_warnings(units: tuple[UnitPreference, ...], level: float) -> list[str]:
    """Return what a reader should know before believing the verdict."""
    warnings = []
    finest, coarsest = units[0], units[-1]
    if coarsest.unanimous:
        warnings.append(
            f"all {coarsest.count:,} {coarsest.unit}s agree: the interval is an exact one, as Student's and "
            "the bootstrap's would have no width."
        )
    elif coarsest.count < FEW:
        signs = say_p_value(coarsest.sign_p_value)
        warnings.append(f"{coarsest.count} {coarsest.unit}s are few; compare with the sign test's {signs}.")
    for unit in units[1:]:
        if unit.heaviest > HEAVY:
            warnings.append(f"one {unit.unit} has {unit.heaviest:.0%} of the impressions.")
    if finest.p_value < level <= coarsest.p_value:
        warnings.append(
            f"significant by impression but not by {coarsest.unit}: few {coarsest.unit}s decide it."
        )
    elif (finest.preference - TIE) * (coarsest.preference - TIE) < 0.0 and coarsest.p_value < level:
        warnings.append(
            f"impressions prefer the other side: {coarsest.unit}s with many differ from the rest."
        )
    return warnings
