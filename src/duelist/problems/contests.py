"""Two rankers meet on a page, as kernels see it: a fresh query, an interleaved list, clicks, an outcome."""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.clicks.user import click_through
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving.page import Page, draft, room_for_page, settle, wipe
from duelist.kernels.compile import compiled


class Display(NamedTuple):
    """How two lists become one page, who clicks on it, and room for the page."""

    interleaving: Any  # the rules of a method
    user: Any  # a click model, as kernels see it
    page: Page
    grades: IntArray  # of the documents on the page
    clicked: BoolArray


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
        page=room_for_page(length, documents),
        grades=np.empty(length, np.int64),
        clicked=np.empty(length, np.bool_),
    )


@compiled
def compare_lists(
    display: Display, labels: IntArray, first: int, left: IntArray, right: IntArray, world_rng: Generator
) -> float:
    """Return who wins when two lists of a query, whose documents start at row `first`, are interleaved."""
    page = display.page
    wipe(page)
    draft(display.interleaving, left, right, page, world_rng)
    shown = page.shown[0]
    for place in range(shown):
        display.grades[place] = labels[first + page.documents[place]]
    click_through(display.user, display.grades, shown, display.clicked, world_rng)
    return settle(display.interleaving, left, right, page, display.clicked[:shown])


@compiled
def meet(contest: Contest, left: int, right: int, world_rng: Generator) -> float:
    """Return who wins on a query drawn at random."""
    return meet_on(contest, int(world_rng.random() * (len(contest.offsets) - 1)), left, right, world_rng)


@compiled
def meet_on(contest: Contest, query: int, left: int, right: int, world_rng: Generator) -> float:
    """Return who wins on a query."""
    first, stop = contest.offsets[query], contest.offsets[query + 1]
    one, other = contest.orders[left, first:stop], contest.orders[right, first:stop]
    return compare_lists(contest.display, contest.labels, first, one, other, world_rng)


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
