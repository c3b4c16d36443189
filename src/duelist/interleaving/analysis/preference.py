"""The preferred ranking of an interleaving experiment, by impression, session, user and list."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import TIE, FloatArray, IntArray
from duelist.errors import ParameterError, require_confidence, require_whole
from duelist.interleaving.analysis.anytime import AnytimeReport, AnytimeTest
from duelist.interleaving.analysis.columns import as_groups, as_outcomes
from duelist.interleaving.analysis.intervals import EVEN, bootstrap_mean, estimate_outcomes, sign_test
from duelist.interleaving.analysis.overlap import OverlapReport, analyze_overlap
from duelist.interleaving.files import SIDES, ClickedList, method_of
from duelist.text import Report, align, as_p_value, begin_sentence, count, list_warnings, say_p_value

HEAVY = 0.1  # warn if one session, user or list has more than this share of all impressions

FEW = 30  # below, Student's interval relies on nearly normal outcomes


@dataclass(frozen=True)
class UnitPreference(Report):
    """The preference by one kind of unit, each unit counting once.

    Parameters
    ----------
    unit : str
        "impression", "session", "user" or "list".
    count : int
        The number of units.
    wins, ties, losses : int
        The units whose mean outcome is above, at or below one half.
    preference : float
        The mean over units of their mean outcome: above one half, left is preferred.
    delta : float
        (wins + ties / 2) / count - 1/2, as in Chapelle et al. (2012).
    deviation : float
        The standard deviation of the units' mean outcomes.
    lower, upper : float
        Student's interval of the preference; an exact one if all units agree.
    bootstrap_lower, bootstrap_upper : float
        The bootstrap interval, from resampling whole units; the exact one if all units agree.
    p_value : float
        Student's test of a preference of one half; an exact test if all units agree.
    sign_p_value : float
        The exact sign test of wins against losses.
    heaviest : float
        The largest share of impressions that come from one unit.

    Examples
    --------
    >>> main = analyze_preference([1, 1, 0.5, 1, 0, 0, 1, 1]).main
    >>> main.unit, main.wins, main.ties, main.losses
    ('impression', 5, 1, 2)
    """

    unit: str
    count: int
    wins: int
    ties: int
    losses: int
    preference: float
    delta: float
    deviation: float
    lower: float
    upper: float
    bootstrap_lower: float
    bootstrap_upper: float
    p_value: float
    sign_p_value: float
    heaviest: float

    @property
    def interval(self) -> tuple[float, float]:
        """Student's interval, clipped to [0, 1]."""
        return max(0.0, self.lower), min(1.0, self.upper)

    @property
    def unanimous(self) -> bool:
        """Whether all units have the same mean outcome."""
        return self.deviation <= EVEN


@dataclass(frozen=True)
class PreferenceReport(Report):
    """The result of an interleaving experiment; prints as a table and a verdict.

    Parameters
    ----------
    impressions : int
        The number of impressions.
    confidence : float
        The coverage of the intervals.
    resamples : int
        The number of bootstrap samples.
    units : tuple of UnitPreference
        From the finest unit to the coarsest given; lists come last.
    verdict : str
        A sentence about the last unit, whose preferences are closest to independent.
    warnings : tuple of str
        Reasons to doubt the verdict.

    Examples
    --------
    >>> report = analyze_preference([1, 1, 0.5, 1, 0, 0, 1, 1], users=list("aaabcdef"))
    >>> [unit.unit for unit in report.units]
    ['impression', 'user']
    """

    impressions: int
    confidence: float
    resamples: int
    units: tuple[UnitPreference, ...]
    verdict: str
    warnings: tuple[str, ...]

    @property
    def main(self) -> UnitPreference:
        """The last unit, which decides the verdict."""
        return self.units[-1]

    @property
    def table(self) -> str:
        """A text table with a row for each kind of unit."""
        percent = f"{self.confidence:.0%}"
        header = ["unit", "number", "left", "tie", "right", "preference"]
        header += [f"{percent} interval", f"{percent} bootstrap", "delta", "p"]
        rows = []
        for unit in self.units:
            counts = [f"{count:,}" for count in (unit.count, unit.wins, unit.ties, unit.losses)]
            means = [f"{unit.preference:.4f}", "{:.4f} to {:.4f}".format(*unit.interval)]
            bootstrap = f"{unit.bootstrap_lower:.4f} to {unit.bootstrap_upper:.4f}"
            means += ["-" if unit.unanimous else bootstrap, f"{unit.delta:+.4f}"]
            rows.append([unit.unit, *counts, *means, as_p_value(unit.p_value)])
        return align(header, rows)

    def __str__(self) -> str:
        return f"{self.table}\n{self.verdict}{list_warnings(self.warnings)}"


