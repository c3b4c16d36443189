"""Repeating a run, each with its own luck."""

from collections.abc import Callable, Sequence

from numpy.random import Generator, SeedSequence, default_rng

from duelist.contextual_rounds import ContextLedger
from duelist.impressions import RankingLedger
from duelist.parallel import Show, repeat
from duelist.point_rounds import PointLedger
from duelist.rounds import Ledger
from duelist.types import BoolArray


def luck(seed: int, index: int) -> tuple[Generator, Generator]:
    """Return a run's two generators, the learner's and nature's."""
    rng, nature = SeedSequence(seed, spawn_key=(index,)).spawn(2)
    return default_rng(rng), default_rng(nature)


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
