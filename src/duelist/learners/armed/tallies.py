"""Counting wins of arms over arms."""

from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing


@borrowing
def record(wins: FloatArray, left: int, right: int, outcome: float) -> None:
    """Add one outcome of a duel between two different arms; a tie is half a win for each."""
    wins[left, right] += outcome
    wins[right, left] += 1.0 - outcome


@borrowing
def most_beaten(wins: FloatArray, arms: IntArray, size: int, menu: ArmMenu) -> int:
    """Return who won more often than it lost against the most others, of the first `size` of `arms`.

    Only arms on the menu count, as long as one of them is on it; of several, the first is taken.
    """
    champion, most = arms[0], -1
    for place in range(size):
        i = arms[place]
        if is_active(menu, i):
            beaten = 0
            for other in range(size):
                j = arms[other]
                beaten += wins[i, j] > wins[j, i] and is_active(menu, j)
            if beaten > most:
                champion, most = i, beaten
    return int(champion)
