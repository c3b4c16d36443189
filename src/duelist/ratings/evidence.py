"""The counted votes between rated arms, row by row or summed by pair, with covariates."""

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
"""The name of the effect of the left side."""
SUFFIXES = (("_left", "_right"), ("_a", "_b"))
IDENTIFIED = 1e-8  # minimum share of an effect's information that is not explained by arms and other effects


class Evidence(NamedTuple):
    """Votes row by row; each belongs to a cell: a pair of arms, or the row itself if there are covariates."""

    k: int
    first: IntArray
    """The two arms of each cell."""
    second: IntArray
    effects: FloatArray
    """Covariates of each cell, with one column per effect."""
    cell: IntArray
    margin: FloatArray
    """The margin of each row for the first arm of its cell: 1/2 for a win, -1/2 for a loss, 0 for a tie."""
    tie: FloatArray
    """The share of each vote that counts as a tie."""
    counts: FloatArray
    weights: FloatArray
    distinct: bool

    def sums(self, values: FloatArray) -> FloatArray:
        """Return sums over the rows of each cell, as one sample."""
        return summed(self.cell, values, len(self.first))[None]

    def cells(self) -> VoteCells:
        """Return the votes summed by cell, as one sample."""
        weighted = self.counts * self.weights
        sums = (self.sums(weighted), self.sums(weighted * self.margin), self.sums(weighted * self.tie))
        return VoteCells(self.k, self.first, self.second, self.effects, *sums, self.distinct)


def evidence_of(
    votes: Votes, chosen: Selection, covariates: Sequence[str], side: bool
) -> tuple[Evidence, IntArray]:
    """Return the votes between rated arms, and their rows in the table."""
    number = np.full(votes.k, -1)
    number[chosen.members] = np.arange(len(chosen.members))
    rows = chosen.counts > 0 if votes.weights is None else (chosen.counts > 0) & (votes.weights > 0.0)
    within = np.flatnonzero(rows & (number[votes.left] >= 0) & (number[votes.right] >= 0))
    left, right = number[votes.left[within]], number[votes.right[within]]
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
    """Assign rows to cells: to a cell of their own if `by_row`, else to their pair of arms.

    With a side effect and no covariates, each pair has two cells, one per arm on the left.
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
    pairs = first * k + second
    met = np.flatnonzero(np.bincount(pairs, minlength=k * k))
    number = np.zeros(k * k, np.int64)
    number[met] = np.arange(len(met))
    constant = np.ones((len(met), effects.shape[1]))
    return Evidence(k, met // k, met % k, constant, number[pairs], margin, tie, counts, weights, True)


def reordered(evidence: Evidence, order: IntArray) -> Evidence:
    """Return the same votes with the arms renumbered."""
    number = np.argsort(order)
    left, right = (number[side][evidence.cell] for side in (evidence.first, evidence.second))
    outcomes, effects = evidence.margin + 0.5, evidence.effects[evidence.cell]
    others = (evidence.counts, evidence.weights, effects, not evidence.distinct)
    return arrange(evidence.k, left, right, outcomes, *others)


def difference_of(votes: Votes, name: str, rows: IntArray) -> FloatArray:
    """Return a covariate of some rows: its value on the left minus its value on the right."""
    for left, right in SUFFIXES:
        if name + left in votes.extras and name + right in votes.extras:
            one, other = (numbers_of(votes, name + side, rows) for side in (left, right))
            return one - other
    if name in votes.extras:
        return numbers_of(votes, name, rows)
    raise UnknownNameError("covariate", name, [*votes.extras])


def numbers_of(votes: Votes, column: str, rows: IntArray) -> FloatArray:
    texts: Texts = votes.extras[column]
    values = np.array([*map(_number, texts.names), np.nan])
    found = values[texts.codes[rows]]
    for wrong in np.flatnonzero(~np.isfinite(found))[:1]:
        row = int(rows[wrong])
        text = texts.names[texts.codes[row]] if texts.codes[row] >= 0 else ""
        fault = f"holds {text!r:.60}" if text else "is empty"
        raise ParameterError(
            f'column "{column}" {fault} in row {row}; a covariate needs a number in every row.'
        )
    return found


def require_identified(cells: VoteCells, names: Sequence[str]) -> None:
    """Check that the effects are not collinear with the ratings or with each other."""
    flat = moments(cells, np.zeros((1, cells.width)), ties=False)
    matrix, k = information(cells, flat, 0.0, ties=False)[0], cells.k
    across = matrix[:k, k:]
    left = matrix[k:, k:] - across.T @ np.linalg.solve(matrix[:k, :k], across)
    scale = np.sqrt(np.diag(matrix)[k:])
    values, vectors = np.linalg.eigh(left / np.outer(scale, scale))
    if values[0] < IDENTIFIED:
        name = names[int(np.abs(vectors[:, 0]).argmax())]
        raise ParameterError(
            f'the effect of "{name}" is collinear with the ratings of the arms or with the other effects; '
            "leave it out."
        )


def _standardised(name: str, differences: FloatArray, counts: FloatArray) -> FloatArray:
    """Divide differences by their standard deviation, without centering them."""
    mean = np.average(differences, weights=counts)
    deviation = float(np.sqrt(np.average((differences - mean) ** 2, weights=counts)))
    if not deviation > 1e-12 * float(np.abs(differences).max(initial=0.0)):
        raise ParameterError(f'the covariate "{name}" has the same difference in every vote; leave it out.')
    return differences / deviation


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
