"""Many pages at a time, drawn by the compiled kernels."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from interleaving.obvious import List, Lists
from interleaving.pages import as_rows
from numpy.random import Generator
from scipy.stats import chisquare

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving import Shown
from duelist.interleaving.page import Page, draft, outcome_of, page_buffer, settle, settle_page, wipe
from duelist.kernels.compile import compiled

STEEP = np.array([0.9, 0.6, 0.5, 0.3, 0.2, 0.1, 0.05, 0.05])
"""Chances to click on places that fall quickly."""
EVEN = np.full(8, 0.4)


def documents_of(left: Sequence[int], right: Sequence[int]) -> int:
    return len(set(left) | set(right))


@compiled
def draw_pages(
    rules: Any, rankings: IntArray, short: Page, page: Page, rows: IntArray, rng: Generator
) -> None:
    """Write the documents and teams of many lists, one a row, each drawn first on a short page, then on."""
    for row in range(len(rows)):
        wipe(short)
        wipe(page)
        draft(rules, rankings, short, rng)
        for place in range(short.shown[0]):
            page.documents[place] = short.documents[place]
            page.teams[place] = short.teams[place]
            page.propensities[place] = short.propensities[place]
            page.taken[short.documents[place]] = True
        page.shown[0] = short.shown[0]
        draft(rules, rankings, page, rng)
        for place in range(page.shown[0]):
            rows[row, 0, place] = page.documents[place]
            rows[row, 1, place] = page.teams[place]


def draw_lists(
    rules: Any, left: Sequence[int], right: Sequence[int], length: int, cut: int, times: int = 60_000
) -> Counter[List]:
    """How often each list is drawn, in two steps if it is cut."""
    count = documents_of(left, right)
    rows = np.zeros((times, 2, length), np.int64)
    short, page = page_buffer(cut, count), page_buffer(length, count)
    draw_pages(rules, as_rows([left, right]), short, page, rows, np.random.default_rng(7))
    # a number for each list, because numbers are sorted much sooner than rows
    numbers = (rows.reshape(times, -1) + 1) @ (count + 1) ** np.arange(2 * length)
    _, places, often = np.unique(numbers, return_index=True, return_counts=True)
    return Counter(
        {
            (tuple(documents), tuple(teams)): int(number)
            for (documents, teams), number in zip(rows[places].tolist(), often, strict=True)
        }
    )


def assert_drawn_as_often(drawn: Counter[List], expected: Lists) -> None:
    """Lists come as often as they should; the rarest are taken together."""
    assert set(drawn) <= set(expected)
    times = drawn.total()
    common = [shown for shown, chance in expected.items() if chance * times >= 10]
    seen = [float(drawn[shown]) for shown in common]
    due = [float(expected[shown] * times) for shown in common]
    if times - sum(due) > 1:
        seen.append(times - sum(seen))
        due.append(times - sum(due))
    if len(due) > 1:
        assert chisquare(seen, due).pvalue > 1e-3


@compiled
def mean_outcomes(
    all_rules: Any,
    rankings: IntArray,
    page: Page,
    chances: FloatArray,
    clicked: BoolArray,
    times: int,
    rng: Generator,
) -> FloatArray:
    """Return sums and sums of squares of outcomes, by rules and by kind of clicks, which take turns."""
    sums = np.zeros((2, len(all_rules), len(chances)))
    credits = np.zeros(2)
    for impression in range(times):
        kind = impression % len(chances)
        wipe(page)
        draft(all_rules[0], rankings, page, rng)
        for place in range(page.shown[0]):
            clicked[place] = rng.random() < chances[kind, place]
        for counting in range(len(all_rules)):
            settle(all_rules[counting], rankings, page, clicked, credits)
            outcome = outcome_of(credits[0], credits[1])
            sums[0, counting, kind] += outcome
            sums[1, counting, kind] += outcome**2
    return sums


def kernel_page(shown: Shown) -> tuple[IntArray, Page]:
    """What the kernels are given for a list of numbers."""
    rankings = as_rows(shown.rankings)
    page = page_buffer(len(shown.documents), max(rankings.max(initial=-1), -1) + 1)
    page.documents[:], page.teams[:], page.propensities[:] = shown[:3]
    page.taken[page.documents] = True
    page.shown[0] = len(shown.documents)
    return rankings, page


def settle_two(rules: Any, rankings: IntArray, page: Page, clicked: BoolArray) -> float:
    credits = np.full(2, np.nan)
    settle_page(rules, rankings, page, clicked, credits)
    return outcome_of(*credits.tolist())
