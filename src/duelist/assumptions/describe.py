"""Describe a preference matrix: its winner, its structure, and the learners whose guarantees hold on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from duelist.assumptions.transitivity import (
    Cycle,
    cycles,
    relaxed_gamma,
    stochastic_triangle_inequality,
    strong_stochastic_transitivity,
    total_order,
)
from duelist.errors import ParameterError
from duelist.preferences import gaps, leaders
from duelist.text import counted, enumeration

MOST_CYCLES = 5


@dataclass(frozen=True)
class Description:
    """The properties of a preference matrix; prints as a short report.

    Examples
    --------
    >>> describe([[0.5, 0.6], [0.4, 0.5]]).guarantees["RUCB"]
    'holds, because arm 0 is a Condorcet winner, which is sufficient.'
    """

    labels: tuple[str, ...]
    """The names of the arms."""
    condorcet_winner: int | None
    """The number of the arm that beats all others; None if there is none."""
    copeland_winners: tuple[int, ...]
    """The numbers of the arms with the highest Copeland score, in which a tie counts as half a win."""
    total_order: bool
    """Whether the arms can be sorted so that each beats all arms after it."""
    strong_transitivity: bool
    """Whether strong stochastic transitivity holds; False without a total order."""
    triangle_inequality: bool
    """Whether the stochastic triangle inequality holds; False without a total order."""
    gamma: float | None
    """The factor of relaxed transitivity; None without a Condorcet winner."""
    smallest_gap: float | None
    """The Condorcet winner's gap over its closest rival; None without one."""
    cyclic_triples: int
    """The number of sets of three arms that beat each other in a cycle."""
    tied_pairs: int
    """The number of pairs of arms that beat each other with probability 1/2."""
    cycles: tuple[Cycle, ...]
    """The sets of arms that are connected by cycles of wins, the strongest set first."""

    @property
    def guarantees(self) -> dict[str, str]:
        """For each learner, whether its guarantee holds, the reason, and what to use if it does not."""
        unordered = [] if self.total_order else [f"there is no total order ({self._disorder()})"]
        weak = [] if self.strong_transitivity else ["strong stochastic transitivity fails"]
        wide = [] if self.triangle_inequality else ["the triangle inequality fails"]
        leaderless = [] if self.condorcet_winner is not None else ["no arm beats all others"]
        filtering = self._sentence(
            "the arms have a total order, strong transitivity and the triangle inequality",
            unordered or weak + wide,
        )
        averaging = self._sentence(
            f"the arms have a total order, relaxed transitivity with {self._relaxation()} and the triangle "
            f"inequality",
            unordered or wide,
        )
        winning = self._sentence(f"{self._leaders()} is a Condorcet winner, which is sufficient", leaderless)
        return {
            "InterleavedFilter1": filtering,
            "InterleavedFilter2": filtering,
            "BeatTheMean": averaging,
            "CondorcetSavage": winning,
            "RMED1": winning,
            "RMED2FH": winning,
            "RUCB": winning,
        }

    def __str__(self) -> str:
        """Return the report, a property per line."""
        winner = (
            f"no Condorcet winner; highest Copeland score: {self._leaders()}"
            if self.smallest_gap is None
            else f"{self._leaders()} is the Condorcet winner, with a gap of {self.smallest_gap:.4g} or more"
        )
        lines = [
            f"{len(self.labels)} arms: {winner}.",
            f"Total order: {'yes' if self.total_order else f'no, {self._disorder()}'}.",
            *map(self._cycle, self.cycles[:MOST_CYCLES]),
            *([f"{counted(more, 'more cycle')}."] if (more := len(self.cycles) - MOST_CYCLES) > 0 else []),
            f"Strong stochastic transitivity: {'yes' if self.strong_transitivity else 'no'}.",
            f"Relaxed stochastic transitivity: {self._relaxation()}.",
            f"Stochastic triangle inequality: {'yes' if self.triangle_inequality else 'no'}.",
            "Guarantees:",
            *(f"  {learner}: {sentence}" for learner, sentence in self.guarantees.items()),
        ]
        return "\n".join(lines)

    def _sentence(self, reason: str, faults: list[str]) -> str:
        if not faults:
            return f"holds, because {reason}."
        remedy = (
            "use the mixture of arms from duelist.winners.von_neumann"
            if self.condorcet_winner is None
            else "use RUCB or CondorcetSavage"
        )
        return f"does not hold, because {' and '.join(faults)}; {remedy} instead."

    def _disorder(self) -> str:
        counts = {"cyclic triple": self.cyclic_triples, "tied pair": self.tied_pairs}
        found = [counted(many, thing) for thing, many in counts.items() if many]
        return " and ".join(found or ["a longer cycle"])

    def _cycle(self, cycle: Cycle) -> str:
        """Return a shortest cycle, and the arms of the whole component if it has more."""
        path = " beats ".join(self.labels[arm] for arm in (*cycle.shortest, cycle.shortest[0]))
        members = enumeration([self.labels[arm] for arm in cycle.arms])
        among = "" if len(cycle.arms) == len(cycle.shortest) else f", one of the cycles among arms {members}"
        return f"Cycle: {path}{among}."

    def _relaxation(self) -> str:
        """Return the value of gamma to use, rounded up to two decimals."""
        return "no" if self.gamma is None else f"gamma={ceil(100.0 * self.gamma - 1e-9) / 100.0:g}"

    def _leaders(self) -> str:
        names = [self.labels[arm] for arm in self.copeland_winners]
        return f"{'arm' if len(names) == 1 else 'arms'} {', '.join(names)}"


