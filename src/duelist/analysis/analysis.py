"""Analyze recorded votes or preferences: winners, ratings, assumptions and a verdict."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from duelist import winners
from duelist.analysis.leaderboard import Leaderboard, leaderboard_of, unrated_board
from duelist.analysis.result import Analysis, Pair
from duelist.assumptions import describe
from duelist.bounds import asymptotic_lower_bound
from duelist.defaults import CONFIDENCE, DELTA
from duelist.duel import FloatArray
from duelist.errors import (
    FileError,
    ParameterError,
    PreferenceError,
    UnknownNameError,
    require_confidence,
    require_known,
)
from duelist.preferences import Preferences, as_labels, as_preferences, estimate, normalized, wilson_interval
from duelist.ratings.result import Scale
from duelist.stopping import Verdict, verdict_on
from duelist.tables import Notes
from duelist.text import counted, enumeration
from duelist.votes.counting import Repeats, Tally, count, counted_only
from duelist.votes.fields import as_seconds
from duelist.votes.loading import (
    CountedProblem,
    Matrix,
    Rows,
    Source,
    as_votes,
    is_matrix,
    load_votes,
    read_source,
)
from duelist.votes.rankings import Unranked
from duelist.votes.table import Votes, as_date, replace_columns

MOST_KEMENY = 12
"""Maximum number of arms for which Kemeny's optimal ranking is computed."""
MOST_CATEGORIES = 1_000
NOT_EXTRA = ("auto", "none", "voter", "item", "ranking", "category")
"""Columns that are always read, and words that are not names of columns."""
DAY = timedelta(days=1) - timedelta(microseconds=1)
Moment: TypeAlias = str | float | date
"""A date, a datetime, an ISO 8601 text (2026-11-16, 2026-11-16T10:00), or seconds since 1970."""


