"""Votes are drawn as recorded, and a run stops exactly when the verdict on its tables is decided."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from duelist import Votes
from duelist.duel import FloatArray
from duelist.kernels.duels import ANY_ROUND, arm_buffer
from duelist.kernels.live import interpreted_kernels
from duelist.replaying.engine import ReplaySetting
from duelist.replaying.world import (
    NO_WINNER,
    PROVEN,
    UNDECIDED,
    WRONG,
    VoteWorld,
    cast_vote,
    close_votes,
    draw_vote,
    finding,
    pool_of,
)
from duelist.stopping import verdict_on
from duelist.stopping.evidence import fill_evidence

WINS = np.array([[0, 6, 7, 5], [4, 0, 3, 9], [3, 2, 0, 6], [0, 1, 4, 0]])
TIES = np.array([[0, 0, 2, 5], [0, 0, 5, 0], [2, 5, 0, 0], [5, 0, 0, 0]])


def setting_of(wins: Any, ties: Any = None, delta: float = 0.05, limit: int = 10_000) -> ReplaySetting:
    return ReplaySetting(pool_of(Votes.from_counts(wins, ties)), delta, np.arange(1, limit + 1), 0)


class Sequence:
    """Gives numbers in the place of random ones."""

    def __init__(self, *numbers: float) -> None:
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0)


def test_every_recorded_vote_is_as_likely() -> None:
    world = setting_of(WINS, TIES).open_world()
    for left in range(4):
        for right in set(range(4)) - {left}:
            won, tied, lost = WINS[left, right], TIES[left, right], WINS[right, left]
            total = won + tied + lost
            rng: Any = Sequence(*((vote + 0.5) / total for vote in range(total)))
            with interpreted_kernels():
                drawn = [draw_vote(world, left, right, rng) for _ in range(total)]
            assert [drawn.count(outcome) for outcome in (1.0, 0.5, 0.0)] == [won, tied, lost]


def test_the_compiled_draw_has_the_recorded_frequencies() -> None:
    world, rng, n = setting_of(WINS, TIES).open_world(), default_rng(0), 40_000
    drawn = [draw_vote(world, 0, 2, rng) for _ in range(n)]
    for outcome, votes in ((1.0, 7), (0.5, 2), (0.0, 3)):
        share = Fraction(votes, 12)
        deviation = float(share * (1 - share) / n) ** 0.5
        assert abs(drawn.count(outcome) / n - float(share)) < 4.0 * deviation


def as_found(world: VoteWorld, delta: float) -> int:
    """Return the verdict on the tables of a world, in its numbers."""
    names = [str(arm) for arm in range(len(world.decisive))]
    verdict = verdict_on(names, world.decisive, world.tied, delta=delta)
    if verdict.finding == "winner":
        return names.index(str(verdict.winner))
    return NO_WINNER if verdict.finding == "no winner" else UNDECIDED


def random_table(k: int, rng: Generator) -> FloatArray:
    """Return votes of an order or a circle, or of neither, from few to many."""
    lead = rng.uniform(0.0, 0.4) * rng.choice([-1.0, 1.0], p=[0.1, 0.9], size=(k, k))
    arm = np.arange(k)
    if rng.random() < 0.5:
        lead = np.where((arm - arm[:, None]) % k <= k // 2, lead, -lead)
    chance = 0.5 + np.triu(lead, 1) - np.triu(lead, 1).T
    votes = rng.integers(0, 200, (k, k))
    wins = np.triu(rng.binomial(votes, chance), 1)
    return np.asarray(wins + np.triu(votes - wins, 1).T, np.float64)


def test_what_is_found_in_any_table_is_the_verdict_on_it() -> None:
    rng, seen = default_rng(0), set[int]()
    for trial in range(600):
        k, delta = 2 + trial % 4, float(rng.choice([0.01, 0.05, 0.5]))
        world = setting_of(np.ones((k, k)) - np.eye(k), delta=delta).open_world()
        world.decisive[:] = random_table(k, rng)
        ties = np.triu(rng.integers(0, 9, (k, k)), 1)
        world.tied[:] = ties + ties.T
        fill_evidence(world.bets, world.decisive, world.tied, world.evidence)
        found = finding(world)
        assert found == as_found(world, delta)
        seen.add(min(found, 0))
    assert seen == {0, UNDECIDED, NO_WINNER}


@pytest.mark.parametrize(
    ("wins", "right"),
    [
        ([[0, 9, 9], [1, 0, 9], [1, 1, 0]], 0),
        ([[0, 1, 8], [9, 0, 2], [2, 8, 0]], NO_WINNER),
        ([[0, 3, 7, 8], [7, 0, 2, 8], [3, 8, 0, 8], [2, 2, 2, 0]], NO_WINNER),
    ],
)
def test_a_run_stops_at_the_first_vote_at_which_its_tables_decide(wins: Any, right: int) -> None:
    for seed in range(3):
        setting = setting_of(wins, 3 * (1 - np.eye(len(wins))), delta=0.2)
        world, ledger = setting.open_world(), setting.ledger(np.zeros(1, np.bool_))
        rng, world_rng, duel = default_rng([seed, 0]), default_rng([seed, 1]), arm_buffer()
        while ledger.counts[PROVEN] == UNDECIDED:
            assert as_found(world, 0.2) == UNDECIDED
            duel.sides[:] = rng.permutation(len(wins))[:2]
            cast_vote(world, ledger, duel, world_rng)
        assert ledger.counts[PROVEN] == as_found(world, 0.2) == right
        assert ledger.played[0] == world.decisive.sum() + world.tied.sum() / 2
        assert world.tied.any()
        assert np.array_equal(world.tied, world.tied.T)
        assert ledger.plays.sum() == 2 * ledger.played[0]
        before = ledger.played[0], world.decisive.sum()
        cast_vote(world, ledger, duel, world_rng)
        assert (ledger.played[0], world.decisive.sum()) == before


def test_an_arm_against_itself_meets_its_least_proven_rival() -> None:
    setting = setting_of(WINS, TIES)
    world, ledger, duel = setting.open_world(), setting.ledger(np.zeros(1, np.bool_)), arm_buffer()
    world.evidence[2] = [1.5, -0.5, -9.0, 0.3]
    duel.sides[:] = 2
    duel.round[0] = 17.0
    cast_vote(world, ledger, duel, default_rng(0))
    assert duel.sides.tolist() == [2, 1]
    assert duel.round[0] == ANY_ROUND
    assert ledger.plays.tolist() == [[0, 1, 1, 0]]


def test_a_vote_after_which_a_wrong_arm_is_named_is_written_down() -> None:
    setting = setting_of(WINS, TIES)
    world, ledger = setting.open_world(), setting.ledger(np.zeros(1, np.bool_))
    assert world.truth == 0
    for played, answer, proven, wrong in [
        (1, 0, UNDECIDED, 0),
        (2, 3, UNDECIDED, 2),
        (3, 0, UNDECIDED, 2),
        (4, 3, 0, 2),  # what is proven counts, not what the learner believes
        (5, 0, 1, 5),
        (6, 0, NO_WINNER, 6),
    ]:
        ledger.played[0], ledger.answer[0], ledger.counts[PROVEN] = played, answer, proven
        close_votes(world, ledger, 0)
        assert ledger.counts[WRONG] == wrong
