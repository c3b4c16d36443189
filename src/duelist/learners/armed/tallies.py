"""Counting wins of arms over arms."""

from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import compiled


@compiled
def record(wins: FloatArray, left: int, right: int, outcome: float) -> None:
    """Add one outcome of a duel between two different arms; a tie is half a win for each."""
    wins[left, right] += outcome
    wins[right, left] += 1.0 - outcome


@compiled
def most_beaten(wins: FloatArray, arms: IntArray, menu: ArmMenu) -> int:
    """Return the arm that won more often than it lost against the most others, the first such of `arms`.

    Only arms on the menu count, as long as one of `arms` is on it.
    """
    champion, most = arms[0], -1
    for i in arms:
        if is_active(menu, i):
            beaten = 0
            for j in arms:
                beaten += wins[i, j] > wins[j, i] and is_active(menu, j)
            if beaten > most:
                champion, most = i, beaten
    return int(champion)
