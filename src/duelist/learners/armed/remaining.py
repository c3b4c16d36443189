"""The arms that remain, for learners that remove arms for good: flags, and a queue in an order that is kept.

A state has `remains`, a flag for each arm; `queue`, the arms that remain and then unused room; and `size`,
how many they are.
"""

from typing import Any

from duelist.kernels.arms import book
from duelist.kernels.compile import borrowing
from duelist.kernels.loop import Run


@borrowing
def take_out(state: Any, arm: int) -> None:
    """Take an arm out of those that remain; the others keep their order."""
    state.remains[arm] = False
    kept = 0
    for place in range(state.size[0]):
        if state.queue[place] != arm:
            state.queue[kept] = state.queue[place]
            kept += 1
    state.size[0] = kept


@borrowing
def skip_settled(rules: Any, state: Any, run: Run, limit: int) -> None:
    """Pass all rounds once a single arm remains in the state's queue: the winner is exploited."""
    if state.size[0] == 1 and run.duel.sides[0] == run.duel.sides[1]:
        book(run.world, run.ledger, state.queue[0], state.queue[0], limit)
