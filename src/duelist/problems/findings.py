"""What a file of preferences or comparisons says: who wins, what holds, and how surely."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duelist import winners
from duelist.assumptions import Description, describe
from duelist.bounds import asymptotic_lower_bound
from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.problems.comparisons import estimate, tally
from duelist.problems.matrix import MatrixProblem
from duelist.problems.paired import PairedComparisons, compare_pairs
from duelist.problems.tables import ComparisonTable, read_table


@dataclass(frozen=True)
class Findings:
    """Who wins by every definition, what is assumed and proven, and how sure the comparisons are."""

    problem: MatrixProblem
    description: Description
    winners: dict[str, dict[str, float]]
    """For every definition of a winner the winning arms, each with its score."""
    lower_bound: float | None
    comparisons: PairedComparisons | None
    """None for a file that holds preferences, not comparisons."""

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as JSON holds them; arms are called by their labels."""
        description, pairs = self.description, self.comparisons
        return {
            "arms": list(self.problem.labels),
            "winners": self.winners | {"condorcet": next(iter(self.winners["condorcet"]), None)},
            "assumptions": {
                "total_order": description.total_order,
                "strong_transitivity": description.strong_transitivity,
                "triangle_inequality": description.triangle_inequality,
                "gamma": description.gamma,
                "smallest_gap": description.smallest_gap,
                "cyclic_triples": description.cyclic_triples,
                "tied_pairs": description.tied_pairs,
            },
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
        }


def examine(path: Path, prior: float = 0.0, confidence: float = 0.95) -> Findings:
    """Read a file and find out what it says; `prior` and `confidence` concern comparisons."""
    table = read_table(path)
    wins = None
    if isinstance(table, ComparisonTable):
        labels, wins = tally(table.records)
        problem = MatrixProblem(estimate(wins, prior), labels, counts=wins + wins.T)
    elif prior:
        raise ParameterError(f"prior is for comparisons, and {path} holds a matrix; leave it out.")
    else:
        problem = MatrixProblem.from_csv(path)
    description = describe(problem.matrix, problem.labels)
    has_winner = description.condorcet_winner is not None
    return Findings(
        problem=problem,
        description=description,
        winners=winners_of(problem),
        lower_bound=asymptotic_lower_bound(problem.matrix) if has_winner else None,
        comparisons=None
        if wins is None
        else compare_pairs(problem.labels, wins, confidence, description.copeland_winners, has_winner),
    )


def winners_of(problem: MatrixProblem) -> dict[str, dict[str, float]]:
    """Return the winners by every definition, with their scores."""
    matrix = problem.matrix
    condorcet = winners.condorcet(matrix)

    def scored(arms: tuple[int, ...], scores: FloatArray) -> dict[str, float]:
        return {problem.labels[arm]: float(scores[arm]) for arm in arms}

    return {
        "condorcet": {} if condorcet is None else {problem.labels[condorcet]: 1.0},
        "copeland": scored(winners.copeland(matrix), winners.copeland_scores(matrix)),
        "borda": scored(winners.borda(matrix), winners.borda_scores(matrix)),
        "random_walk": scored(winners.random_walk(matrix), winners.random_walk_distribution(matrix)),
        "von_neumann": scored(winners.von_neumann_support(matrix), winners.von_neumann(matrix)),
    }
