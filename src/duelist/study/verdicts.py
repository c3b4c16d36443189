"""Whether there are enough votes: what a study's tally has proven."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from duelist.errors import ParameterError
from duelist.kernels.live import without_waiting
from duelist.stopping import Verdict, verdict_on, votes_left
from duelist.study.choices import NamedArms, require_named
from duelist.study.fold import Fold


def verdict_of(fold: Fold, delta: float, within: float) -> Verdict:
    """Return what is proven."""
    arms, tally = require_arms(fold), fold.tally
    options = {"repeats": tally.repeats, "delta": delta, "within": within, **population(fold)}
    return without_waiting(partial(verdict_on, arms.names, tally.wins, tally.ties, **options))


def forecast_of(fold: Fold, delta: float, within: float) -> Callable[[], tuple[float, float]]:
    """Return what counts the votes that a verdict will take, without looking at the fold any more.

    Equal votes give equal ranges.
    """
    if verdict_of(fold, delta, within).finding != "undecided":
        return lambda: (0.0, 0.0)
    rng = np.random.default_rng((fold.created.seed, fold.tally.answers))
    counts = fold.tally.wins.copy(), fold.tally.ties.copy()
    return partial(votes_left, *counts, rng, delta=delta, within=within, **population(fold))


def population(fold: Fold) -> dict[str, Any]:
    """Return which arms there are, and whether any came or went."""
    return {"active": fold.active, "founders": fold.founders, "changed": fold.arms_changed}


def has_verdicts(fold: Fold) -> bool:
    """Return whether a study is one of those on which there are verdicts."""
    return isinstance(fold.choices, NamedArms) and not fold.in_contexts


def require_arms(fold: Fold) -> NamedArms:
    """Return the arms, or say that there is no verdict yet on what is no list of arms."""
    if has_verdicts(fold):
        return require_named(fold.choices)
    about = "in contexts" if fold.in_contexts else "of knobs"
    raise ParameterError(
        f"there is no verdict on a study {about} yet: it says best(), but not when there are enough votes."
    )