def analyze(
    source: Source | Rows,
    *,
    columns: Mapping[str, str] | None = None,
    by: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    repeats: Repeats = "first",
    unranked: Unranked = "unknown",
    clusters: str = "auto",
    covariates: Iterable[str] = (),
    side_effect: bool = False,
    minimum_votes: int = 0,
    ridge: float = 0.0,
    prior: float = 0.0,
    scale: Scale = "log-odds",
    anchor: str | None = None,
    contrasts: Iterable[tuple[str, str]] = (),
    confidence: float = CONFIDENCE,
    delta: float = DELTA,
    normalize: bool = False,
    skip_bad: bool = False,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Analysis:
    """Analyze votes or a matrix of preferences.

    Parameters
    ----------
    source : Votes, path, data frame, mapping of columns, rows, table of counts, or problem
        Any source that `load_votes` accepts, a table of counts, or a problem. A file may also hold a matrix
        of preferences.
    columns : mapping of str to str, optional
        Columns with unusual names, by role, as in `load_votes`.
    by : str, optional
        A column of categories; each category gets its own leaderboard.
    since, until : str, date or float, optional
        Only analyze votes of this period, given as ISO 8601 dates or times, or as seconds since 1970. Both
        ends are included; a date stands for the whole day.
    repeats : {"first", "all"}, default "first"
        Whether to count only the first or all of a named voter's votes on the same pair and item. The verdict
        always counts only the first.
    unranked : {"unknown", "last"}, default "unknown"
        How to treat arms that a ranking omits, as in `load_votes`.
    clusters : str, default "auto"
        The column whose equal values form a cluster, as in `ratings.fit_bradley_terry`; any column of the
        source.
    covariates : iterable of str
        Columns of covariates, as in `ratings.fit_bradley_terry`; any columns of the source.
    side_effect : bool, default False
        Estimate the advantage of the left side, as in `ratings.fit_bradley_terry`.
    minimum_votes : int, default 0
        Rate only arms with at least this many votes, as in `ratings.fit_bradley_terry`.
    ridge : float, default 0
        Strength of the penalty that pulls ratings together, as in `ratings.fit_bradley_terry`.
    prior : float, default 0
        Number of wins added to both sides of every pair before win shares are computed; pulls rarely compared
        pairs towards 1/2.
    scale : {"log-odds", "elo"}, default "log-odds"
        The scale of the ratings.
    anchor : str, optional
        An arm whose rating is fixed at 0, or at 1000 on the Elo scale.
    contrasts : iterable of pairs of arms
        Differences of ratings to report, each with its own interval.
    confidence : float, default 0.95
        The confidence level of intervals.
    delta : float, default 0.05
        The share of studies in which the verdict may be wrong.
    normalize : bool, default False
        Divide the two probabilities of each pair by their sum, to correct a matrix that was rounded.
    skip_bad : bool, default False
        Skip unreadable rows, as in `load_votes`.
    encoding : str, optional
        The encoding of a text file, as in `load_votes`.
    sheet : str, optional
        The sheet of a workbook, as in `load_votes`.

    Returns
    -------
    Analysis
        The leaderboard, the winners, the assumptions that hold, and the verdict.

    Raises
    ------
    FileError
        If a file cannot be read; the message names the file, the line and the column.
    PreferenceError
        If the data does not hold valid votes or preferences.
    ParameterError
        If an option is invalid, or does not apply to a matrix of preferences.

    Examples
    --------
    >>> votes = {"left": ["a", "b"] * 20, "right": ["b", "a"] * 20, "outcome": ["left", "right"] * 20}
    >>> found = analyze(votes)
    >>> print(found.verdict)
    a is the winner: it beats b. Such a verdict is wrong in at most 5% of studies.
    """
    require_confidence(confidence)
    start, end = as_moment("since", since), as_moment("until", until, end=True)
    if start is not None and end is not None and start > end:
        raise ParameterError(f"since ({since!r}) is later than until ({until!r}); swap them.")
    for name, text in (("by", by), ("clusters", clusters), ("anchor", anchor)):
        if text is not None and not isinstance(text, str):
            raise ParameterError(f"{name} must be a name; got {text!r:.60}.")
    names = as_names(covariates)
    wanted = as_pairs(contrasts)
    extras = tuple(name for name in (by, clusters, *names) if name is not None and name not in NOT_EXTRA)
    reading: dict[str, Any] = {"columns": columns, "extras": extras, "unranked": unranked}
    reading |= {"encoding": encoding, "sheet": sheet, "skip_bad": skip_bad}
    votes = _read(source, reading)
    if isinstance(votes, Matrix):
        given = {"by": by, "since": since, "until": until, "covariates": names, "contrasts": wanted}
        given |= {"prior": prior, "ridge": ridge, "anchor": anchor, "side_effect": side_effect}
        given |= {"minimum_votes": minimum_votes, "clusters": clusters if clusters != "auto" else None}
        for name in (name for name, value in given.items() if value):
            raise ParameterError(f"{name} applies to votes, not to a matrix of probabilities; leave it out.")
        try:
            return of_matrix(votes, normalize)
        except PreferenceError as error:
            raise error if not votes.notes.source else FileError(f"{votes.notes.source}: {error}") from None
    if start is not None or end is not None:
        votes = _within(votes, start, end)
    rating = {
        **{"clusters": clusters, "covariates": names, "side_effect": side_effect, "ridge": ridge},
        **{"minimum_votes": minimum_votes, "scale": scale, "anchor": anchor},
    }
    options: dict[str, Any] = {"confidence": confidence, "delta": delta, **rating}
    return of_votes(votes, by=by, repeats=repeats, prior=prior, contrasts=wanted, **options)


def as_names(covariates: Any) -> tuple[str, ...]:
    given = [covariates] if isinstance(covariates, str) else covariates
    names = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(name, str) for name in names):
        raise ParameterError(f"covariates must be column names; got {covariates!r:.60}.")
    return names


def as_pairs(contrasts: Any) -> tuple[tuple[str, str], ...]:
    pairs = (
        tuple(contrasts) if isinstance(contrasts, Iterable) and not isinstance(contrasts, str) else (None,)
    )
    for pair in pairs:
        if not isinstance(pair, list | tuple) or [type(arm) for arm in pair] != [str, str]:
            raise ParameterError(f"contrasts must be pairs of arms, [(one, other)]; got {contrasts!r:.60}.")
    return pairs


def _read(source: Any, reading: dict[str, Any]) -> Votes | Matrix:
    """Return the votes of a source, or its matrix of preferences."""
    if isinstance(source, str | os.PathLike):
        return read_source(source, **reading)
    if isinstance(source, CountedProblem) and source.counts is None:
        return Matrix(source.matrix, source.labels, Notes())
    if isinstance(source, Votes | CountedProblem) or is_matrix(source):
        return as_votes(source)
    return load_votes(source, **reading)


