"""Which of two rankings an interleaving experiment prefers, by impressions, sessions, users and lists."""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import TIE, FloatArray, IntArray
from duelist.errors import ParameterError, require_confidence, require_whole
from duelist.interleaving.analysis.columns import as_groups, as_outcomes
from duelist.interleaving.analysis.intervals import EVEN, bootstrap_mean, estimate_outcomes, sign_test
from duelist.interleaving.analysis.preference_report import (
    PreferenceReport,
    UnitPreference,
    conclude,
    find_warnings,
)


def analyze_preference(
    outcomes: ArrayLike,
    sessions: Iterable[Hashable] | None = None,
    users: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    lists: Iterable[Hashable] | None = None,
) -> PreferenceReport:
    """Return which ranking an interleaving experiment prefers, with intervals and tests.

    A session's or a user's value is the mean of the outcomes of its impressions; it wins above one half and
    loses below. Then every session or user counts once, however many impressions it has, so that no single
    one decides. The verdict is about the coarsest unit given: impressions of one user are not independent,
    and an analysis that takes them for it is too sure.

    Parameters
    ----------
    outcomes : array of shape (impressions,)
        From 0 to 1: 1 where left won, 0 where right won, 0.5 for a tie.
    sessions, users : sequences, optional
        Which session and which user each impression belongs to. A session is one of its user: the same
        number at two users means two sessions.
    confidence : float, default 0.95
        How often the intervals should hold the truth.
    resamples : int, default 2000
        Samples of the bootstrap. Its time grows with them and with the number of *distinct* unit values.
    seed : int, default 0
        The seed of the bootstrap.
    lists : sequence, optional
        Which list each impression showed, where a list was drawn once and shown again and again. Whom the
        draw favours, it favours in all of them: more impressions do not make up for few draws, and the
        verdict is by list.

    Notes
    -----
    For one analysis at a time fixed in advance. If you look repeatedly until a difference shows, use
    `AnytimeTest`. Where all units agree, their deviation is zero and Student's interval has no width,
    however few they are; interval and p-value are then exact (see `estimate_outcomes`).

    References
    ----------
    Chapelle, Joachims, Radlinski, Yue (2012). Large-scale validation and analysis of interleaved search
    evaluation. ACM Transactions on Information Systems 30(1). Efron, Tibshirani (1993). An introduction to
    the bootstrap.

    Examples
    --------
    >>> users = ["ann", "ann", "ann", "bob", "cem", "dan", "eve", "fay"]
    >>> report = analyze_preference([1, 1, 0.5, 1, 0, 0, 1, 1], users=users)
    >>> report.main.unit, report.main.wins, report.main.losses, round(report.main.preference, 3)
    ('user', 4, 2, 0.639)
    >>> report.verdict
    'No difference shown: by user, left is preferred at 63.9% (95% interval 11.5% to 100.0%, p = 0.526).'
    """
    column = as_outcomes(outcomes)
    require_confidence(confidence)
    require_whole("resamples", resamples, 1)
    require_whole("seed", seed, 0)
    rng = np.random.default_rng(seed)
    groups = {"impression": np.arange(len(column))}
    if users is not None:
        groups["user"] = as_groups("users", users, len(column))
    if sessions is not None:
        numbers = as_groups("sessions", sessions, len(column))
        if users is not None:
            pairs = groups["user"] * (numbers.max() + 1) + numbers
            numbers = np.unique(pairs, return_inverse=True)[1]
        groups["session"] = numbers
    if lists is not None:
        groups["list"] = as_groups("lists", lists, len(column))
    units = tuple(
        prefer(unit, column, groups[unit], confidence, resamples, rng)
        for unit in ("impression", "session", "user", "list")
        if unit in groups
    )
    level = 1.0 - confidence
    return PreferenceReport(
        impressions=len(column),
        confidence=float(confidence),
        resamples=int(resamples),
        units=units,
        verdict=conclude(units[-1], confidence),
        warnings=tuple(find_warnings(units, level)),
    )


def prefer(
    unit: str, outcomes: FloatArray, groups: IntArray, confidence: float, resamples: int, rng: Generator
) -> UnitPreference:
    """Return the preference by units of one kind."""
    sizes = np.bincount(groups)
    if len(sizes) < 2:
        raise ParameterError(f"an interval needs at least two {unit}s; got {len(sizes)}.")
    values = np.bincount(groups, weights=outcomes) / sizes
    wins = int((values > TIE + EVEN).sum())
    losses = int((values < TIE - EVEN).sum())
    ties = len(values) - wins - losses
    found = estimate_outcomes(values, confidence)
    deviation = float(values.std(ddof=1))
    bootstrap = (found.lower, found.upper)
    if deviation > EVEN:
        bootstrap = bootstrap_mean(values, confidence, resamples, rng)
    return UnitPreference(
        unit=unit,
        count=len(values),
        wins=wins,
        ties=ties,
        losses=losses,
        preference=found.value,
        delta=(wins + ties / 2.0) / len(values) - 0.5,
        deviation=deviation,
        lower=found.lower,
        upper=found.upper,
        bootstrap_lower=bootstrap[0],
        bootstrap_upper=bootstrap[1],
        p_value=found.p_value,
        sign_p_value=sign_test(wins, losses),
        heaviest=float(sizes.max() / len(outcomes)),
    )
