"""What a file of votes or preferences says: who wins, who leads, what holds, and how surely."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from duelist import winners
from duelist.analysis.leaderboard import Leaderboard, leaderboard_of
from duelist.assumptions import Description, describe
from duelist.bounds import asymptotic_lower_bound
from duelist.duel import FloatArray
from duelist.errors import ParameterError, require_confidence
from duelist.preferences import as_labels, as_preferences, estimate, normalized, wilson_interval
from duelist.ratings import Contrast
from duelist.stopping import Verdict, verdict_on
from duelist.tables import Notes
from duelist.text import counted
from duelist.votes.counting import Repeats, Tally, count
from duelist.votes.loading import Matrix, Source, as_votes, read_source
from duelist.votes.rankings import Unranked
from duelist.votes.table import Votes

ABOUT_ARMS = ("labels", "condorcet_winner", "copeland_winners", "cycles")
"""Fields of a description that speak of single arms; the others are assumptions."""
MOST_KEMENY = 12
"""Arms for which an optimal ranking is computed."""
Scale = Literal["log-odds", "elo"]


class Pair(NamedTuple):
    """Two arms that were compared; the one that won more often comes first."""

    better: str
    worse: str
    wins: float
    """How often the better one won, a tie as half."""
    votes: float
    lower: float
    """Bounds on the chance that the better arm wins: a confidence interval of this pair by itself."""
    upper: float


@dataclass(frozen=True)
class Analysis:
    """All that votes, or a matrix of preferences, say; there is one verdict.

    Examples
    --------
    >>> found = analyze([[0, 30, 30], [10, 0, 25], [10, 15, 0]])
    >>> found.leaderboard.rows[0].arm, found.verdict.finding
    ('0', 'winner')
    """

    arms: tuple[str, ...]
    matrix: FloatArray
    """`matrix[i, j]`: the share of their votes that i won against j, or the given preference."""
    counts: FloatArray | None
    """How many votes each pair has; None for a matrix of preferences."""
    winners: dict[str, dict[str, float]]
    """For every definition of a winner the winning arms, each with its score."""
    one_mixture: bool
    """Whether there is only one von Neumann winner."""
    description: Description
    lower_bound: float | None
    """Of regret, for problems with a Condorcet winner."""
    votes: Votes | None = None
    verdict: Verdict | None = None
    """What the votes have proven; None for a matrix of preferences."""
    leaderboard: Leaderboard | None = None
    categories: Mapping[str, Leaderboard] = field(default_factory=dict)
    """The leaderboard of every category, where they were asked for."""
    pairs: tuple[Pair, ...] = ()
    """Compared pairs: those of arms that beat the most others first, the closest before clearer ones."""
    unseen: tuple[tuple[str, str], ...] = ()
    """Pairs that were never compared."""
    contrasts: tuple[Contrast, ...] = ()
    confidence: float = 0.95
    notes: Notes = field(default_factory=Notes)

    @property
    def size(self) -> str:
        """How much there is, in words."""
        arms = counted(len(self.arms), "arm")
        if self.leaderboard is None:
            return f"a preference matrix of {arms}"
        return f"{counted(self.leaderboard.answers, 'vote')} on {arms}"

    @property
    def remarks(self) -> list[str]:
        """What a reader of the results must know, in sentences."""
        told = self.notes.sentences()
        board = self.leaderboard
        if board is not None and board.repeats:
            repeat = "repeats" if board.repeats == 1 else "repeat"
            told.append(
                f"Left out: {counted(board.repeats, 'vote')} that {repeat} a voter's earlier vote on the "
                "same pair and item; --repeats all counts them."
            )
        return told

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON holds it; arms are called by their names."""
        board = self.leaderboard
        rated = board.ratings if board is not None else None
        return {
            "arms": list(self.arms),
            "winners": self.winners | {"condorcet": next(iter(self.winners["condorcet"]), None)},
            "von_neumann_is_unique": self.one_mixture,
            "cycles": [
                {part: [self.arms[arm] for arm in arms] for part, arms in cycle._asdict().items()}
                for cycle in self.description.cycles
            ],
            "assumptions": {
                name: held for name, held in vars(self.description).items() if name not in ABOUT_ARMS
            },
            "guarantees": self.description.guarantees,
            "lower_bound": self.lower_bound,
            "verdict": None if self.verdict is None else vars(self.verdict) | {"text": str(self.verdict)},
            "votes": None if board is None else board.answers,
            "repeats": None if board is None else board.repeats,
            "confidence": self.confidence,
            "leaderboard": None if board is None else board.to_dicts(),
            "unrated": None if board is None else board.why or None,
            "scale": None if rated is None else rated.scale,
            "effects": [] if rated is None else [one._asdict() for one in rated.effects],
            "predicted": None
            if rated is None
            else {"arms": list(rated.arms), "chances": rated.predicted().tolist()},
            "categories": {name: one.to_dicts() for name, one in self.categories.items()},
            "contrasts": [one._asdict() for one in self.contrasts],
            "pairs": [pair._asdict() for pair in self.pairs],
            "never_compared": [list(pair) for pair in self.unseen],
            "notes": self.remarks,
        }