def as_moment(name: str, moment: Moment | None, end: bool = False) -> float | None:
    """Return a time in seconds since 1970; for a date, its beginning or its end.

    Examples
    --------
    >>> as_moment("since", "1970-01-02"), as_moment("until", "1970-01-02", end=True), as_moment("since", 60)
    (86400.0, 172799.999999, 60.0)
    """
    if moment is None:
        return None
    exact = moment
    with suppress(ValueError):
        exact = date.fromisoformat(moment.strip()) if isinstance(moment, str) else moment
    if isinstance(exact, date) and not isinstance(exact, datetime):
        midnight = datetime(exact.year, exact.month, exact.day, tzinfo=UTC)
        exact = midnight + DAY if end else midnight
    try:
        return as_seconds(exact)
    except (OverflowError, TypeError, ValueError):
        raise ParameterError(
            f"{name} must be a date such as 2026-11-16 or 2026-11-16T10:00, or seconds since 1970; got "
            f"{moment!r:.60}."
        ) from None


def _within(votes: Votes, start: float | None, end: float | None) -> Votes:
    """Return the votes of a period, without arms that have none, and note what was left out."""
    chosen = votes.between(start, end)
    times = votes.times
    assert times is not None
    recorded, untimed = (int(one.counts.sum()) for one in (votes, votes.take(np.isnan(times))))
    left = int(chosen.counts.sum())
    if not left:
        known = times[~np.isnan(times)]
        first, last = (f"{as_date(float(one)):%Y-%m-%d %H:%M:%S}" for one in (known.min(), known.max()))
        raise PreferenceError(
            f"there are no votes in this period; the votes run from {first} to {last} (UTC). Change since "
            "or until."
        )
    parts = [f"Left out: {counted(recorded - left, 'vote')} outside this period"]
    parts += [f"{count_of} of them without a time"] if (count_of := untimed) else []
    kept = compared_only(chosen)
    if missing := [arm for arm in votes.arms if arm not in set(kept.arms)]:
        parts.append(f"{counted(len(missing), 'arm')} without votes in this period ({enumeration(missing)})")
    notes = votes.notes or Notes()
    remarks = [*notes.remarks, f"{', '.join(parts)}."] if recorded > left else notes.remarks
    return replace_columns(kept, notes=replace(notes, remarks=remarks))


def compared_only(votes: Votes) -> Votes:
    """Drop the arms that have no counted votes."""
    rows = votes.is_counted
    seen = np.unique(np.concatenate([votes.left[rows], votes.right[rows]]))
    if len(seen) == votes.k:
        return votes
    chosen, number = votes.take(rows), np.full(votes.k, -1)
    number[seen] = np.arange(len(seen))
    return replace_columns(
        chosen,
        arms=tuple(votes.arms[arm] for arm in seen),
        left=number[chosen.left],
        right=number[chosen.right],
        initial_arms=int((seen < votes.initial_arms).sum()),
        retired=frozenset(int(number[arm]) for arm in votes.retired if number[arm] >= 0),
    )


def of_votes(
    votes: Votes,
    *,
    by: str | None = None,
    repeats: Repeats = "first",
    prior: float = 0.0,
    contrasts: Iterable[tuple[str, str]] = (),
    confidence: float = CONFIDENCE,
    delta: float = DELTA,
    **rating: Any,
) -> Analysis:
    """Return the analysis of votes; `rating` holds options of `leaderboard_of`."""
    tally, wanted = count(votes, repeats), tuple(contrasts)
    for arm in chain.from_iterable(wanted):
        require_known("arm", arm, votes.arms)
    options = {"repeats": repeats, "confidence": confidence, **rating}
    board = leaderboard_of(votes, tally=tally, **options)
    if wanted and board.ratings is None:
        raise PreferenceError(f"contrasts need ratings, and there are none: {board.why}")
    found = () if board.ratings is None else tuple(board.ratings.contrast(*pair) for pair in wanted)
    return Analysis(
        **_of_preferences(votes.arms, estimate(tally.scores, prior), tally.votes, votes.active),
        votes=votes,
        # repeated votes are not evidence for the verdict, whatever is counted elsewhere
        verdict=verdict_of(votes, tally if repeats == "first" else count(votes), delta),
        leaderboard=board,
        by=by,
        categories={} if by is None else _categories(counted_only(votes, repeats), by, options),
        pairs=compare_pairs(votes.arms, tally, confidence),
        contrasts=found,
        confidence=confidence,
        repeats=repeats,
        notes=votes.notes or Notes(),
    )


def _categories(votes: Votes, by: str, options: dict[str, Any]) -> dict[str, Leaderboard]:
    """Return the leaderboard of every category with votes; it lists the arms that have votes in it."""
    column = {"voter": votes.voters, "item": votes.items, **votes.extras}.get(by)
    if column is not None and len(column.names) > MOST_CATEGORIES:
        raise ParameterError(
            f"{by} has {len(column.names):,} distinct values, and at most {MOST_CATEGORIES:,} categories are "
            "allowed; choose a column with fewer."
        )
    parts = {name: compared_only(part) for name, part in votes.by(by).items() if part.is_counted.any()}
    return {name: _category(part, options) for name, part in parts.items()}


