"""Whether a log shows all that an estimate needs: every pair of actions, on both sides, with right chances.

An estimator weights each duel by the inverse of its chance. That is without bias only if every two actions
had a chance to meet, either one on the left, and the chances are right; if not, the answer is a wrong winner
that looks like a sure one, because what was never shown counts as a tie.
"""

import numpy as np

from duelist.errors import ParameterError
from duelist.logs import DuelLog
from duelist.text import enumeration

SURE = 5.0  # a sum of weights this many standard errors from its expectation is no accident
MANY = 25.0  # a pair expected this often and never shown is no accident
ROUNDING = 1e-9
REMEDY = (
    "Log duels of pairs drawn at random, with the chance of each; where sides do not matter, swap them at "
    "random and halve the chances."
)


def require_coverage(log: DuelLog) -> None:
    """Refuse a log from which duels of some actions cannot be estimated, and say which and what to do.

    Two things are looked at. A pair that was shown often on one side was shown on the other, too, as was
    every pair in a log that is long enough. And inverse propensities come, up to chance, to the number of
    ordered pairs that can be shown: K (K - 1), or K^2 with self-duels, if the propensities are right.

    Examples
    --------
    >>> one_sided = DuelLog([[0.0]] * 30, [0] * 30, [1] * 30, [1.0] * 30, [0.5] * 30, actions=2)
    >>> require_coverage(one_sided)
    Traceback (most recent call last):
    duelist.errors.ParameterError: log: 1 against 0 was never shown (left against right). Log duels of \
pairs drawn at random, with the chance of each; where sides do not matter, swap them at random and halve the \
chances.
    """
    shown = np.zeros((log.k, log.k))
    np.add.at(shown, (log.left, log.right), 1.0)
    # in a log so long that each pair is expected often, the other side says nothing new
    expected = np.maximum(shown.T, len(log) / log.k**2)
    missing = np.argwhere((shown == 0.0) & (expected >= MANY) & ~np.eye(log.k, dtype=bool))
    if len(missing):
        pairs = enumeration([f"{log.actions[a]} against {log.actions[b]}" for a, b in missing], limit=4)
        raise ParameterError(f"log: {pairs} was never shown (left against right). {REMEDY}")
    weights = 1.0 / log.propensities
    mean, least, most = float(weights.mean()), log.k * (log.k - 1), log.k**2
    nearest = min(max(mean, least), most)
    # around the expectation, so that a few duels of equal weight are not taken for certainty
    error = float(np.sqrt(np.square(weights - nearest).mean() / len(log)))
    if abs(mean - nearest) > SURE * error + ROUNDING * most:
        raise ParameterError(
            f"log: the inverse propensities come to {mean:.3g} a duel, and not to the number of ordered "
            f"pairs of {log.k} actions, {least} without self-duels or {most} with them: some pairs were "
            f"never shown, or on one side only, or the propensities are wrong. {REMEDY}"
        )
