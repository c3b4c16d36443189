"""Duels of rankers: a random query, an interleaved list, clicks, an outcome."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from duelist.clicks.user import click_through
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.interleaving.page import Page, draft, outcome_of, page_buffer, settle, wipe
from duelist.kernels.compile import compiled
from duelist.ranking import RankingData
from duelist.text import counted


class Display(NamedTuple):
    """The interleaving method, the click model, and the buffers for a page."""

    interleaving: Any  # the rules of a method
    user: Any  # a click model, as kernels see it
    page: Page
    grades: IntArray  # of the documents on the page
    clicked: BoolArray
    credits: FloatArray


class Contest(NamedTuple):
    """Each ranker's list for each query, and the relevance labels."""

    orders: IntArray  # [ranker, row]: each query's documents in the ranker's order, numbered from 0
    labels: IntArray
    offsets: IntArray
    display: Display


def new_display(interleaving: Any, user: Any, length: int, documents: int) -> Display:
    """Allocate buffers for pages of this length, for queries of at most `documents` documents."""
    return Display(
        interleaving=interleaving.rules(),
        user=user,
        page=page_buffer(length, documents),
        grades=np.empty(length, np.int64),
        clicked=np.empty(length, np.bool_),
        credits=np.empty(2),
    )


@compiled
def compare_lists(
    display: Display, labels: IntArray, first: int, rankings: IntArray, world_rng: Generator
) -> float:
    """Interleave two lists of a query, whose documents start at row `first`, and return the outcome."""
    page = display.page
    wipe(page)
    draft(display.interleaving, rankings, page, world_rng)
    shown = page.shown[0]
    for place in range(shown):
        display.grades[place] = labels[first + page.documents[place]]
    click_through(display.user, display.grades, shown, display.clicked, world_rng)
    credits = display.credits
    settle(display.interleaving, rankings, page, display.clicked[:shown], credits)
    return outcome_of(credits[0], credits[1])


@compiled
def meet(contest: Contest, left: int, right: int, world_rng: Generator) -> float:
    """Return the outcome on a random query."""
    return meet_on(contest, int(world_rng.random() * (len(contest.offsets) - 1)), left, right, world_rng)


@compiled
def meet_on(contest: Contest, query: int, left: int, right: int, world_rng: Generator) -> float:
    first, stop = contest.offsets[query], contest.offsets[query + 1]
    rankings = contest.orders[left :: right - left][:2, first:stop]  # both rankers', in this order
    return compare_lists(contest.display, contest.labels, first, rankings, world_rng)


@compiled
def meet_often(
    contest: Contest,
    left: int,
    right: int,
    times: int,
    wins: FloatArray,
    world_rng: Generator,
    halt: BoolArray,
) -> None:
    """Play `times` duels of two rankers and add up their wins; a tie is half a win for both."""
    for _ in range(times):
        if halt[0]:
            return
        outcome = meet(contest, left, right, world_rng)
        wins[left, right] += outcome
        wins[right, left] += 1.0 - outcome


def scores_of(ranker: Any, data: RankingData) -> FloatArray:
    """Return a ranker's score for every document.

    A ranker is a feature's index, the weights of all features, or an object with a `score` method.
    """
    if hasattr(ranker, "score"):
        scores = np.asarray(ranker.score(data), np.float64)
    elif isinstance(ranker, int | np.integer):
        if not 0 <= ranker < data.d:
            raise ParameterError(f"ranker {ranker!r} is not a feature; the data has 0 to {data.d - 1}.")
        scores = data.features[:, ranker].astype(np.float64)
    else:
        weights = np.asarray(ranker, np.float64)
        if weights.shape != (data.d,):
            raise ParameterError(
                f"a ranker must be a feature's index, {counted(data.d, 'weight')}, or an object with "
                f"score(data); got {ranker!r}."
            )
        scores = data.features @ weights
    if scores.shape != data.labels.shape or not np.isfinite(scores).all():
        raise ParameterError(f"ranker {ranker!r} must return one finite score per document.")
    return scores


def orders_of(rankers: Sequence[Any], data: RankingData, seed: int) -> IntArray:
    """Return each ranker's order of each query's documents, numbered from 0 within the query.

    Equal scores are broken by one random permutation, the same for all rankers.
    """
    query = np.repeat(np.arange(len(data)), np.diff(data.offsets))
    tie_breaks = default_rng(seed).permutation(len(data.labels))
    orders = np.empty((len(rankers), len(data.labels)), np.int64)
    for row, ranker in zip(orders, rankers, strict=True):
        row[:] = np.lexsort((tie_breaks, -scores_of(ranker, data), query))
    orders -= data.offsets[query]
    return orders


def names_of(rankers: Sequence[Any]) -> tuple[str, ...]:
    """Return default names: "feature i", a model's `name`, or "ranker i"."""
    names = []
    for number, ranker in enumerate(rankers):
        if isinstance(ranker, int | np.integer):
            names.append(f"feature {ranker}")
        else:
            names.append(str(getattr(ranker, "name", "") or f"ranker {number}"))
    return tuple(names)
