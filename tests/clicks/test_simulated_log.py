from typing import Any

import numpy as np
import pytest
from refusals import refused

from duelist.clicks import position_based, simulate_log
from duelist.errors import ParameterError


def test_simulated_pages_are_random_orders_of_what_there_is() -> None:
    grades = {("p", "a"): 0, ("p", "b"): 1, ("q", "c"): 1, ("q", "a"): 1, ("q", "b"): 0}
    clicks = simulate_log(position_based([0.0, 1.0], [1.0]), grades, 6_000, 3, np.random.default_rng(1))
    pages: dict[tuple[str, ...], int] = {}
    for query, codes, flags in zip(clicks.queries, clicks.documents, clicks.clicked, strict=True):
        names = [clicks.document_names[code] for code in codes if code >= 0]
        asked = clicks.query_names[query]
        assert [bool(grades[asked, name]) for name in names] == flags[: len(names)].tolist()
        pages[asked, *names] = pages.get((asked, *names), 0) + 1
    # half the pages each: two orders of two documents, six of three; four standard errors
    assert len(pages) == 8
    for page, count in pages.items():
        chance = 0.25 if page[0] == "p" else 1.0 / 12.0
        assert abs(count / 6_000 - chance) < 4.0 * np.sqrt(chance * (1.0 - chance) / 6_000)


@pytest.mark.parametrize(
    ("grades", "facts"),
    [
        ({("p", "a"): 2}, ("grades[('p', 'a')]", 2, "'position-based'", 0, 1)),
        ({("p", "a"): 0.5}, ("grades[('p', 'a')]", 0, 0.5)),
        ({}, ("grades",)),
    ],
)
def test_documents_that_cannot_be_simulated_are_refused(grades: Any, facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        simulate_log(position_based([0.0, 1.0], [1.0]), grades, 10, 3, np.random.default_rng(1))
