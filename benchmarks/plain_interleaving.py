"""Interleaving as one would write it at first, in plain Python: the baselines of the benchmarks."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.random import Generator
from scipy.optimize import linprog


def plain_balanced(left: Sequence[str], right: Sequence[str], rng: Generator) -> list[str]:
    shown: list[str] = []
    seen: set[str] = set()
    i = j = 0
    left_first = rng.random() < 0.5
    while i < len(left) or j < len(right):
        if j == len(right) or (i < len(left) and (i < j or (i == j and left_first))):
            document, i = left[i], i + 1
        else:
            document, j = right[j], j + 1
        if document not in seen:
            seen.add(document)
            shown.append(document)
    return shown


def plain_team_draft(
    left: Sequence[str], right: Sequence[str], rng: Generator
) -> tuple[list[str], list[int]]:
    shown: list[str] = []
    teams: list[int] = []
    length = len({*left, *right})
    while len(shown) < length:
        for team in (0, 1) if rng.random() < 0.5 else (1, 0):
            rest = [document for document in (left, right)[team] if document not in shown]
            if rest:
                shown.append(rest[0])
                teams.append(team)
    return shown, teams


def plain_team_credit(documents: Sequence[str], teams: Sequence[int], clicked: Sequence[str]) -> float:
    lead = 0
    for document in set(clicked):
        team = teams[documents.index(document)]
        lead += 1 if team == 0 else -1 if team == 1 else 0
    return 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5


def chances_left(ranking: Sequence[str], above: Sequence[str], tau: float) -> dict[str, float]:
    weights = {
        document: rank**-tau for rank, document in enumerate(ranking, start=1) if document not in above
    }
    whole = sum(weights.values())
    return {document: weight / whole for document, weight in weights.items()}


def plain_probabilistic(left: Sequence[str], right: Sequence[str], rng: Generator) -> list[str]:
    shown: list[str] = []
    length = len({*left, *right})
    while len(shown) < length:
        chances = chances_left((left, right)[int(rng.random() < 0.5)], shown, 3.0)
        reach = rng.random()
        drawn = next(iter(chances))
        for document, chance in chances.items():
            drawn = document
            reach -= chance
            if reach < 0.0:
                break
        shown.append(drawn)
    return shown


def plain_marginal_credit(
    left: Sequence[str], right: Sequence[str], shown: Sequence[str], clicked: set[str]
) -> float:
    """Go through all assignments of places to rankings."""
    by_left = []
    for place, document in enumerate(shown):
        ours, theirs = (chances_left(ranking, shown[:place], 3.0)[document] for ranking in (left, right))
        by_left.append(ours / (ours + theirs))
    expected = 0.0
    for teams in product((0, 1), repeat=len(shown)):
        likely, lead = 1.0, 0
        for place, team in enumerate(teams):
            likely *= by_left[place] if team == 0 else 1.0 - by_left[place]
            if shown[place] in clicked:
                lead += 1 if team == 0 else -1
        expected += likely * (0.5 if lead == 0 else float(lead > 0))
    return expected


def plain_optimized(left: Sequence[str], right: Sequence[str], rng: Generator) -> tuple[str, ...]:
    """List what is allowed one by one, and solve the program with the solver's own settings."""
    lists: set[tuple[str, ...]] = {()}
    for _ in range(len({*left, *right})):
        lists = {
            (*shown, next(document for document in ranking if document not in shown))
            for shown in lists
            for ranking in (left, right)
            if not set(ranking) <= set(shown)
        }
    every = sorted(lists)
    credits = np.array([[right.index(d) - left.index(d) for d in shown] for shown in every], float)
    looks = 1.0 / np.arange(1, credits.shape[1] + 1)
    told = np.zeros(len(every))
    for number, row in enumerate(credits):
        ours, theirs = looks[row > 0].sum(), looks[row < 0].sum()
        for share in (ours, theirs):
            if share > 0:
                told[number] -= share / looks.sum() * np.log2(share / (ours + theirs))
    tops = np.cumsum(credits, axis=1).T
    solution = linprog(
        -told, A_eq=np.vstack([tops, np.ones(len(every))]), b_eq=np.append(np.zeros(len(tops)), 1.0)
    )
    chances = np.asarray(solution.x)
    return every[int(rng.choice(len(every), p=chances / chances.sum()))]
