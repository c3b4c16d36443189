"""How well fitted models predict impressions that they have not seen."""

from collections.abc import Iterable
from typing import NamedTuple

from duelist.clicks.fitted import FittedClicks
from duelist.clicks.log import NOTHING, ClickLog


class HeldOut(NamedTuple):
    """How well a fitted model predicts a log.

    Examples
    --------
    >>> HeldOut("coin", -13.86, -1.386, -0.693, 2.0, (2.0, 2.0)).perplexity
    2.0
    """

    name: str
    log_likelihood: float
    """Of all impressions together."""
    per_impression: float
    per_document: float
    """The logarithm of likelihood for each document shown, clicked or not."""
    perplexity: float
    """The mean over places."""
    perplexity_by_place: tuple[float, ...]


def compare_fits(models: Iterable[FittedClicks], log: ClickLog) -> list[HeldOut]:
    """Return a row for every model, the best first; use a log that they were not fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> from duelist.clicks import dependent_click, fit_dependent_click, fit_position_based
    >>> from duelist.clicks import simulate_log
    >>> rng = np.random.default_rng(0)
    >>> person = dependent_click([0.2, 0.7], continuation=[0.3])
    >>> grades = {("svm", str(i)): i % 2 for i in range(8)}
    >>> log, held_out = simulate_log(person, grades, 20_000, 5, rng).split(0.5, rng)
    >>> for row in compare_fits([fit_position_based(log), fit_dependent_click(log)], held_out):
    ...     print(row.name, round(row.per_impression, 3), round(row.perplexity, 3))
    dependent click -1.962 1.561
    position-based -2.262 1.579
    """
    rows = []
    documents = int((log.documents != NOTHING).sum())
    for model in models:
        total = float(model.log_likelihood(log).sum())
        surprise = model.perplexity(log)
        rows.append(
            HeldOut(
                model.name,
                total,
                total / len(log),
                total / documents,
                float(surprise.mean()),
                tuple(surprise.tolist()),
            )
        )
    return sorted(rows, key=lambda row: -row.log_likelihood)