def _category(votes: Votes, options: dict[str, Any]) -> Leaderboard:
    """Return the leaderboard of a category; if its arms cannot be rated, it states the reason."""
    try:
        return leaderboard_of(votes, **options)
    except UnknownNameError:
        why = f"the anchor, {options['anchor']}, has no votes in this category."
    except (ParameterError, PreferenceError) as error:
        why = str(error)
    return unrated_board(votes, count(votes, options["repeats"]), why)


def of_matrix(found: Matrix, normalize: bool = False) -> Analysis:
    matrix = normalized(found.matrix) if normalize else as_preferences(found.matrix)
    labels = as_labels(map(str, range(len(matrix))) if found.labels is None else found.labels)
    return Analysis(**_of_preferences(labels, matrix, None), notes=found.notes)


def _of_preferences(
    arms: tuple[str, ...], matrix: FloatArray, counts: FloatArray | None, active: Sequence[int] = ()
) -> dict[str, Any]:
    """Return winners and assumptions; winners are chosen among the active arms, by default all."""
    preferences = Preferences(matrix)
    description = describe(preferences, arms)
    has_winner = description.condorcet_winner is not None
    among = active if len(active) > 1 else range(len(arms))
    found, unique = winners_of(tuple(arms[arm] for arm in among), preferences.among(among))
    return {
        "arms": arms,
        "matrix": matrix,
        "counts": counts,
        "description": description,
        "winners": found,
        "one_mixture": unique,
        "lower_bound": asymptotic_lower_bound(preferences) if has_winner else None,
    }


def verdict_of(votes: Votes, tally: Tally, delta: float = DELTA) -> Verdict:
    """Return the verdict on counted votes, as a study would reach it."""
    return verdict_on(
        votes.arms,
        tally.wins,
        tally.ties,
        repeats=tally.repeats,
        delta=delta,
        active=votes.active if len(votes.active) > 1 else None,
        initial_arms=votes.initial_arms if votes.initial_arms > 1 else None,
        changed=votes.changed,
    )


def compare_pairs(arms: tuple[str, ...], tally: Tally, confidence: float) -> tuple[Pair, ...]:
    """Return an interval for every compared pair.

    The pairs that could change the winner come first: those with an arm that beats the most others, ordered
    by how far their interval extends below 1/2; then the other pairs in the same order.
    """
    scores, votes = tally.scores, tally.votes
    lower, upper = wilson_interval(scores, confidence)
    one, other = np.nonzero(np.triu(votes > 0.0, 1))
    ahead = scores[one, other] >= scores[other, one]
    better, worse = np.where(ahead, one, other), np.where(ahead, other, one)
    leading = np.isin(np.arange(len(arms)), winners.copeland(estimate(scores)))
    bounds = lower[better, worse], upper[better, worse]
    order = np.lexsort((bounds[0], ~(leading[better] | leading[worse])))
    columns = (better, worse, scores[better, worse], votes[better, worse], *bounds)
    return tuple(
        Pair(arms[i], arms[j], *numbers)
        for i, j, *numbers in zip(*(column[order].tolist() for column in columns), strict=True)
    )


def winners_of(arms: tuple[str, ...], matrix: Preferences) -> tuple[dict[str, dict[str, float]], bool]:
    """Return the winners by every definition with their scores, and whether the mixture is unique."""
    solution = winners.von_neumann_solution(matrix)
    mixture = solution.mixture
    # arms with equal shares keep their order: the last bits of shares differ between processors
    support = sorted(solution.support, key=lambda arm: -mixture[arm].round(9))
    condorcet = winners.condorcet(matrix)

    def scored(chosen: Iterable[int], scores: FloatArray) -> dict[str, float]:
        return {arms[arm]: float(scores[arm]) for arm in chosen}

    ones = np.ones(len(arms))
    found = {
        "condorcet": {} if condorcet is None else {arms[condorcet]: 1.0},
        "copeland": scored(winners.copeland(matrix), winners.copeland_scores(matrix)),
        "borda": scored(winners.borda(matrix), winners.borda_scores(matrix)),
        "schulze": scored(winners.schulze(matrix), ones),
        "ranked_pairs": scored(winners.ranked_pairs(matrix), ones),
        "random_walk": scored(winners.random_walk(matrix), winners.random_walk_distribution(matrix)),
        "von_neumann": scored(support, mixture),
    }
    if len(arms) <= MOST_KEMENY:
        found["kemeny"] = scored(winners.kemeny(matrix), ones)
    return found, solution.unique
