"""The tally: what was answered, counted without any learner's opinion."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.journal import Answered, Skipped
from duelist.study.items import Pair, Seen, Sight


class Columns(NamedTuple):
    """Many answers about arms, one a row, so that they can be counted and told at once."""

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


class Tally:
    """Wins by pair of arms, evidence for verdicts, and which pairs each voter has seen on which items.

    One who answers again about the same pair on the same item says nothing new that a verdict could count:
    learners are told, and `wins` has it, but `decisive` and `ties` do not.

    Parameters
    ----------
    k : int
        The number of arms; 0 for choices that are not arms, which are counted by voter alone.
    """

    def __init__(self, k: int) -> None:
        self.wins: FloatArray = np.zeros((k, k))
        """A tie is half a win for each."""
        self.decisive: FloatArray = np.zeros((k, k))
        """Votes for one arm against another; one by 0.8 is 0.6 of a vote and 0.4 of a tie."""
        self.ties: FloatArray = np.zeros((k, k))
        self.answers = 0
        self.repeats = 0
        """Answers of voters about pairs that they had answered before, on the same item."""
        self.voters: defaultdict[str, dict[Sight, int]] = defaultdict(dict)

    def grow(self, k: int) -> None:
        """Make room for more arms."""
        old = len(self.wins)
        for name in ("wins", "decisive", "ties"):
            grown = np.zeros((k, k))
            grown[:old, :old] = getattr(self, name)
            setattr(self, name, grown)

    def count(self, answer: Answered) -> None:
        """Count an answer; a tie is half a win for each side."""
        self.answers += 1
        left, right, outcome = answer.left, answer.right, answer.outcome
        fresh = self._is_new(answer)
        if isinstance(left, int) and isinstance(right, int) and left != right:
            self.wins[left, right] += outcome
            self.wins[right, left] += 1.0 - outcome
            if fresh:
                lead = 2.0 * outcome - 1.0
                self.decisive[(left, right) if lead > 0.0 else (right, left)] += abs(lead)
                if abs(lead) < 1.0:
                    self.ties[left, right] += 1.0 - abs(lead)
                    self.ties[right, left] += 1.0 - abs(lead)

    def count_all(self, answers: Sequence[Answered], columns: Columns | None) -> None:
        """Count many answers; those about arms come as columns too."""
        if columns is None:
            for answer in answers:
                self.count(answer)
            return
        self.answers += len(answers)
        fresh = np.fromiter(map(self._is_new, answers), np.bool_, len(answers))
        differ = columns.sides[:, 0] != columns.sides[:, 1]
        (left, right), outcomes, fresh = columns.sides[differ].T, columns.outcomes[differ], fresh[differ]
        np.add.at(self.wins, (left, right), outcomes)
        np.add.at(self.wins, (right, left), 1.0 - outcomes)
        left, right, lead = left[fresh], right[fresh], 2.0 * outcomes[fresh] - 1.0
        np.add.at(self.decisive, (left, right), np.maximum(lead, 0.0))
        np.add.at(self.decisive, (right, left), np.maximum(-lead, 0.0))
        np.add.at(self.ties, (left, right), 1.0 - np.abs(lead))
        np.add.at(self.ties, (right, left), 1.0 - np.abs(lead))

    def _is_new(self, answer: Answered) -> bool:
        """Note an answer; return whether its voter has not answered about the pair and item before."""
        if answer.voter is None:
            return True
        pair = pair_of(answer.left, answer.right)
        if pair is None:
            return True
        seen, sight = self.voters[answer.voter], (*pair, answer.item)
        before = seen.get(sight, 0)
        seen[sight] = before + 1
        self.repeats += before > 0
        return before == 0

    def note_skipped(self, event: Skipped) -> None:
        """Remember that a voter has seen a pair and said nothing."""
        pair = pair_of(event.left, event.right)
        if event.voter is not None and pair is not None:
            self.voters[event.voter].setdefault((*pair, event.item), 0)

    def seen_by(self, voter: str | None) -> Seen:
        """Return which pairs a voter has seen on which items, and how often each was answered."""
        return {} if voter is None or voter not in self.voters else self.voters[voter]


def pair_of(left: Any, right: Any) -> Pair | None:
    """Return two arms in order, whichever side they were on; None for what are no arms."""
    if not isinstance(left, int):
        return None
    return (left, right) if left <= right else (right, left)
