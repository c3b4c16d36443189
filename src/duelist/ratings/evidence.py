"""The counted votes between rated arms: as rows, summed by pair, and with covariates."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, UnknownNameError
from duelist.ratings.existence import Selection
from duelist.ratings.newton import VoteCells, information, moments, summed
from duelist.votes.columns import Texts
from duelist.votes.table import Votes

SIDE = "left side"
"""The name of the effect of standing on the left."""
SUFFIXES = (("_left", "_right"), ("_a", "_b"))
IDENTIFIED = 1e-8  # smallest share of an effect's information that arms and other effects may leave


class Evidence(NamedTuple):
    """Votes row by row, each in a cell: a pair of arms, or the row alone if it has covariates."""

    k: int
    first: IntArray
    """The two arms of each cell."""
    second: IntArray
    effects: FloatArray
    """Covariates of each cell, one column for each effect."""
    cell: IntArray
    margin: FloatArray
    """Of each row, seen from the first arm of its cell: 1/2 a win, -1/2 a loss, 0 a tie."""
    tie: FloatArray
    """Which share of the vote is a tie."""
    counts: FloatArray
    weights: FloatArray
    distinct: bool

    def sums(self, values: FloatArray) -> FloatArray:
        """Return sums of rows by cell, as one sample."""
        return summed(self.cell, values, len(self.first))[None]

    def cells(self) -> VoteCells:
        """Return the votes summed by cell, as one sample."""
        heavy = self.counts * self.weights
        sums = (self.sums(heavy), self.sums(heavy * self.margin), self.sums(heavy * self.tie))
        return VoteCells(self.k, self.first, self.second, self.effects, *sums, self.distinct)


def evidence_of(
    votes: Votes, chosen: Selection, covariates: Sequence[str], side: bool
) -> tuple[Evidence, IntArray]:
    """Return the votes between rated arms, and the rows of the table that they come from."""
    place = np.full(votes.k, -1)
    place[chosen.members] = np.arange(len(chosen.members))
    rows = chosen.counts > 0 if votes.weights is None else (chosen.counts > 0) & (votes.weights > 0.0)
    within = np.flatnonzero(rows & (place[votes.left] >= 0) & (place[votes.right] >= 0))
    left, right = place[votes.left[within]], place[votes.right[within]]
    counts = chosen.counts[within].astype(np.float64)
    weights = np.ones(len(within)) if votes.weights is None else votes.weights[within]
    columns = [_standardised(name, difference_of(votes, name, within), counts) for name in covariates]
    if side:
        columns.append(np.ones(len(within)))
    effects = np.stack(columns, axis=1) if columns else np.empty((len(within), 0))
    k = len(chosen.members)
    return arrange(k, left, right, votes.outcomes[within], counts, weights, effects, bool(covariates)), within


def arrange(
    k: int,
    left: IntArray,
    right: IntArray,
    outcomes: FloatArray,
    counts: FloatArray,
    weights: FloatArray,
    effects: FloatArray,
    by_row: bool,
) -> Evidence:
    """Return rows with their cells: the rows themselves if `by_row`, else pairs of arms.

    With a side effect and no covariates, left and right make two cells of a pair.
    """
    tie = 1.0 - np.abs(2.0 * outcomes - 1.0)
    margin = outcomes - 0.5
    if by_row:
        cell = np.arange(len(left))
        return Evidence(k, left, right, effects, cell, margin, tie, counts, weights, False)
    first, second = left, right
    if not effects.shape[1]:
        first, second = np.minimum(left, right), np.maximum(left, right)
        margin = np.where(left > right, -margin, margin)
    places = first * k + second
    met = np.flatnonzero(np.bincount(places, minlength=k * k))
    number = np.zeros(k * k, np.int64)
    number[met] = np.arange(len(met))
    constant = np.ones((len(met), effects.shape[1]))
    return Evidence(k, met // k, met % k, constant, number[places], margin, tie, counts, weights, True)


def reordered(evidence: Evidence, order: IntArray) -> Evidence:
    """Return the same votes with the arms in another order."""
    place = np.argsort(order)
    left, right = (place[side][evidence.cell] for side in (evidence.first, evidence.second))
    outcomes, effects = evidence.margin + 0.5, evidence.effects[evidence.cell]
    others = (evidence.counts, evidence.weights, effects, not evidence.distinct)
    return arrange(evidence.k, left, right, outcomes, *others)


def difference_of(votes: Votes, name: str, rows: IntArray) -> FloatArray:
    """Return a covariate of some rows: its value on the left less that on the right."""
    for left, right in SUFFIXES:
        if name + left in votes.extras and name + right in votes.extras:
            one, other = (numbers_of(votes, name + side, rows) for side in (left, right))
            return one - other
    if name in votes.extras:
        return numbers_of(votes, name, rows)
    raise UnknownNameError("covariate", name, [*votes.extras])


def numbers_of(votes: Votes, column: str, rows: IntArray) -> FloatArray:
    """Return some rows of an extra column as numbers."""
    texts: Texts = votes.extras[column]
    values = np.array([*map(_number, texts.names), np.nan])
    found = values[texts.codes[rows]]
    for wrong in np.flatnonzero(~np.isfinite(found))[:1]:
        row = int(rows[wrong])
        held = texts.names[texts.codes[row]] if texts.codes[row] >= 0 else ""
        fault = f"holds {held!r:.60}" if held else "is empty"
        raise ParameterError(
            f'column "{column}" {fault} in row {row}; a covariate needs a number in every row.'
        )
    return found


def require_identified(cells: VoteCells, names: Sequence[str]) -> None:
    """Refuse effects that cannot be told from the arms' ratings or from each other."""
    flat = moments(cells, np.zeros((1, cells.width)), ties=False)
    matrix, k = information(cells, flat, 0.0, ties=False)[0], cells.k
    across = matrix[:k, k:]
    left = matrix[k:, k:] - across.T @ np.linalg.solve(matrix[:k, :k], across)
    scale = np.sqrt(np.diag(matrix)[k:])
    values, vectors = np.linalg.eigh(left / np.outer(scale, scale))
    if values[0] < IDENTIFIED:
        name = names[int(np.abs(vectors[:, 0]).argmax())]
        raise ParameterError(
            f'the effect of "{name}" cannot be told from the ratings of the arms or from the other effects; '
            "leave it out."
        )


def _standardised(name: str, differences: FloatArray, counts: FloatArray) -> FloatArray:
    """Return differences divided by their standard deviation; they are not centred."""
    mean = np.average(differences, weights=counts)
    deviation = float(np.sqrt(np.average((differences - mean) ** 2, weights=counts)))
    if not deviation > 1e-12 * float(np.abs(differences).max(initial=0.0)):
        raise ParameterError(f'the covariate "{name}" has the same difference in all votes; leave it out.')
    return differences / deviation


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
