"""What every way of multileaving does around its kernels."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.interleaving.multileave.shown import (
    ShownMany,
    as_rankings,
    lay_out_many,
    number_documents,
    read_page,
)
from duelist.interleaving.page import Page, draft_many, settle_many
from duelist.interleaving.shown import places_clicked
from duelist.kernels.compile import compiled

CLOSE = 1e-9
"""Credits that differ by less, relative to the largest, differ by rounding."""


@compiled
def fill_page(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill a page from where it stands to its end."""
    draft_many(rules, rankings, page, rng)


@compiled
def count_credits(
    rules: Any, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Write each ranking's credit."""
    settle_many(rules, rankings, page, clicked, credits)


class Multileaving(ABC):
    """What the ways of multileaving share; use one of those."""

    @abstractmethod
    def rules(self) -> Any:
        """Return what the kernels need to know."""

    def interleave(
        self,
        rankings: Iterable[Iterable[Hashable]],
        rng: Generator,
        length: int | None = None,
        after: ShownMany | None = None,
    ) -> ShownMany:
        """Return one list of several rankings.

        Parameters
        ----------
        rankings : iterable of iterables
            The rankings, best document first; they may differ in length and in documents.
        rng : numpy.random.Generator
            Where the draws come from.
        length : int, optional
            How many documents to show in all; unless told, all there are.
        after : ShownMany, optional
            What was shown of the same rankings before: the result starts with it and continues it.
        """
        distinct = as_rankings(rankings)
        if after is not None and after.rankings != distinct:
            raise ParameterError(
                "after must be a list made of the same rankings; interleave other rankings from their top."
            )
        numbered = number_documents(distinct)
        page = lay_out_many(numbered, length, after)
        fill_page(self.rules(), numbered.rows, page, rng)
        return read_page(page, numbered, distinct)

    def credit(self, shown: ShownMany, clicked: Iterable[Hashable]) -> FloatArray:
        """Return each ranking's credit for clicks on documents; the more the better."""
        flags = places_clicked(shown.documents, clicked)
        numbered = number_documents(shown.rankings)
        page = lay_out_many(numbered, len(flags), shown)
        credits = np.zeros(len(shown.rankings))
        count_credits(self.rules(), numbered.rows, page, np.array(flags, np.bool_), credits)
        return credits

    def preferences(self, shown: ShownMany, clicked: Iterable[Hashable]) -> FloatArray:
        """Return who beats whom: in row i, column j, 1 if i has more credit than j, 0 if less, 0.5 a tie."""
        credits = self.credit(shown, clicked)
        leads = credits[:, None] - credits[None, :]
        leads[np.abs(leads) <= CLOSE * np.abs(credits).max()] = 0.0
        return np.asarray(0.5 + 0.5 * np.sign(leads), dtype=np.float64)