def prefer(
    unit: str, outcomes: FloatArray, groups: IntArray, confidence: float, resamples: int, rng: Generator
) -> UnitPreference:
    sizes = np.bincount(groups)
    if len(sizes) < 2:
        raise ParameterError(f"an interval needs at least 2 {unit}s; got {len(sizes)}.")
    values = np.bincount(groups, weights=outcomes) / sizes
    wins, losses = int((values > TIE + EVEN).sum()), int((values < TIE - EVEN).sum())
    ties = len(values) - wins - losses
    delta = (wins + ties / 2.0) / len(values) - 0.5
    mean, lower, upper, p_value = estimate_outcomes(values, confidence)
    deviation = float(values.std(ddof=1))
    bootstrap = lower, upper
    if deviation > EVEN:
        bootstrap = bootstrap_mean(values, confidence, resamples, rng)
    counts = (len(values), wins, ties, losses)
    means = (mean, delta, deviation, lower, upper, *bootstrap)
    heaviest = float(sizes.max() / len(outcomes))
    return UnitPreference(unit, *counts, *means, p_value, sign_test(wins, losses), heaviest)


def conclude(unit: UnitPreference, confidence: float, sides: tuple[str, str]) -> str:
    """Return the conclusion from a unit's preference, in a sentence."""
    left = unit.preference >= TIE
    side = sides[0] if left else sides[1]
    shares = (unit.preference, *unit.interval)
    low, share, high = sorted(share if left else 1.0 - share for share in shares)
    interval = f"{confidence:.0%} interval {low:.1%} to {high:.1%}"
    numbers = f"at {share:.1%} ({interval}, {say_p_value(unit.p_value)})"
    if unit.p_value >= 1.0 - confidence:
        return f"No significant difference: by {unit.unit}, {side} is preferred {numbers}."
    return f"{begin_sentence(side)} is preferred: by {unit.unit}, {numbers}."


def find_warnings(units: tuple[UnitPreference, ...], level: float) -> Iterator[str]:
    """Yield reasons to doubt the verdict."""
    finest, coarsest = units[0], units[-1]
    name = coarsest.unit
    if coarsest.unanimous:
        reason = "because Student's and the bootstrap interval would have no width"
        yield f"all {coarsest.count:,} {name}s agree: the interval is exact, {reason}."
    elif coarsest.count < FEW:
        signs = say_p_value(coarsest.sign_p_value)
        yield f"only {coarsest.count} {name}s; compare with the sign test's {signs}."
    for unit in units[1:]:
        if unit.heaviest > HEAVY:
            yield f"one {unit.unit} has {unit.heaviest:.0%} of the impressions."
    if finest.p_value < level <= coarsest.p_value:
        yield f"significant by impression but not by {name}: a few {name}s decide the result."
    elif (finest.preference - TIE) * (coarsest.preference - TIE) < 0.0 and coarsest.p_value < level:
        yield f"impressions prefer the other side: {name}s with many impressions differ from the rest."


