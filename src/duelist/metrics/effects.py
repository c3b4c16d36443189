"""What a log shows at all: which actions differ, and which a learned mixture beats; and so what to do."""

from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import require_confidence
from duelist.estimators import CompactGame
from duelist.logs import DuelLog
from duelist.metrics.rate_estimates import bound, estimate_rates
from duelist.policies import TreePolicy
from duelist.policies.mixture import PolicyMixture
from duelist.text import counted, enumeration


class Effects(NamedTuple):
    """What is shown, with the confidence for all of it together."""

    differing: tuple[tuple[str, str], ...]
    """Pairs of actions of which the first beats the second, whatever the context."""
    beaten: tuple[str, ...]
    """Actions that the mixture beats, were they taken always."""
    losing: tuple[str, ...]
    """Actions that, taken always, beat the mixture, and that no other action seems to beat."""


def find_effects(mixture: PolicyMixture, log: DuelLog, confidence: float = 0.95) -> Effects:
    """Return what duels show that the mixture was not learned from.

    Notes
    -----
    Pairs are compared by inverse propensities, the mixture doubly robust. All pairs and actions together,
    n two-sided tests at (1 - confidence) / n each, are wrong with a chance of at most 1 - confidence
    (Bonferroni): on pure noise, nothing is shown at least that often.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> left, right = rng.integers(2, size=(2, 800))
    >>> outcomes = rng.random(800) < np.array([[0.5, 0.8], [0.2, 0.5]])[left, right]
    >>> log = DuelLog(np.zeros((800, 1)), left, right, outcomes, np.full(800, 0.25), actions=["tea", "milk"])
    >>> tea = PolicyMixture([TreePolicy.always(0)], [1.0], log.actions, log.columns)
    >>> find_effects(tea, log)
    Effects(differing=(('tea', 'milk'),), beaten=('milk',), losing=())
    """
    from scipy.special import ndtri

    require_confidence(confidence)
    k, names = log.k, log.actions
    level = 1.0 - (1.0 - confidence) / (k * (k - 1) + 2 * k)
    scores = pair_scores(log)
    differing = tuple((names[a], names[b]) for a, b in np.argwhere(scores > ndtri(level)))
    found = estimate_rates(mixture, [TreePolicy.always(action) for action in range(k)], log, "doubly_robust")
    lower, upper = bound(found, level)
    return Effects(
        differing,
        tuple(names[action] for action in np.flatnonzero(lower > 0.5)),
        tuple(names[action] for action in np.flatnonzero((upper < 0.5) & (scores.max(axis=0) <= 0.0))),
    )


def pair_scores(log: DuelLog) -> FloatArray:
    """Return by how many standard errors each action beats each other one, over all contexts."""
    game = CompactGame(log)
    sums, squares = np.zeros((2, log.k, log.k))
    for one, other, sign in ((log.left, log.right, 1.0), (log.right, log.left, -1.0)):
        np.add.at(sums, (one, other), sign * game.stakes)
        np.add.at(squares, (one, other), game.stakes**2)
    spread = np.sqrt(np.maximum(squares - sums**2 / len(log), 0.0))
    return np.divide(sums, spread, out=np.zeros_like(sums), where=spread > 0.0)


def advise(mixture: PolicyMixture, effects: Effects, log: DuelLog, confidence: float = 0.95) -> str:
    """Return what to do, and then why, in a few sentences."""
    sure = f"with {confidence:.0%} confidence"
    if effects.losing:
        return (
            f"Do not follow the learned policy: {enumeration(effects.losing)}, taken always, beats it, "
            f"{sure}. Learn with more duels or calls, or another oracle."
        )
    if not (effects.beaten or effects.differing):
        return (
            f"Keep what you do: no effect was shown. On {counted(len(log), 'duel')} held out, {sure}, no "
            "action beats another, and the learned policy beats none. Log more duels to tell smaller "
            "differences."
        )
    likely = mixture.chances(log.contexts).mean(axis=0)
    order = [place for place in np.argsort(-likely, kind="stable") if likely[place] > 0.0]
    shares = [f"{log.actions[place]} {likely[place]:.0%}" for place in order]
    taken = f"Follow the learned policy, which takes {enumeration(shares)} of the time."
    if len(order) == 1:
        taken = f"Take {log.actions[order[0]]} always."
    if effects.beaten:
        return f"{taken} It beats {enumeration(effects.beaten)}, were that taken always, {sure}."
    pairs = enumeration([f"{one} beats {other}" for one, other in effects.differing], limit=4)
    return f"{taken} It beats no single action for certain, but actions differ, {sure}: {pairs}."
