"""The verdict: what the votes prove, which is a winner, that there is no winner, or nothing yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, floor, log
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from duelist.assumptions import cycles
from duelist.defaults import DELTA
from duelist.duel import BoolArray, FloatArray
from duelist.errors import ParameterError
from duelist.stopping.evidence import bets_on, fill_evidence
from duelist.stopping.thresholds import as_tables
from duelist.text import counted, enumeration

Finding: TypeAlias = Literal["winner", "no winner", "undecided"]


@dataclass(frozen=True)
class Verdict:
    """What the votes prove, and with which confidence; prints as a sentence.

    Examples
    --------
    >>> from duelist import RUCB, Duel, Study
    >>> study = Study(RUCB(), arms=["a", "b"])
    >>> for _ in range(20):
    ...     study.tell(Duel("a", "b"), "left")
    >>> print(study.verdict(delta=0.05))
    a is the winner: it beats b. Such a verdict is wrong in at most 5% of studies.
    """

    finding: Finding
    """ "winner", "no winner" or "undecided"."""
    winner: str | None
    """The arm that is proven to beat all others or, with a margin, to lose to none by more than that."""
    circle: tuple[str, ...]
    """If there is no winner, the arms of a cycle, each of which beats the next."""
    leader: str
    """The arm with the most evidence for it."""
    unproven: tuple[str, ...]
    """The arms against which the leader lacks evidence, the least proven first."""
    confidence: float
    """Confidence that the leader is the winner: one minus the smallest delta that would declare it."""
    delta: float
    """The share of studies in which a verdict may be wrong."""
    within: float
    """The difference of probabilities that does not matter: a winner may lose to others by that much."""
    rivals: tuple[str, ...]
    """All arms but the leader."""
    repeats: int = 0
    """Votes that do not count as evidence because their voter had already voted on the same pair."""

    def __str__(self) -> str:
        sure = f"Such a verdict is wrong in at most {100.0 * self.delta:.3g}% of studies."
        if self.finding == "winner":
            if self.within > 0.0:
                return (
                    f"{self.winner} is as good as the best: it loses to no other arm by more than "
                    f"{self.within:g}. {sure}"
                )
            rivals = "every other arm" if len(self.rivals) > 1 else enumeration(self.rivals)
            return f"{self.winner} is the winner: it beats {rivals}. {sure}"
        if self.finding == "no winner":
            cycle = " beats ".join((*self.circle, self.circle[0]))
            return f"There is no winner: {len(self.circle)} arms form a cycle, {cycle}. {sure}"
        left_out = ""
        if self.repeats:
            repeat, do = ("repeats", "does") if self.repeats == 1 else ("repeat", "do")
            left_out = (
                f" {counted(self.repeats, 'vote')} that {repeat} a voter's earlier vote on the same pair and "
                f"item {do} not count as evidence."
            )
        if self.confidence == 0.0 and len(self.unproven) == len(self.rivals):
            return f"Undecided: no winner is proven yet.{left_out}"
        # some rivals may be proven beaten while the closest one is not even likely to be
        percent = floor(1000.0 * self.confidence) / 10.0
        sure = f" ({percent:.3g}% sure)" if percent else ""
        open_rivals = enumeration(self.unproven, limit=3)
        return f"Undecided: {self.leader} leads{sure}, but is not yet proven against {open_rivals}.{left_out}"


def verdict_on(
    names: Sequence[str],
    decisive: ArrayLike,
    ties: ArrayLike,
    *,
    repeats: int = 0,
    delta: float = DELTA,
    within: float = 0.0,
    active: Sequence[int] | None = None,
    initial_arms: int | None = None,
    changed: bool = False,
) -> Verdict:
    """Return the verdict on a table of votes.

    The verdict is anytime-valid: it holds however the pairs were chosen and however often it is computed.

    Parameters
    ----------
    names : sequence of str
        The names of the arms, in the order of the table.
    decisive : array of shape (k, k)
        `decisive[i, j]` is the number of votes for i against j; a vote of degree 0.8 counts as 0.6 of a vote
        and 0.4 of a tie.
    ties : array of shape (k, k)
        `ties[i, j]`, equal to `ties[j, i]`, is the number of ties.
    repeats : int, default 0
        The number of further votes that were left out because their voter had already voted on the same pair.
    delta : float, default 0.05
        The share of studies in which a verdict may be wrong.
    within : float, default 0.0
        A difference of probabilities that does not matter: the winner may lose to others by that much.
    active : sequence of int, optional
        The numbers of the arms that the verdict is about; by default all.
    initial_arms : int, optional
        The number of arms at the beginning, which have the lowest numbers; by default all.
    changed : bool, default False
        Whether any arm was ever added or retired.

    Returns
    -------
    Verdict
        A winner, no winner, or undecided.

    Raises
    ------
    ParameterError
        If `names` does not hold one unique name per arm, or an option is invalid.
    PreferenceError
        If a table does not hold counts of votes.

    Notes
    -----
    The guarantee assumes that, given the past, the next vote on i against j is for i with a mean probability
    that does not depend on the outcomes of earlier votes, and that votes are retracted or left out without
    regard to their outcomes. A voter's second vote on the same pair adds no information: count such votes
    once.

    A vote of degree x between 1/2 and 1 counts as 2x - 1 of a win and 2 - 2x of a tie. The logarithm of its
    true factor is concave in x, so this understates the evidence and errs on the safe side.

    References
    ----------
    Ville (1939). Étude critique de la notion de collectif. Ramdas, Grünwald, Vovk, Shafer (2023).
    Game-theoretic statistics and safe anytime-valid inference. Statistical Science.

    Examples
    --------
    >>> wins = np.array([[0, 40, 40], [10, 0, 9], [5, 8, 0]])
    >>> verdict_on(["a", "b", "c"], wins, np.zeros((3, 3)), delta=0.1).winner
    'a'
    """
    votes, even, enough, arms = as_tables(
        decisive, ties, delta=delta, within=within, active=active, initial_arms=initial_arms, changed=changed
    )
    k = len(np.asarray(decisive))
    if len(names) != k or len(set(names)) < k:
        raise ParameterError(f"names must be {k} unique names, one per arm; got {list(names)!r:.80}.")
    surplus = evidence_for(votes, even, within) - enough
    slack = surplus.min(axis=1)
    # ties are broken by total evidence, then by name, so that the order of the arms does not matter
    others = np.where(np.isfinite(surplus), surplus, 0.0).sum(axis=1)
    keys = zip((-slack).round(9).tolist(), (-others).round(9).tolist(), arms.tolist(), strict=True)
    leader = min((less, fewer, names[arm], index) for index, (less, fewer, arm) in enumerate(keys))[-1]
    rivals = [arm for arm in range(len(arms)) if arm != leader]
    unproven = [arm for arm in rivals if surplus[leader, arm] < 0.0]
    unproven.sort(key=lambda arm: float(surplus[leader, arm]))
    circle: tuple[int, ...] = ()
    if unproven:
        beaten = surplus if within == 0.0 else evidence_for(votes, even, -within) - enough
        circle = circle_of(beaten >= 0.0)
    finding: Finding = "no winner" if circle else "undecided" if unproven else "winner"

    def named(indices: Sequence[int]) -> tuple[str, ...]:
        return tuple(names[arms[index]] for index in indices)

    return Verdict(
        finding=finding,
        winner=names[arms[leader]] if finding == "winner" else None,
        circle=named(circle),
        leader=names[arms[leader]],
        unproven=named(unproven),
        confidence=1.0 - exp(min(0.0, log(delta) - float(slack[leader]))),
        delta=delta,
        within=within,
        rivals=named(rivals),
        repeats=repeats,
    )


def evidence_for(decisive: FloatArray, ties: FloatArray, margin: float) -> FloatArray:
    table = np.empty_like(decisive)
    fill_evidence(bets_on(margin), decisive, ties, table)
    return table


def circle_of(proven: BoolArray) -> tuple[int, ...]:
    """Return a cycle of proven wins if every arm is proven to lose to another, else an empty tuple."""
    beats = proven & ~np.eye(len(proven), dtype=bool)
    if not beats.any(axis=0).all():
        return ()
    return cycles(0.5 + 0.5 * (beats.astype(np.float64) - beats.T))[0].shortest
