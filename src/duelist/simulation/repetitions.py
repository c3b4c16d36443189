"""Repeating a run, each with its own luck."""

from collections.abc import Callable, Sequence

from numpy.random import Generator, SeedSequence, default_rng

from duelist.duel import BoolArray
from duelist.kernels.arms import Ledger
from duelist.kernels.contexts import ContextLedger
from duelist.kernels.points import PointLedger
from duelist.lists import RankingLedger
from duelist.parallel import Show, repeat


def luck(seed: int, index: int) -> tuple[Generator, Generator]:
    """Return a run's two generators, the learner's and world_rng's."""
    rng, world_rng = SeedSequence(seed, spawn_key=(index,)).spawn(2)
    return default_rng(rng), default_rng(world_rng)


def play_all(
    name: str,
    run: Callable[[int], None],
    ledgers: Sequence[Ledger | PointLedger | RankingLedger | ContextLedger],
    halt: BoolArray,
    workers: int | None,
    show: Show,
    standing: Callable[[], str] = str,
) -> None:
    """Play every run, and show how far all of them are and how they stand."""
    total = len(ledgers) * int(ledgers[0].checkpoints[-1])

    def look() -> None:
        show(name, sum(int(ledger.played[0]) for ledger in ledgers) / total, standing())

    look()
    repeat(run, len(ledgers), workers, halt, look)
