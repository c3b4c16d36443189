"""The fairness of methods over many impressions with clicks that are independent of the documents."""

from typing import Any

import numpy as np
import pytest
from interleaving.drafts import EVEN, STEEP, documents_of, mean_outcomes
from interleaving.obvious import PAIRS
from interleaving.pages import as_rows

from duelist.interleaving import Balanced, Optimized, Probabilistic, TeamDraft
from duelist.interleaving.page import page_buffer

IMPRESSIONS = 200_000


@pytest.mark.parametrize("name", ["equal", "shifted", "disjoint", "unequal", "partly shared"])
@pytest.mark.parametrize("method", [TeamDraft, Probabilistic])
def test_neither_ranking_wins_more_often(method: Any, name: str) -> None:
    left, right = PAIRS[name]
    length = documents_of(left, right)
    sums = mean_outcomes(
        tuple(method(counting=counting).rules() for counting in method.fair),
        as_rows([left, right]),
        page_buffer(length, length),
        np.vstack([EVEN, STEEP]),
        np.zeros(length, np.bool_),
        IMPRESSIONS,
        np.random.default_rng(11),
    )
    means = 2 * sums[0] / IMPRESSIONS
    errors = np.sqrt((2 * sums[1] / IMPRESSIONS - means**2) * 2 / IMPRESSIONS)
    assert (np.abs(means - 0.5) <= 4 * errors + 1e-12).all(), (means, errors)


def test_who_promises_what() -> None:
    promised = {method.__name__: method.fair for method in (Balanced, Optimized, Probabilistic, TeamDraft)}
    assert promised == {
        "Balanced": (),
        "Optimized": (),
        "Probabilistic": ("all", "first"),
        "TeamDraft": ("all", "first", "unshared"),
    }
