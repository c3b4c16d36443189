"""What a file of preferences or comparisons says: who wins, what holds, and how surely."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duelist import winners
from duelist.assumptions import Description, describe
from duelist.bounds import asymptotic_lower_bound
from duelist.cli.evidence import Evidence, weigh
from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.problems import ComparisonTable, MatrixProblem, estimate, read_table, tally


@dataclass(frozen=True)
class Findings:
    """All that `duelist analyze` reports."""

    problem: MatrixProblem
    description: Description
    winners: dict[str, dict[str, float]]
    """For every definition of a winner the winning arms, each with its score."""
    lower_bound: float | None
    evidence: Evidence | None
    """None for a file that holds preferences, not comparisons."""


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
        evidence=None
        if wins is None
        else weigh(problem.labels, wins, confidence, description.copeland_winners, has_winner),
    )


def winners_of(problem: MatrixProblem) -> dict[str, dict[str, float]]:
    """Return the winners by every definition, with their scores.

    Examples
    --------
    >>> winners_of(MatrixProblem([[0.5, 0.75], [0.25, 0.5]], labels=["dense", "bm25"]))["borda"]
    {'dense': 0.75}
    """
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


def as_json(findings: Findings) -> dict[str, Any]:
    """Return the findings as JSON holds them; arms are called by their labels."""
    description, evidence = findings.description, findings.evidence
    return {
        "arms": list(findings.problem.labels),
        "winners": findings.winners | {"condorcet": next(iter(findings.winners["condorcet"]), None)},
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
        "lower_bound": findings.lower_bound,
        "comparisons": evidence
        and {
            "total": evidence.total,
            "confidence": evidence.confidence,
            "verdict": evidence.verdict,
            "settled": evidence.settled,
            "pairs": [pair._asdict() | {"settled": pair.settled} for pair in evidence.pairs],
            "never_compared": [list(pair) for pair in evidence.unseen],
        },
    }