def analyze_preference(
    outcomes: ArrayLike,
    sessions: Iterable[Hashable] | None = None,
    users: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    lists: Iterable[Hashable] | None = None,
    sides: tuple[str, str] = ("left", "right"),
) -> PreferenceReport:
    """Return which ranking an interleaving experiment prefers, with intervals and tests.

    The value of a session or a user is the mean outcome of its impressions. The verdict is about the coarsest
    unit given, because impressions of one user are not independent.

    Parameters
    ----------
    outcomes : array of shape (impressions,)
        From 0 to 1: 1 if left won, 0 if right won, 0.5 for a tie.
    sessions, users : sequences, optional
        The session and the user of each impression. The same session of two users counts as two sessions.
    confidence : float, default 0.95
        The coverage of the intervals.
    resamples : int, default 2000
        The number of bootstrap samples. The time grows with the number of *distinct* unit values.
    seed : int, default 0
        The seed of the bootstrap.
    lists : sequence, optional
        The list that each impression showed, if lists were shown repeatedly; the verdict is then by list.
    sides : pair of str, optional
        The names of the rankings in the verdict.

    Returns
    -------
    PreferenceReport
        The preference by each unit, the verdict and warnings.

    Raises
    ------
    OutcomeError
        If an outcome is not from 0 to 1.
    ParameterError
        If a column has another length or a missing entry, there are fewer than two units, or a number is out
        of range.

    Notes
    -----
    Use it for a single analysis at a time fixed in advance; to check repeatedly until the result is
    significant, use `AnytimeTest`. If all units agree, the interval and the p-value are exact (see
    `estimate_outcomes`).

    References
    ----------
    Chapelle, Joachims, Radlinski, Yue (2012). Large-scale validation and analysis of interleaved search
    evaluation. ACM TOIS 30(1). Efron, Tibshirani (1993). An introduction to the bootstrap.

    Examples
    --------
    >>> users = ["ann", "ann", "ann", "bob", "cem", "dan", "eve", "fay"]
    >>> report = analyze_preference([1, 1, 0.5, 1, 0, 0, 1, 1], users=users)
    >>> report.main.unit, report.main.wins, report.main.losses, round(report.main.preference, 3)
    ('user', 4, 2, 0.639)
    >>> report.verdict.partition(" (")[0]
    'No significant difference: by user, left is preferred at 63.9%'
    """
    column = as_outcomes(outcomes)
    require_confidence(confidence)
    require_whole("resamples", resamples, 1)
    require_whole("seed", seed, 0)
    rng = np.random.default_rng(seed)
    groups = {"impression": np.arange(len(column))}
    if sessions is not None:
        groups["session"] = as_groups("sessions", sessions, len(column))
    if users is not None:
        groups["user"] = as_groups("users", users, len(column))
    if sessions is not None and users is not None:
        pairs = groups["user"] * (groups["session"].max() + 1) + groups["session"]
        groups["session"] = np.unique(pairs, return_inverse=True)[1]
    if lists is not None:
        groups["list"] = as_groups("lists", lists, len(column))
    units = tuple(prefer(unit, column, groups[unit], confidence, resamples, rng) for unit in groups)
    verdict = conclude(units[-1], confidence, sides)
    warnings = tuple(find_warnings(units, 1.0 - confidence))
    return PreferenceReport(len(column), float(confidence), int(resamples), units, verdict, warnings)


