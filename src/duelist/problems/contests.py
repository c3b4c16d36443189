"""Rankers, and how two of them meet on a page: a fresh query, an interleaved list, clicks, an outcome."""

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
    """How two lists become one page, who clicks on it, and room for the page."""

    interleaving: Any  # the rules of a method
    user: Any  # a click model, as kernels see it
    page: Page
    grades: IntArray  # of the documents on the page
    clicked: BoolArray
    credits: FloatArray


class Contest(NamedTuple):
    """Every ranker's list for every query, and how relevant the documents are."""

    orders: IntArray  # [ranker, row]: a query's documents in the ranker's order, numbered from 0
    labels: IntArray
    offsets: IntArray
    display: Display


def new_display(interleaving: Any, user: Any, length: int, documents: int) -> Display:
    """Return room for pages of a length, for queries of at most `documents` documents."""
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
    """Return who wins when two lists of a query, whose documents start at row `first`, are interleaved."""
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
    """Return who wins on a query drawn at random."""
    return meet_on(contest, int(world_rng.random() * (len(contest.offsets) - 1)), left, right, world_rng)


@compiled
def meet_on(contest: Contest, query: int, left: int, right: int, world_rng: Generator) -> float:
    """Return who wins on a query."""
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
    """Let two rankers meet `times` times, and add up what each wins; a tie is half a win for both."""
    for _ in range(times):
        if halt[0]:
            return
        outcome = meet(contest, left, right, world_rng)
        wins[left, right] += outcome
        wins[right, left] += 1.0 - outcome


def scores_of(ranker: Any, data: RankingData) -> FloatArray:
    """Return a ranker's score for every document.

    A ranker is the number of a feature, from 0; the weights of all features; or has a method `score`.
    """
    if hasattr(ranker, "score"):
        scores = np.asarray(ranker.score(data), np.float64)
    elif isinstance(ranker, int | np.integer):
        if not 0 <= ranker < data.d:
            raise ParameterError(f"ranker {ranker!r} is no feature; the data has 0 to {data.d - 1}.")
        scores = data.features[:, ranker].astype(np.float64)
    else:
        weights = np.asarray(ranker, np.float64)
        if weights.shape != (data.d,):
            raise ParameterError(
                f"a ranker must be a feature's number, {counted(data.d, 'weight')}, or have score(data); "
                f"got {ranker!r}."
            )
        scores = data.features @ weights
    if scores.shape != data.labels.shape or not np.isfinite(scores).all():
        raise ParameterError(f"ranker {ranker!r} must give every document a finite score.")
    return scores


def orders_of(rankers: Sequence[Any], data: RankingData, seed: int) -> IntArray:
    """Return every ranker's order of every query's documents, numbered from 0 in each query.

    Documents of equal score are put in an order drawn once, the same for all rankers.
    """
    query = np.repeat(np.arange(len(data)), np.diff(data.offsets))
    lots = default_rng(seed).permutation(len(data.labels))
    orders = np.empty((len(rankers), len(data.labels)), np.int64)
    for place, ranker in enumerate(rankers):
        orders[place] = np.lexsort((lots, -scores_of(ranker, data), query))
    orders -= data.offsets[query]
    return orders


def names_of(rankers: Sequence[Any]) -> tuple[str, ...]:
    """Return what to call rankers: a feature by its number, a model by its name, another by its place."""
    names = []
    for place, ranker in enumerate(rankers):
        if isinstance(ranker, int | np.integer):
            names.append(f"feature {ranker}")
        else:
            names.append(str(getattr(ranker, "name", "") or f"ranker {place}"))
    return tuple(names)
