"""The properties of every method that compiled loops rely on."""

from typing import Any

import numpy as np
import pytest
from interleaving.drafts import settle_two
from interleaving.pages import as_rows

from duelist.interleaving import Balanced, Optimized, Probabilistic, TeamDraft
from duelist.interleaving.page import draft, draft_page, page_buffer, wipe
from duelist.kernels.compile import OVERLOADS

METHODS = [Balanced(), TeamDraft(), Probabilistic()]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_a_page_may_be_longer_than_the_rankings_and_be_used_again(method: Any) -> None:
    rankings = as_rows([[7, 2, 5], [5, 9]])
    page = page_buffer(8, 12)
    rng = np.random.default_rng(1)
    for _ in range(3):
        wipe(page)
        assert not page.taken.any()
        draft_page(method.rules(), rankings, page, rng)
        assert page.shown[0] == 4
        assert sorted(page.documents[:4]) == [2, 5, 7, 9]
        assert np.flatnonzero(page.taken).tolist() == [2, 5, 7, 9]
        clicked = np.array([document == 7 for document in page.documents])
        # the left ranking alone has it, at its top; far down it may be nobody's
        assert settle_two(method.rules(), rankings, page, clicked) in (0.5, 1.0)
        assert settle_two(method.rules(), rankings, page, np.zeros(8, np.bool_)) == 0.5
    page = page_buffer(0, 12)
    draft_page(method.rules(), rankings, page, rng)
    assert page.shown[0] == 0


def test_optimized_has_no_compiled_way() -> None:
    kinds = OVERLOADS[draft]
    assert type(TeamDraft().rules()) in kinds
    assert type(Optimized().rules()) not in kinds