@dataclass(frozen=True)
class CreditedClicks:
    """Impressions with their outcomes, and the preferred ranking; prints as a report.

    Parameters
    ----------
    impressions : tuple of ClickedList
        The impressions and their clicks.
    outcomes : tuple of float
        1 if left wins, 0 if right wins, 0.5 for a tie.
    sides : pair of str
        The files of the left and the right rankings.
    preference : AnytimeReport or PreferenceReport or None
        None if all impressions showed one list, which allows no interval.
    overlap : OverlapReport
        The overlap of the rankings.

    Examples
    --------
    >>> from duelist.interleaving import TeamDraft
    >>> from duelist.interleaving.files import interleave_queries
    >>> lists = interleave_queries({"q": ["a", "b"]}, {"q": ["b", "a"]}, TeamDraft(), impressions=2)
    >>> impressions = [ClickedList(one.impression, one, one.shown.documents[:1]) for one in lists]
    >>> len(credit_clicks(impressions).outcomes)
    2
    """

    impressions: tuple[ClickedList, ...]
    outcomes: tuple[float, ...]
    sides: tuple[str, str]
    preference: AnytimeReport | PreferenceReport | None
    overlap: OverlapReport

    @property
    def winners(self) -> list[str]:
        """The winner of each impression: left, right or tie."""
        return ["tie" if one == TIE else "left" if one > TIE else "right" for one in self.outcomes]

    @property
    def verdict(self) -> str:
        """The preferred ranking, or why a single list does not allow a conclusion."""
        if self.preference is not None:
            return self.preference.verdict
        if len(self.outcomes) == 1:
            return "An interval needs at least 2 impressions; there is only 1."
        left, right = (count(self.winners.count(side)) for side in SIDES)
        wins = f"{self.sides[0]} wins {left} and {self.sides[1]} {right}"
        return (
            f"Of {count(len(self.outcomes))} impressions, {wins}. An interval needs at least 2 lists, but "
            "all impressions showed the same one. Draw a list for each impression with --impressions."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the impressions and the reports, ready for JSON.

        Returns
        -------
        dict
            The fields.

        Examples
        --------
        >>> from duelist.interleaving import TeamDraft
        >>> from duelist.interleaving.files import interleave_queries
        >>> (one,) = interleave_queries({"q": ["a", "b"]}, {"q": ["b", "a"]}, TeamDraft())
        >>> credit_clicks([ClickedList("1", one, ("a",))]).to_dict()["outcomes"][0]["clicked"]
        ('a',)
        """
        return {
            "verdict": self.verdict,
            **dict(zip(SIDES, self.sides, strict=True)),
            "outcomes": [
                {"query": one.listing.query, "impression": one.impression, "user": one.user}
                | {"clicked": one.clicked, "outcome": outcome, "winner": winner}
                for one, outcome, winner in zip(self.impressions, self.outcomes, self.winners, strict=True)
            ],
            "preference": None if self.preference is None else self.preference.to_dict(),
            "overlap": self.overlap.to_dict(),
        }

    @property
    def details(self) -> str:
        """The numbers behind the verdict, and warnings, as text."""
        if self.preference is None:
            return str(self.overlap)
        warnings = self.preference.warnings if isinstance(self.preference, PreferenceReport) else ()
        return f"{self.preference.table}{list_warnings(warnings)}\n\n{self.overlap}"

    def __str__(self) -> str:
        return f"{self.verdict}\n\n{self.details}"


def outcomes_of(impressions: Sequence[ClickedList]) -> list[float]:
    """Return the outcome of every impression, by the method of its list."""
    made_by = [(one.listing.method, one.listing.counting) for one in impressions]
    methods = {key: method_of(*key) for key in dict.fromkeys(made_by)}
    return [
        methods[key].outcome(one.listing.shown, one.clicked)
        for key, one in zip(made_by, impressions, strict=True)
    ]


def credit_clicks(impressions: Sequence[ClickedList], once: bool = False) -> CreditedClicks:
    """Return the outcomes of impressions, and the preference over all of them.

    Parameters
    ----------
    impressions : sequence of ClickedList
        The impressions and their clicks.
    once : bool, default False
        Whether to use a fixed-sample t-test, for a number of impressions fixed in advance, instead of the
        anytime-valid test.

    Returns
    -------
    CreditedClicks
        The outcomes and the reports.

    Examples
    --------
    >>> from duelist.interleaving import TeamDraft
    >>> from duelist.interleaving.files import interleave_queries
    >>> (one,) = interleave_queries({"q": ["a", "b"]}, {"q": ["b", "a"]}, TeamDraft())
    >>> credit_clicks([ClickedList("1", one, ("a",))]).verdict
    'An interval needs at least 2 impressions; there is only 1.'
    """
    listings, outcomes = [one.listing for one in impressions], outcomes_of(impressions)
    files = {one.files for one in listings}
    sides = files.pop() if len(files) == 1 else SIDES
    names = [(one.query, one.impression) for one in listings]
    users = [one.user for one in impressions] if any(one.user for one in impressions) else None
    preference = judge_preference(outcomes, names, users, sides, once)
    left, right = zip(*(one.shown.rankings for one in listings), strict=True)
    overlap = analyze_overlap(left, right, outcomes)
    return CreditedClicks(tuple(impressions), tuple(outcomes), sides, preference, overlap)


def judge_preference(
    outcomes: Sequence[float],
    lists: Sequence[Hashable],
    users: Sequence[Hashable] | None,
    sides: tuple[str, str],
    once: bool = False,
) -> AnytimeReport | PreferenceReport | None:
    """Return which side the outcomes of clicks on lists prefer; None if all are on one list.

    A user, or a list that was shown repeatedly, counts once, by its mean. The test is an `AnytimeTest`; with
    `once`, `analyze_preference`.
    """
    if len(set(lists)) < 2:
        return None
    repeated = lists if len(lists) > len(set(lists)) else None
    if once:
        return analyze_preference(outcomes, users=users, lists=repeated, sides=sides)
    unit = "list" if repeated else "user" if users else "impression"
    groups = as_groups(unit, repeated or users or range(len(outcomes)), len(outcomes))
    means = np.bincount(groups, weights=outcomes) / np.bincount(groups)
    test = AnytimeTest()
    return test.report(test.update(test.init(), means), unit, sides)
