"""Pages for the kernels of multileaving, one or many at a time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.stats import chisquare

from duelist.clicks.user import User, click_through
from duelist.duel import FloatArray, IntArray
from duelist.interleaving.page import Page, draft, draft_page, page_buffer, settle, settle_page, wipe
from duelist.kernels.compile import compiled

Rankings: TypeAlias = Sequence[Sequence[int]]
Shown: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]

CARELESS = User(
    attraction=np.full(3, 0.6), examination=np.linspace(1.0, 0.2, 6)[:, None], stop=np.full((1, 3), 0.2)
)
"""Clicks more on high places, whatever they show."""

CASCADE = User(
    attraction=np.array([0.1, 0.5, 0.9]), examination=np.ones((1, 1)), stop=np.array([[0.2, 0.5, 0.9]])
)
"""Reads from the top, clicks on what is good, and leaves when it was."""


def as_rows(rankings: Rankings) -> IntArray:
    rows = np.full((len(rankings), max(map(len, rankings))), -1)
    for row, ranking in zip(rows, rankings, strict=True):
        row[: len(ranking)] = ranking
    return rows


@compiled
def show_to_many(
    rules: Any,
    rankings: IntArray,
    grades: IntArray,
    user: User,
    page: Page,
    totals: FloatArray,
    squares: FloatArray,
    times: int,
    rng: Generator,
) -> None:
    """Add up the credits and their squares of many impressions."""
    clicked = np.zeros(len(page.documents), np.bool_)
    shown_grades = np.zeros(len(page.documents), np.int64)
    credits = np.zeros(len(rankings))
    for _ in range(times):
        wipe(page)
        draft(rules, rankings, page, rng)
        for place in range(page.shown[0]):
            shown_grades[place] = grades[page.documents[place]]
        click_through(user, shown_grades, page.shown[0], clicked, rng)
        settle(rules, rankings, page, clicked, credits)
        mean = credits.mean()
        for ranking in range(len(credits)):
            totals[ranking] += credits[ranking] - mean
            squares[ranking] += (credits[ranking] - mean) ** 2


def mean_advantages(
    rules: Any, rankings: Rankings, length: int, grades: ArrayLike, user: User, times: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Each ranking's credit beyond the mean of all, on average, and its standard error."""
    documents = 1 + max(max(ranking, default=0) for ranking in rankings)
    totals, squares = np.zeros(len(rankings)), np.zeros(len(rankings))
    page = page_buffer(length, documents)
    rng = np.random.default_rng(seed)
    show_to_many(
        rules, as_rows(rankings), np.asarray(grades, np.int64), user, page, totals, squares, times, rng
    )
    means = totals / times
    return means, np.sqrt((squares / times - means**2) / times)


def draw_lists(rules: Any, rankings: Rankings, length: int, times: int, seed: int) -> Counter[Shown]:
    rows = as_rows(rankings)
    page = page_buffer(length, int(rows.max()) + 1)
    rng = np.random.default_rng(seed)
    lists: Counter[Shown] = Counter()
    for _ in range(times):
        wipe(page)
        draft_page(rules, rows, page, rng)
        lists[shown_on(page)] += 1
    return lists


def shown_on(page: Page) -> Shown:
    shown = int(page.shown[0])
    return tuple(page.documents[:shown].tolist()), tuple(page.teams[:shown].tolist())


def credits_of(
    rules: Any,
    rankings: Rankings,
    shown: Shown,
    clicked: Sequence[int],
    propensities: Sequence[float] = (),
) -> FloatArray:
    """The credits for clicks on some places of a list."""
    rows = as_rows(rankings)
    documents, teams = shown
    page = page_buffer(len(documents), int(rows.max()) + 1)
    page.documents[:] = documents
    page.teams[:] = teams
    page.propensities[: len(propensities)] = propensities
    page.taken[list(documents)] = True
    page.shown[0] = len(documents)
    flags = np.zeros(len(documents), np.bool_)
    flags[list(clicked)] = True
    credits = np.full(len(rankings), np.nan)
    settle_page(rules, rows, page, flags, credits)
    return credits


def propensities_of(
    rules: Any, rankings: Rankings, length: int, times: int, seed: int
) -> dict[Shown, list[float]]:
    """The propensities of some lists."""
    rows = as_rows(rankings)
    page = page_buffer(length, int(rows.max()) + 1)
    rng = np.random.default_rng(seed)
    found = {}
    for _ in range(times):
        wipe(page)
        draft_page(rules, rows, page, rng)
        found[shown_on(page)] = page.propensities[: page.shown[0]].tolist()
    return found


def assert_drawn_as_often(drawn: Mapping[Shown, int], lists: Mapping[Shown, Fraction]) -> None:
    """No list that cannot be, and each as often as its chance says, by a chi-squared test."""
    assert sum(lists.values()) == 1
    assert set(drawn) <= set(lists)
    times = sum(drawn.values())
    expected = np.array([times * float(chance) for chance in lists.values()])
    counted = np.array([drawn.get(shown, 0) for shown in lists], np.float64)
    rare = expected < 10.0
    if rare.any():
        expected = np.append(expected[~rare], expected[rare].sum())
        counted = np.append(counted[~rare], counted[rare].sum())
    if len(expected) > 1:
        assert chisquare(counted, expected).pvalue > 1e-4
