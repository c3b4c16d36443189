"""The tally: what was answered, counted without any learner's opinion."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from duelist.duel import FloatArray
from duelist.journal import Answered, Skipped
from duelist.study.columns import Columns

Pair = tuple[int, int]


class Tally:
    """Wins by pair of arms, and how often each voter has seen each pair.

    Parameters
    ----------
    k : int
        The number of arms; 0 for choices that are not arms, which are counted by voter alone.
    """

    def __init__(self, k: int) -> None:
        self.wins: FloatArray = np.zeros((k, k))
        self.answers = 0
        self.voters: defaultdict[str, dict[Pair, int]] = defaultdict(dict)

    def grow(self, k: int) -> None:
        """Make room for more arms."""
        wins = np.zeros((k, k))
        wins[: len(self.wins), : len(self.wins)] = self.wins
        self.wins = wins

    def count(self, answer: Answered) -> None:
        """Count an answer; a tie is half a win for each side."""
        self.answers += 1
        left, right = answer.left, answer.right
        if isinstance(left, int) and isinstance(right, int) and left != right:
            self.wins[left, right] += answer.outcome
            self.wins[right, left] += 1.0 - answer.outcome
        self.note_seen(answer)

    def count_all(self, answers: Sequence[Answered], columns: Columns | None) -> None:
        """Count many answers; those about arms come as columns too."""
        if columns is None:
            for answer in answers:
                self.count(answer)
            return
        self.answers += len(answers)
        differ = columns.sides[:, 0] != columns.sides[:, 1]
        (left, right), outcomes = columns.sides[differ].T, columns.outcomes[differ]
        np.add.at(self.wins, (left, right), outcomes)
        np.add.at(self.wins, (right, left), 1.0 - outcomes)
        for answer in answers:
            if answer.voter is not None:
                self.note_seen(answer)

    def note_seen(self, event: Answered | Skipped) -> None:
        """Remember that a voter has seen a pair."""
        pair = pair_of(event.left, event.right)
        if event.voter is not None and pair is not None:
            seen = self.voters[event.voter]
            seen[pair] = seen.get(pair, 0) + 1

    def seen_by(self, voter: str | None) -> dict[Pair, int]:
        """Return how often a voter has seen each pair."""
        return {} if voter is None or voter not in self.voters else self.voters[voter]


def pair_of(left: Any, right: Any) -> Pair | None:
    """Return two arms in order, whichever side they were on; None for what are no arms."""
    if not isinstance(left, int):
        return None
    return (left, right) if left <= right else (right, left)
