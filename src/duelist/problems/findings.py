"""What a file of preferences or comparisons says: who wins, what holds, and how surely."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from duelist import winners
from duelist.assumptions import Description, describe
from duelist.bounds import asymptotic_lower_bound
from duelist.duel import FloatArray
from duelist.errors import ParameterError, PreferenceError
from duelist.problems.estimates import wilson_interval
from duelist.problems.matrix import MatrixProblem
from duelist.ratings import Ratings, bradley_terry
from duelist.ratings.clusters import Clusters
from duelist.text import enumeration
from duelist.votes.loading import from_records
from duelist.votes.records import Records
from duelist.votes.tables import read_records
from duelist.votes.table import Votes

ABOUT_ARMS = ("labels", "condorcet_winner", "copeland_winners", "cycles")
"""Fields of a description that speak of single arms; the others are assumptions."""


class Pair(NamedTuple):
    """Two arms that were compared; the one that won more often comes first."""

    better: str
    worse: str
    wins: float
    duels: float
    lower: float
    """Bounds on the chance that the better arm wins."""
    upper: float

    @property
    def settled(self) -> bool:
        """Whether the interval excludes 1/2."""
        return self.lower > 0.5


@dataclass(frozen=True)
class PairedComparisons:
    """Recorded comparisons by pair; the pairs that matter most to who wins come first."""

    confidence: float
    leaders: tuple[str, ...]
    """The Copeland winners, so far."""
    has_winner: bool
    """Whether the only leader beats all others, so far."""
    pairs: tuple[Pair, ...]
    unseen: tuple[tuple[str, str], ...]
    """Pairs that were never compared."""

    @property
    def total(self) -> float:
        """The number of comparisons."""
        return sum(pair.duels for pair in self.pairs)

    @property
    def open_rivals(self) -> tuple[str, ...]:
        """The arms that may yet turn out to beat the Condorcet winner."""
        if not self.has_winner:
            return ()
        return tuple(pair.worse for pair in self.pairs if pair.better in self.leaders and not pair.settled)

    @property
    def settled(self) -> bool:
        """Whether the comparisons show, pair by pair, that one arm beats all others."""
        return self.has_winner and not self.open_rivals

    @property
    def verdict(self) -> str:
        """Whether the Condorcet winner is settled, in one sentence."""
        if not self.has_winner:
            return "No arm beats all others in these comparisons; " + (
                "pairs that were never compared count as ties." if self.unseen else "see the pairs below."
            )
        if self.open_rivals:
            return (
                f"Needs more comparisons: {self.leaders[0]} is ahead of all others, but against "
                f"{enumeration(self.open_rivals)} the interval includes 1/2."
            )
        return f"Settled: {self.leaders[0]} beats every other arm, and each interval excludes 1/2."


def compare_pairs(
    labels: tuple[str, ...], wins: FloatArray, confidence: float, leaders: Collection[int], has_winner: bool
) -> PairedComparisons:
    """Return an interval for each pair of arms, from the matrix of wins.

    Pairs with a leader come first, and then those whose interval reaches furthest below 1/2: these are the
    comparisons that could change who wins.
    """
    lower, upper = wilson_interval(wins, confidence)
    seen, unseen = [], []
    for pair in combinations(range(len(labels)), 2):
        i, j = pair if wins[pair] >= wins[pair[::-1]] else pair[::-1]
        duels = float(wins[i, j] + wins[j, i])
        if duels == 0.0:
            unseen.append((labels[i], labels[j]))
            continue
        counted = Pair(labels[i], labels[j], float(wins[i, j]), duels, float(lower[i, j]), float(upper[i, j]))
        seen.append((not {i, j}.intersection(leaders), counted.lower, counted))
    return PairedComparisons(
        confidence=confidence,
        leaders=tuple(labels[arm] for arm in leaders),
        has_winner=has_winner,
        pairs=tuple(counted for *_, counted in sorted(seen, key=lambda entry: entry[:2])),
        unseen=tuple(unseen),
    )


@dataclass(frozen=True)
class Findings:
    """Who wins by every definition, what is assumed and proven, and how sure the comparisons are."""

    problem: MatrixProblem
    description: Description
    winners: dict[str, dict[str, float]]
    """For every definition of a winner the winning arms, each with its score."""
    one_mixture: bool
    """Whether there is only one von Neumann winner."""
    lower_bound: float | None
    comparisons: PairedComparisons | None
    """None for a file that holds preferences, not comparisons."""
    ratings: Ratings | None = None
    """None too where comparisons cannot be rated."""
    unrated: str = ""
    """Why not."""

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as JSON holds them; arms are called by their labels."""
        description, pairs = self.description, self.comparisons
        return {
            "arms": list(self.problem.labels),
            "winners": self.winners | {"condorcet": next(iter(self.winners["condorcet"]), None)},
            "von_neumann_is_unique": self.one_mixture,
            "cycles": [
                {part: [self.problem.labels[arm] for arm in arms] for part, arms in cycle._asdict().items()}
                for cycle in description.cycles
            ],
            "assumptions": {name: held for name, held in vars(description).items() if name not in ABOUT_ARMS},
            "guarantees": description.guarantees,
            "lower_bound": self.lower_bound,
            "comparisons": pairs
            and {
                "total": pairs.total,
                "confidence": pairs.confidence,
                "verdict": pairs.verdict,
                "settled": pairs.settled,
                "pairs": [pair._asdict() | {"settled": pair.settled} for pair in pairs.pairs],
                "never_compared": [list(pair) for pair in pairs.unseen],
            },
            "ratings": self.ratings and [line._asdict() for line in self.ratings.rows()],
            "unrated": self.unrated or None,
        }


