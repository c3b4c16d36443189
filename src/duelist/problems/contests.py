"""Two rankers meet on a page, as kernels see it: a fresh query, an interleaved list, clicks, an outcome."""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.clicks.user import User, click_through
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving.page import Page, draft, room_for_page, settle, wipe
from duelist.kernels.compile import compiled


class Audience(NamedTuple):
    """Those who read pages, how pages are made for them, and a page to do it on."""

    interleaving: Any  # the rules of a method
    user: User
    page: Page
    grades: IntArray  # of the documents on the page
    clicked: BoolArray


class Contest(NamedTuple):
    """Every ranker's list for every query, and how relevant the documents are."""

    orders: IntArray  # [ranker, row]: a query's documents in the ranker's order, numbered from 0
    labels: IntArray
    offsets: IntArray
    audience: Audience


def gather(interleaving: Any, user: User, length: int, documents: int) -> Audience:
    """Return an audience for lists of a length, from queries of at most so many documents."""
    return Audience(
        interleaving=interleaving.rules(),
        user=user,
        page=room_for_page(length, documents),
        grades=np.empty(length, np.int64),
        clicked=np.empty(length, np.bool_),
    )


@compiled
def ask_audience(
    audience: Audience, labels: IntArray, first: int, left: IntArray, right: IntArray, world_rng: Generator
) -> float:
    """Return who wins when two lists of a query, whose documents start at row `first`, are interleaved."""
    page = audience.page
    wipe(page)
    draft(audience.interleaving, left, right, page, world_rng)
    shown = page.shown[0]
    for place in range(shown):
        audience.grades[place] = labels[first + page.documents[place]]
    click_through(audience.user, audience.grades, shown, audience.clicked, world_rng)
    return settle(audience.interleaving, left, right, page, audience.clicked[:shown])


@compiled
def meet(contest: Contest, left: int, right: int, world_rng: Generator) -> float:
    """Return who wins on a query drawn at random."""
    query = int(world_rng.random() * (len(contest.offsets) - 1))
    first, stop = contest.offsets[query], contest.offsets[query + 1]
    return ask_audience(
        contest.audience,
        contest.labels,
        first,
        contest.orders[left, first:stop],
        contest.orders[right, first:stop],
        world_rng,
    )


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
    """Let two rankers meet so many times, and write what each wins, a tie being half a win for either."""
    for _ in range(times):
        if halt[0]:
            return
        outcome = meet(contest, left, right, world_rng)
        wins[left, right] += outcome
        wins[right, left] += 1.0 - outcome