def describe(matrix: ArrayLike, labels: Sequence[str] | None = None) -> Description:
    """Return the properties of a preference matrix, and the learners whose guarantees hold on it.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.
    labels : sequence of str, optional
        The names of the arms; by default their numbers.

    Returns
    -------
    Description
        The properties, which print as a report.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.
    ParameterError
        If the number of labels is not K.

    Examples
    --------
    >>> print(describe([[0.5, 0.6, 0.6], [0.4, 0.5, 0.7], [0.4, 0.3, 0.5]], ["bm25", "dense", "random"]))
    3 arms: arm bm25 is the Condorcet winner, with a gap of 0.1 or more.
    Total order: yes.
    Strong stochastic transitivity: no.
    Relaxed stochastic transitivity: gamma=2.
    Stochastic triangle inequality: yes.
    Guarantees:
      InterleavedFilter1: does not hold, because strong stochastic transitivity fails; use RUCB ...
      InterleavedFilter2: does not hold, because strong stochastic transitivity fails; use RUCB ...
      BeatTheMean: holds, because the arms have a total order, relaxed transitivity with gamma=2 ...
      CondorcetSavage: holds, because arm bm25 is a Condorcet winner, which is sufficient.
      RMED1: holds, because arm bm25 is a Condorcet winner, which is sufficient.
      RMED2FH: holds, because arm bm25 is a Condorcet winner, which is sufficient.
      RUCB: holds, because arm bm25 is a Condorcet winner, which is sufficient.
    """
    edges = gaps(matrix)
    k = len(edges)
    names = [str(arm) for arm in range(k)] if labels is None else labels
    if len(names) != k:
        raise ParameterError(f"labels has {counted(len(names), 'name')} for {k} arms; give one name per arm.")
    beaten = (edges > 0.0).astype(np.float64)
    first = leaders((beaten - beaten.T).sum(axis=1))  # the order of Copeland scores with ties as half
    has_winner = beaten[first[0]].sum() == k - 1
    return Description(
        labels=tuple(names),
        condorcet_winner=first[0] if has_winner else None,
        copeland_winners=first,
        total_order=total_order(matrix) is not None,
        strong_transitivity=strong_stochastic_transitivity(matrix),
        triangle_inequality=stochastic_triangle_inequality(matrix),
        gamma=relaxed_gamma(matrix),
        smallest_gap=float(np.delete(edges[first[0]], first[0]).min()) if has_winner else None,
        cyclic_triples=int(np.trace(beaten @ beaten @ beaten)) // 3,
        cycles=cycles(matrix),
        tied_pairs=int(np.count_nonzero(edges == 0.0) - k) // 2,
    )
