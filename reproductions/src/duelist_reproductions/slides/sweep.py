"""The runs: six rankers of known order, each pair interleaved for months."""

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng

from duelist import clicks
from duelist.duel import LEFT_WINS, TIE, IntArray
from duelist.interleaving import Balanced
from duelist.interleaving.analysis import AnytimeTest
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, chunks, grid, settings
from duelist.problems import RankerDuel
from duelist.ranking import RankingData, synthetic_ranking_data
from duelist.ranking.corpus import corpus_of
from duelist.simulation.arguments import as_checkpoints
from duelist_reproductions.slides.degraded import SHOWN, TOP, degraded_rankers, long_enough
from duelist_reproductions.slides.exact import outcome_chances
from duelist_reproductions.slides.months import Month, new_month, watch

FILES = tuple(f"mq2008/S{part}.txt" for part in range(1, 6))

PAIRS = tuple(combinations(range(TOP + 1), 2))
"""Pairs of left and right rankers; the expected winner is on the left."""

LEVEL = 0.05 / len(PAIRS)
"""Level of the test of each pair, so that all of them together err with a chance of at most 5%."""

BLIND = (0.3, 0.5)
"""Blind users: the chance of a click on each document, and of leaving after a click."""

MARKS = (100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000)
"""Checkpoints of a month in impressions: the slides do not say how many theirs had."""


SETTINGS = settings(
    files=(2, 5),  # number of the five parts of the data to read
    months=(2, 20),
    together=(2, 5),  # months per piece
)


@cache
def duels(sources: Sources, files: int, sighted: bool) -> RankerDuel:
    """Return the six rankers on real or made-up queries, for sighted or blind users."""
    data = long_enough(documents(sources, files))
    grades = data.grades
    click, leave = BLIND
    blind = clicks.cascade([click] * grades, [leave] * grades, "blind")
    people = clicks.informational(grades) if sighted else blind
    rankers = degraded_rankers(data)
    return RankerDuel(data, rankers, Balanced(), people, SHOWN)


@cache
def documents(sources: Sources, files: int) -> RankingData:
    """Return the queries, or made-up ones without data."""
    if sources.real:
        return sources.documents(*FILES[:files])
    return synthetic_ranking_data(queries=80 * files, documents=30)


def expect(sources: Sources, *, files: int) -> Arrays:
    """Compute the exact chances that either side of a pair wins: one row for sighted, one for blind users."""
    chances = np.empty((2, len(PAIRS), 2))
    for row, sighted in enumerate((True, False)):
        problem = duels(sources, files, sighted)
        chances[row] = [outcome_chances(problem, *pair, SHOWN) for pair in PAIRS]
    return {"win": chances[:, :, 0], "loss": chances[:, :, 1]}


def interleave(
    sources: Sources, *, files: int, impressions: int, sighted: bool, first: int, months: int
) -> Arrays:
    """Interleave every pair for some months, each with its own random stream; one row per month and pair."""
    problem = duels(sources, files, sighted)
    corpus, contest = corpus_of(problem.data, SHOWN), problem.contest()
    marks = as_checkpoints([mark for mark in MARKS if mark <= impressions], impressions)
    found = []
    for month in range(first, first + months):
        for pair in PAIRS:
            record = new_month(impressions)
            watch(contest, corpus, *pair, TOP, record, rng_for(sighted, month, pair))
            found.append(counted(record, marks))
    shape = (months, len(PAIRS))
    each = {name: np.array([one[name] for one in found]) for name in found[0]}
    stacked = {name: values.reshape(*shape, *values.shape[1:]) for name, values in each.items()}
    return {"impressions": marks, "truth": problem.quality, **stacked}


def counted(month: Month, marks: IntArray) -> dict[str, Any]:
    """Return the stored measurements of a month of one pair."""
    stopped = AnytimeTest(1.0 - LEVEL).path(month.outcomes).decided_at
    return {
        "wins": (month.outcomes == LEFT_WINS).cumsum()[marks - 1],
        "losses": (month.outcomes < TIE).cumsum()[marks - 1],
        "quality": month.quality / month.judged[0],
        "without": month.without[0],
        "uneven": month.uneven[0],
        "decided": np.nan if stopped is None else float(stopped),
    }


def rng_for(sighted: bool, month: int, pair: tuple[int, int]) -> np.random.Generator:
    return default_rng(SeedSequence(month, spawn_key=(int(sighted), *pair)))


def plan(results: ItemResults) -> list[Piece]:
    """Return the pieces: exact chances, and months of both kinds of users."""
    setting = SETTINGS[results.scale]
    over = {"sighted": (True, False), ("first", "months"): chunks(setting.months, setting.together)}
    months = grid(interleave, over, {"files": setting.files, "impressions": MARKS[-1]})
    return [Piece("exact", expect, {"files": setting.files}, cost=0.1), *months]
