"""Many answers about arms as columns, so that they can be counted and told at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.journal import Answered


class Columns(NamedTuple):
    """Answers, one a row."""

    sides: IntArray  # the left and the right arm as they were shown
    outcomes: FloatArray
    flipped: BoolArray

    def as_chosen(self) -> tuple[IntArray, FloatArray]:
        """Return sides and outcomes as the learner chose the sides, before they were flipped."""
        sides = np.where(self.flipped[:, None], self.sides[:, ::-1], self.sides)
        return sides, np.where(self.flipped, 1.0 - self.outcomes, self.outcomes)


def columns_of(answers: Sequence[Answered]) -> Columns:
    """Return answers about arms as columns."""
    n = len(answers)
    sides = np.empty((n, 2), np.int64)
    sides[:, 0] = np.fromiter([answer.left for answer in answers], np.int64, n)
    sides[:, 1] = np.fromiter([answer.right for answer in answers], np.int64, n)
    outcomes = np.fromiter([answer.outcome for answer in answers], np.float64, n)
    return Columns(sides, outcomes, np.fromiter([answer.flipped for answer in answers], np.bool_, n))
