"""How much evidence is enough, so that a verdict on all arms is wrong at most a share delta of the time.

**Arms that stay.** "i beats all others" is said when the evidence for i against every j reaches K / delta,
and "nobody beats all others" when every i has lost to some j by as much. If there is a winner w, a wrong
verdict of either kind needs the evidence of some other arm against w to get there: K - 1 events of chance
delta / K. If there is none, every i has some j(i) that it does not beat, and to call i the winner needs its
evidence against j(i): K events.

**Arms that come and go.** Who is the winner changes with the arms, and someone who has seen the votes decides
what changes. So all ordered pairs of arms that ever were must hold at once, and this in addition to verdicts
before the change: delta is divided, `FOUNDERS` of it for the arms that a study begins with as long as nothing
changes, the rest for afterwards. Of the rest half is shared by the pairs of founders, and the pairs that the
m-th added arm makes with those before it share the part 1 / (2 m (m + 1)); for m = 1, 2, ... these add up to
the other half.
"""

from math import log

import numpy as np

from duelist.duel import FloatArray

FOUNDERS = 0.8  # the part of delta for verdicts before any arm is added or retired


def log_thresholds(
    k: int, delta: float, *, within: float = 0.0, founders: int | None = None, changed: bool = False
) -> FloatArray:
    """Return, for every pair of arms, the logarithm of the evidence that is enough; 0 on the diagonal.

    Parameters
    ----------
    k : int
        How many arms there ever were.
    delta : float
        The share of studies in which a verdict may be wrong.
    within : float, default 0.0
        A difference that does not matter. With one, "as good as the best" and "no winner" can each be wrong
        in ways of their own, and share delta.
    founders : int, optional
        How many there were at the beginning: those with the lowest numbers. By default all.
    changed : bool, default False
        Whether any arm was ever added or retired.

    Examples
    --------
    >>> round(float(np.exp(log_thresholds(4, 0.05)[0, 1])), 3)
    100.0
    """
    claims = log(2.0 if within > 0.0 else 1.0) - log(delta)
    thresholds = np.full((k, k), claims + log(k / FOUNDERS))
    if changed:
        thresholds = claims + thresholds_after_change(k, k if founders is None else founders)
    np.fill_diagonal(thresholds, 0.0)
    return thresholds


def thresholds_after_change(k: int, founders: int) -> FloatArray:
    """Return the logarithm of the evidence that is enough for delta = 1, once arms have come or gone."""
    later = np.maximum(np.arange(k)[:, None], np.arange(k))  # of each pair, the arm that came later
    added = later - founders + 1.0
    pairs = np.where(added > 0, 2.0 * later, founders * (founders - 1.0))
    parts = np.where(added > 0, 2.0 * added * (added + 1.0), 2.0)
    return np.log(pairs * parts / (1.0 - FOUNDERS))