def analyze(
    source: Source,
    *,
    columns: Mapping[str, str] | None = None,
    by: str | None = None,
    since: float | None = None,
    until: float | None = None,
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
    confidence: float = 0.95,
    delta: float = 0.05,
    normalize: bool = False,
    skip_bad: bool = False,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Analysis:
    """Find out what votes or preferences say.

    Parameters
    ----------
    source : Votes, path, data frame, columns, table of counts, or problem
        `load_votes` says what files and frames look like; a file may also hold a matrix of preferences.
    columns : mapping of str to str, optional
        Which column says what, as `load_votes` takes it.
    by : str, optional
        A column of categories: there is a leaderboard for each.
    since, until : float, optional
        Only votes of this time, in seconds since 1970.
    repeats : {"first", "all"}, default "first"
        Of a named voter's votes on one pair and item, count the first or all.
    unranked : {"unknown", "last"}, default "unknown"
        What rankings say of arms that they leave out.
    clusters, covariates, side_effect, minimum_votes, ridge
        As `ratings.bradley_terry` takes them.
    prior : float, default 0
        Wins added to both sides of every pair before shares are taken; draws rare pairs towards 1/2.
    scale : {"log-odds", "elo"}, default "log-odds"
        Of ratings.
    anchor : str, optional
        An arm whose rating is fixed: 0, or 1000 on the Elo scale.
    contrasts : iterable of pairs of arms
        Differences of ratings to report, each with its interval.
    confidence : float, default 0.95
        Of intervals.
    delta : float, default 0.05
        The share of studies in which the verdict may be wrong.
    normalize : bool, default False
        Divide a pair's two chances by their sum, where a matrix was rounded.
    skip_bad, encoding, sheet
        As `load_votes` takes them.

    Examples
    --------
    >>> votes = {"left": ["a", "b"] * 20, "right": ["b", "a"] * 20, "outcome": ["left", "right"] * 20}
    >>> found = analyze(votes)
    >>> print(found.verdict)
    a is the winner: it beats b. Such a verdict is wrong in at most 5% of studies.
    """
    require_confidence(confidence)
    style = tuple(covariates)
    extras = _extras(by, clusters, style)
    votes: Votes | Matrix
    if isinstance(source, str | os.PathLike):
        options: dict[str, Any] = {"encoding": encoding, "sheet": sheet, "skip_bad": skip_bad}
        votes = read_source(source, columns=columns, extras=extras, unranked=unranked, **options)
    else:
        votes = as_votes(source)
    if isinstance(votes, Matrix):
        given = {"by": by, "prior": prior, "ridge": ridge, "anchor": anchor, "covariates": style}
        for name in (name for name, value in given.items() if value):
            raise ParameterError(
                f"{name} is for votes, and {source} holds a matrix of chances; leave it out."
            )
        return of_matrix(votes, normalize)
    if since is not None or until is not None:
        votes = votes.between(since, until)
    rating: dict[str, Any] = {
        **{"clusters": clusters, "covariates": style, "side_effect": side_effect, "ridge": ridge},
        **{"minimum_votes": minimum_votes, "confidence": confidence, "scale": scale, "anchor": anchor},
    }
    return of_votes(votes, by=by, repeats=repeats, prior=prior, contrasts=contrasts, delta=delta, **rating)


def _extras(by: str | None, clusters: str, covariates: Iterable[str]) -> tuple[str, ...]:
    """Return further columns that must be read."""
    named = [by] if by not in (None, "voter", "item", "category") else []
    named += [clusters] if clusters not in ("auto", "none", "voter", "item") else []
    return tuple(name for name in (*named, *covariates) if name is not None)


def of_votes(
    votes: Votes,
    *,
    by: str | None = None,
    repeats: Repeats = "first",
    prior: float = 0.0,
    contrasts: Iterable[tuple[str, str]] = (),
    confidence: float = 0.95,
    delta: float = 0.05,
    **rating: Any,
) -> Analysis:
    """Return what votes say; further options are those of `leaderboard_of`."""
    tally = count(votes, repeats)
    options = {"repeats": repeats, "confidence": confidence, **rating}
    board = leaderboard_of(votes, tally=tally, **options)
    categories = {}
    if by is not None:
        categories = {name: leaderboard_of(part, **options) for name, part in votes.by(by).items()}
    verdict = verdict_of(votes, tally, delta)
    pairs, unseen = compare_pairs(votes.arms, tally, confidence)
    wanted = tuple(contrasts)
    if wanted and board.ratings is None:
        raise ParameterError(f"there are no ratings to contrast: {board.why}")
    found = tuple(board.ratings.contrast(one, other) for one, other in wanted) if board.ratings else ()
    return Analysis(
        **_of_preferences(votes.arms, estimate(tally.scores, prior), tally.votes),
        votes=votes,
        verdict=verdict,
        leaderboard=board,
        categories=categories,
        pairs=pairs,
        unseen=unseen,
        contrasts=found,
        confidence=confidence,
        notes=votes.notes or Notes(),
    )


def of_matrix(found: Matrix, normalize: bool = False) -> Analysis:
    """Return what a matrix of preferences says."""
    matrix = normalized(found.matrix) if normalize else as_preferences(found.matrix)
    labels = as_labels(map(str, range(len(matrix))) if found.labels is None else found.labels)
    return Analysis(**_of_preferences(labels, matrix, None), notes=found.notes)


def _of_preferences(arms: tuple[str, ...], matrix: FloatArray, counts: FloatArray | None) -> dict[str, Any]:
    description = describe(matrix, arms)
    has_winner = description.condorcet_winner is not None
    found, unique = winners_of(arms, matrix)
    return {
        "arms": arms,
        "matrix": matrix,
        "counts": counts,
        "description": description,
        "winners": found,
        "one_mixture": unique,
        "lower_bound": asymptotic_lower_bound(matrix) if has_winner else None,
    }


def verdict_of(votes: Votes, tally: Tally, delta: float = 0.05) -> Verdict:
    """Return what counted votes have proven, as a study says it."""
    return verdict_on(
        votes.arms,
        tally.wins,
        tally.ties,
        repeats=tally.repeats,
        delta=delta,
        active=votes.active if len(votes.active) > 1 else None,
        founders=votes.founders if votes.founders > 1 else None,
        changed=votes.changed,
    )


def compare_pairs(
    arms: tuple[str, ...], tally: Tally, confidence: float
) -> tuple[tuple[Pair, ...], tuple[tuple[str, str], ...]]:
    """Return an interval for every compared pair, and the pairs that were never compared.

    Pairs with an arm that beats the most others come first, and then those whose interval reaches furthest
    below 1/2: these are the comparisons that could change who wins.
    """
    scores, votes = tally.scores, tally.votes
    lower, upper = wilson_interval(scores, confidence)
    leading = set(winners.copeland(estimate(scores)))
    seen, unseen = [], []
    for pair in combinations(range(len(arms)), 2):
        i, j = pair if scores[pair] >= scores[pair[::-1]] else pair[::-1]
        if votes[i, j] == 0.0:
            unseen.append((arms[i], arms[j]))
            continue
        bounds = float(lower[i, j]), float(upper[i, j])
        compared = Pair(arms[i], arms[j], float(scores[i, j]), float(votes[i, j]), *bounds)
        seen.append((not {i, j} & leading, compared.lower, compared))
    return tuple(one for *_, one in sorted(seen, key=lambda entry: entry[:2])), tuple(unseen)


def winners_of(arms: tuple[str, ...], matrix: FloatArray) -> tuple[dict[str, dict[str, float]], bool]:
    """Return the winners by every definition with their scores, and whether the mixture is unique."""
    solution = winners.von_neumann_solution(matrix)
    mixture = solution.mixture
    # equal shares in the order of the arms: their last bits differ from processor to processor
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
