"""Wrong filters, played duel by duel and round by round, and the verdicts that find them out."""

from math import log
from typing import NamedTuple

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from duelist.duel import FloatArray
from duelist.laboratory import Arrays, ItemResults, PieceResult, Scale, Sources, agrees
from duelist_reproductions.yue2012 import PAPER
from duelist_reproductions.yue2012.expectations import expect
from duelist_reproductions.yue2012.readings import regret_of
from duelist_reproductions.yue2012.theory_verdicts import find_exact_matches, find_full_matches, find_regret

K, RUNS, HORIZON, EPSILON = 8, 500, 100, 0.2
LONGEST = 2_000
"""No match lasts longer."""
CLAIMS = PAPER.expected["theorems"]["claims"]


class Filter(NamedTuple):
    """Interleaved Filter, or a wrong one."""

    delta: float = 1.0 / (HORIZON * K**2)
    ahead: float = 0.5  # of which share of its duels the incumbent must have won to prune an arm
    old_stays: bool = False  # a beaten incumbent goes back to those it may meet again


def play(filtered: Filter, prunes: bool, rng: Generator) -> tuple[int, int, int, float]:
    """Return the rounds, matches, duels and regret of one run on the worst case; arm 0 is the best."""
    incumbent, *others = rng.permutation(K)
    arms = np.array(others)
    rounds, matches, duels, regret = 1, 0, 0, 0.0
    turn = np.arange(1, LONGEST + 1)
    radius = np.sqrt(4.0 * log(1.0 / filtered.delta) * turn)
    while len(arms) > 0:
        chance = np.where(arms > incumbent, 0.5 + EPSILON, 0.5 - EPSILON)
        wins = (rng.random((len(arms), LONGEST)) < chance[:, np.newaxis]).cumsum(axis=1)
        length = (np.abs(wins - turn / 2.0) >= radius).argmax(axis=1) + 1
        beaten = wins[np.arange(len(arms)), length - 1] > length / 2.0
        end = length[~beaten].min() if not beaten.all() else length.max()
        played = np.minimum(length, end)
        matches, duels = matches + len(arms), duels + int(played.sum())
        regret += EPSILON / 2.0 * float((played * ((arms > 0).astype(int) + int(incumbent > 0))).sum())
        gone = beaten & (length <= end)
        if not beaten.all():
            if prunes:
                gone |= wins[:, end - 1] > filtered.ahead * end
            rounds += 1
            old, incumbent = incumbent, arms[~beaten & (length == end)][0]
            arms = arms[~gone & (arms != incumbent)]
            arms = np.append(arms, old) if filtered.old_stays else arms
        else:
            arms = arms[~gone]
    return rounds, matches, duels, regret


def play_runs(filtered: Filter) -> Arrays:
    found: dict[str, FloatArray] = {}
    for name, prunes in (("if1", False), ("if2", True)):
        rounds, matches, duels, regret = np.array(
            [play(filtered, prunes, default_rng((run, prunes))) for run in range(RUNS)]
        ).T
        found |= {f"{name}_rounds": rounds, f"{name}_matches": matches, f"{name}_duels": duels}
        found[f"{name}_regret"] = np.column_stack([regret, regret])
    return found | {"lower_bound": np.ones(1)}


def failing(filtered: Filter) -> set[str]:
    exact = expect(Sources(None), sizes=[K], horizon=HORIZON, epsilon=EPSILON)
    found = {
        "expectations": PieceResult({"sizes": [K], "epsilon": EPSILON}, exact),
        f"k={K}": PieceResult({"k": K}, play_runs(filtered)),
    }
    results = ItemResults(Scale.QUICK, real=True, found=found)
    rounds, matches, duels = (
        {(name, K): results.stacked(f"{name}_{what}", k=K) for name in ("if1", "if2")}
        for what in ("rounds", "matches", "duels")
    )
    regret = {(name, K): regret_of(results, name, k=K) for name in ("if1", "if2")}
    findings = {"full_matches": find_full_matches(results, rounds, duels)}
    findings["exact_matches"] = find_exact_matches(matches)
    findings["exact_regret"] = find_regret(results, matches, regret, 4.0)["exact_regret"]
    return {claim for claim, one in findings.items() if not agrees(CLAIMS[claim], one.value)}


def test_the_right_filters_are_not_doubted() -> None:
    assert failing(Filter()) == set()


@pytest.mark.parametrize(
    ("filtered", "found_out"),
    [
        (Filter(delta=1.0 / (4 * HORIZON)), {"full_matches", "exact_regret"}),
        (Filter(ahead=0.5 + EPSILON), {"exact_matches"}),
        (Filter(old_stays=True), {"exact_matches"}),
    ],
    ids=["a delta that ignores K", "prunes half of what it should", "old incumbents stay"],
)
def test_wrong_filters_are_found_out(filtered: Filter, found_out: set[str]) -> None:
    assert failing(filtered) >= found_out
