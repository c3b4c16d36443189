"""How many lists a second are made of two rankings, and how many clicked ones are read.

What is called from Python returns teams, chances and rankings too, and refuses what is wrong; the plain
versions do not.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.plain_interleaving import (
    plain_balanced,
    plain_marginal_credit,
    plain_optimized,
    plain_probabilistic,
    plain_team_credit,
    plain_team_draft,
)
from benchmarks.table import Figure, seconds
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving import Balanced, Optimized, Probabilistic, TeamDraft
from duelist.interleaving.optimized import plan
from duelist.interleaving.page import Page, draft, page_buffer, settle, wipe
from duelist.kernels.compile import compiled

PLAIN: dict[Any, Callable[..., object]] = {
    TeamDraft: plain_team_draft,
    Balanced: plain_balanced,
    Probabilistic: plain_probabilistic,
}


@compiled
def draft_again(rules: Any, rankings: IntArray, page: Page, times: int, rng: Generator) -> None:
    for _ in range(times):
        wipe(page)
        draft(rules, rankings, page, rng)


@compiled
def settle_again(
    rules: Any, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray, times: int
) -> None:
    for _ in range(times):
        settle(rules, rankings, page, clicked, credits)


def fastest(work: Callable[[], object], times: int, tries: int = 7) -> float:
    """The seconds one of many calls takes, in the best of some tries."""
    return min(seconds(lambda: [work() for _ in range(times)]) for _ in range(tries)) / times


def two_rankings(count: int, rng: Generator) -> IntArray:
    return np.stack([rng.permutation(count), rng.permutation(count)])


def named(ranking: IntArray) -> list[str]:
    return [f"document {number}" for number in ranking]


def figure(what: str, target: float, ours: float, theirs: float, against: str) -> Figure:
    return Figure(
        f"{what} (target {target:,.0f}/s)",
        f"{1 / ours:,.0f}/s",
        f"{1 / theirs:,.0f}/s",
        against,
        theirs / ours,
    )


def drafted(method: Any, count: int, room: int, target: float) -> Figure:
    rng = np.random.default_rng(1)
    rankings = two_rankings(count, rng)
    page = page_buffer(room, count)
    times = 20_000 // count
    draft_again(method.rules(), rankings, page, 1, rng)
    ours = fastest(lambda: draft_again(method.rules(), rankings, page, times, rng), 1, tries=50) / times
    names = [*map(named, rankings)]
    theirs = fastest(lambda: PLAIN[type(method)](*names, rng), max(1, 300 // count), tries=3)
    shown = "" if room == count else f", {room} shown"
    return figure(
        f"{type(method).__name__}, compiled, {count} documents{shown}: lists",
        target,
        ours,
        theirs,
        "plain Python, all shown",
    )


def called(method: Any, count: int, target: float) -> Figure:
    rng = np.random.default_rng(2)
    left, right = map(named, two_rankings(count, rng))
    method.interleave([left, right], rng)
    ours = fastest(lambda: method.interleave([left, right], rng), 2000 // count, tries=200)
    theirs = fastest(lambda: PLAIN[type(method)](left, right, rng), max(1, 1000 // count), tries=20)
    what = f"{type(method).__name__}, called from Python, {count} documents: lists"
    return figure(what, target, ours, theirs, "plain Python, documents alone")


def credited(count: int, target: float) -> Figure:
    rng = np.random.default_rng(3)
    rankings = two_rankings(count, rng)
    page = page_buffer(count, count)
    rules = Probabilistic().rules()
    draft_again(rules, rankings, page, 1, rng)
    clicked, credits = np.ones(count, np.bool_), np.zeros(2)
    times = 20_000 // count
    settle_again(rules, rankings, page, clicked, credits, 1)
    ours = fastest(lambda: settle_again(rules, rankings, page, clicked, credits, times), 1, tries=50) / times
    few = min(count, 10)
    names = named(np.arange(few)), named(np.arange(few)[::-1])
    theirs = fastest(lambda: plain_marginal_credit(*names, names[0], set(names[0])), 1, tries=3)
    against = "plain Python, all assignments" + ("" if few == count else f" of {few} documents")
    return figure(
        f"Probabilistic, compiled, {count} documents, all clicked: credits", target, ours, theirs, against
    )


def credited_from_python(target: float) -> Figure:
    rng = np.random.default_rng(4)
    left, right = map(named, two_rankings(10, rng))
    method = Probabilistic()
    shown = method.interleave([left, right], rng)
    ours = fastest(lambda: method.credit(shown, left), 200, tries=50)
    documents = [str(document) for document in shown.documents]
    theirs = fastest(lambda: plain_marginal_credit(left, right, documents, set(left)), 1, tries=3)
    return figure(
        "Probabilistic, called from Python, 10 documents, all clicked: credits",
        target,
        ours,
        theirs,
        "plain Python, all assignments",
    )


def team_credited(clicks: int, target: float) -> Figure:
    rng = np.random.default_rng(6)
    method = TeamDraft()
    left, right = map(named, two_rankings(100, rng))
    shown = method.interleave([left, right], rng)
    documents = [str(document) for document in shown.documents]
    clicked = documents[50 // clicks :: 100 // clicks][:clicks]
    # by turns, so that what else the machine does hits both
    pairs = [
        (
            fastest(lambda: method.credit(shown, clicked), 300, tries=1),
            fastest(lambda: plain_team_credit(documents, shown.teams, clicked), 300, tries=1),
        )
        for _ in range(50)
    ]
    ours, theirs = map(min, zip(*pairs, strict=True))
    return figure(
        f"TeamDraft, called from Python, 100 documents, {clicks} clicked: credits",
        target,
        ours,
        theirs,
        "a loop over the clicks",
    )


def planned(target: float) -> Figure:
    rng = np.random.default_rng(5)
    pairs = [tuple(map(named, two_rankings(10, rng))) for _ in range(10)]
    method = Optimized()

    def ours() -> None:
        plan.cache_clear()
        for left, right in pairs:
            method.interleave([left, right], rng)

    def theirs() -> None:
        for left, right in pairs:
            plain_optimized(left, right, rng)

    return figure(
        "Optimized, a new pair of 10 documents: lists",
        target,
        fastest(ours, 1) / len(pairs),
        fastest(theirs, 1, tries=3) / len(pairs),
        "plain Python and SciPy's linprog as it is",
    )


def figures() -> list[Figure]:
    return [
        drafted(TeamDraft(), 10, 10, 1_000_000),
        drafted(TeamDraft(), 100, 100, 100_000),
        drafted(Balanced(), 10, 10, 2_000_000),
        drafted(Balanced(), 100, 100, 200_000),
        drafted(Probabilistic(), 10, 10, 500_000),
        drafted(Probabilistic(), 100, 100, 30_000),
        drafted(Probabilistic(), 1000, 10, 66_667),
        credited(10, 50_000),
        credited(100, 1_000),
        called(TeamDraft(), 10, 13_500),
        called(TeamDraft(), 100, 5_200),
        called(Balanced(), 10, 266_000),
        called(Balanced(), 100, 14_000),
        called(Probabilistic(), 10, 13_500),
        called(Probabilistic(), 100, 1_250),
        credited_from_python(44),
        team_credited(1, 100_000),
        team_credited(3, 100_000),
        team_credited(10, 100_000),
        team_credited(100, 50_000),
        planned(55),
    ]
