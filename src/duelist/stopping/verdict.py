"""What the votes have proven: a winner, that there is none, or nothing yet."""

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
    """What is proven, and how sure it is; prints as a sentence.

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
    """The arm that is proven to beat all others, or within a margin to lose to none by more."""
    circle: tuple[str, ...]
    """Where there is no winner: arms that beat each other in a circle, each the next."""
    leader: str
    """The arm with the most evidence for it."""
    unproven: tuple[str, ...]
    """The arms against which the leader has not enough evidence, the least proven first."""
    confidence: float
    """How sure it is that the leader is the winner: one minus the smallest delta for which it would be."""
    delta: float
    within: float
    rivals: tuple[str, ...]
    """All arms but the leader."""
    repeats: int = 0
    """Votes that do not count here, because a voter had voted on the same pair before."""

    def __str__(self) -> str:
        """Say it in a sentence."""
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
            way = " beats ".join((*self.circle, self.circle[0]))
            return f"There is no winner: {len(self.circle)} arms beat each other in a circle, {way}. {sure}"
        left_out = ""
        if self.repeats:
            repeat, prove = ("repeats", "proves") if self.repeats == 1 else ("repeat", "prove")
            left_out = (
                f" {counted(self.repeats, 'vote')} that {repeat} a voter's earlier one on the same pair and "
                f"item {prove} nothing new."
            )
        if self.confidence == 0.0 and len(self.unproven) == len(self.rivals):
            return f"Undecided: who wins is not proven yet.{left_out}"
        # rivals may be beaten for certain while the closest one is not even likely to be
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
    """Return what a table of votes has proven, however its pairs were chosen and however often one looks.

    Parameters
    ----------
    names : sequence of str
        The arms, in the order of the table.
    decisive : array of shape (k, k)
        `decisive[i, j]` counts the votes for i against j; a vote by 0.8 is 0.6 of one and 0.4 of a tie.
    ties : array of shape (k, k)
        How often two arms tied, in both halves.
    repeats : int, default 0
        How many further votes were left out, because a voter had voted on the same pair before.
    delta : float, default 0.05
        The share of studies in which a verdict may be wrong.
    within : float, default 0.0
        A difference that does not matter: the winner may lose to others by that much.
    active : sequence of int, optional
        The arms that the verdict is about; all of them by default.
    initial_arms : int, optional
        How many arms there were at the beginning; all of them by default.
    changed : bool, default False
        Whether any arm was ever added or retired.

    Notes
    -----
    It rests on this: given the past, the next vote on i against j is for i with a mean chance that does not
    change with the outcomes of earlier votes; and whoever retracts votes, or leaves out late ones, does not
    look at their outcomes. One who votes again on the same pair says nothing new: count such votes once.

    A vote that is a number x between 1/2 and 1 counts as 2x - 1 of a win and 2 - 2x of a tie. The logarithm
    of its true factor is concave in x, so that this understates the evidence and errs on the safe side.

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
        raise ParameterError(f"names must be {k}, one for each arm, all different; got {list(names)!r:.80}.")
    surplus = evidence_for(votes, even, within) - enough
    slack = surplus.min(axis=1)
    # of equals, who has more evidence in all, then by name: not by the order of arms
    others = np.where(np.isfinite(surplus), surplus, 0.0).sum(axis=1)
    keys = zip((-slack).round(9).tolist(), (-others).round(9).tolist(), arms.tolist(), strict=True)
    leader = min((less, fewer, names[arm], place) for place, (less, fewer, arm) in enumerate(keys))[-1]
    rivals = [arm for arm in range(len(arms)) if arm != leader]
    unproven = [arm for arm in rivals if surplus[leader, arm] < 0.0]
    unproven.sort(key=lambda arm: float(surplus[leader, arm]))
    circle: tuple[int, ...] = ()
    if unproven:
        beaten = surplus if within == 0.0 else evidence_for(votes, even, -within) - enough
        circle = circle_of(beaten >= 0.0)
    finding: Finding = "no winner" if circle else "undecided" if unproven else "winner"

    def named(places: Sequence[int]) -> tuple[str, ...]:
        return tuple(names[arms[place]] for place in places)

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
    """Return the logarithm of the evidence for each arm against each other one."""
    table = np.empty_like(decisive)
    fill_evidence(bets_on(margin), decisive, ties, table)
    return table


def circle_of(proven: BoolArray) -> tuple[int, ...]:
    """Return arms proven to beat each other in a circle, if every arm is proven to lose to another."""
    beats = proven & ~np.eye(len(proven), dtype=bool)
    if not beats.any(axis=0).all():
        return ()
    return cycles(0.5 + 0.5 * (beats.astype(np.float64) - beats.T))[0].shortest