def examine(
    path: Path,
    prior: float = 0.0,
    confidence: float = 0.95,
    *,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
    normalize: bool = False,
    ridge: float = 0.0,
    clusters: Clusters | None = None,
) -> Findings:
    """Read a file and find out what it says; `prior` and `confidence` concern comparisons.

    `a`, `b` and `winner` name the columns of comparisons; `normalize` is for preferences that were rounded;
    `ridge` and `clusters` are for ratings, as `ratings.bradley_terry` takes them.
    """
    table = read_records(path, a=a, b=b, winner=winner)
    wins, rated, unrated = None, None, ""
    if isinstance(table, Records):
        wins = table.wins()
        problem = MatrixProblem.from_wins(wins, table.arms, prior)
        try:
            votes = from_records(table)
            rated = bradley_terry(votes, ridge=ridge, clusters=clusters, confidence=confidence)
        except PreferenceError as error:
            unrated = str(error)
    else:
        for name, given in (("prior", prior), ("ridge", ridge), ("clusters", clusters)):
            if given:
                raise ParameterError(
                    f"{name} is for comparisons, and {path} holds a matrix of chances; leave it out."
                )
        problem = MatrixProblem.from_csv(path, normalize=normalize)
    return conclude(problem, wins, confidence, rated, unrated)


def examine_wins(wins: FloatArray, labels: Sequence[str], confidence: float = 0.95) -> Findings:
    """Find out what a table of wins says, in which a tie is half a win for each."""
    rated, unrated = None, ""
    try:
        rated = bradley_terry(Votes.from_counts(wins, arms=labels), confidence=confidence)
    except PreferenceError as error:
        unrated = str(error)
    return conclude(MatrixProblem.from_wins(wins, labels), wins, confidence, rated, unrated)


def conclude(
    problem: MatrixProblem, wins: FloatArray | None, confidence: float, rated: Ratings | None, unrated: str
) -> Findings:
    """Return who wins in a problem by every definition, and how sure the wins are, where they are known."""
    description = describe(problem.matrix, problem.labels)
    has_winner = description.condorcet_winner is not None
    bound = asymptotic_lower_bound(problem.matrix) if has_winner else None
    pairs = None
    if wins is not None:
        pairs = compare_pairs(problem.labels, wins, confidence, description.copeland_winners, has_winner)
    solution = winners.von_neumann_solution(problem.matrix)
    found = winners_of(problem, solution)
    return Findings(problem, description, found, solution.unique, bound, pairs, rated, unrated)


def winners_of(problem: MatrixProblem, solution: winners.VonNeumannSolution) -> dict[str, dict[str, float]]:
    """Return the winners by every definition, with their scores; of a mixture, the heaviest first."""
    matrix, mixture = problem.matrix, solution.mixture
    # equal shares in the order of the arms: their last bits differ from processor to processor
    support = sorted(solution.support, key=lambda arm: -mixture[arm].round(9))
    condorcet = winners.condorcet(matrix)

    def scored(arms: Iterable[int], scores: FloatArray) -> dict[str, float]:
        return {problem.labels[arm]: float(scores[arm]) for arm in arms}

    return {
        "condorcet": {} if condorcet is None else {problem.labels[condorcet]: 1.0},
        "copeland": scored(winners.copeland(matrix), winners.copeland_scores(matrix)),
        "borda": scored(winners.borda(matrix), winners.borda_scores(matrix)),
        "random_walk": scored(winners.random_walk(matrix), winners.random_walk_distribution(matrix)),
        "von_neumann": scored(support, mixture),
    }
