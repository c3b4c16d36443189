"""Evidence as what bets have become: exact over all sequences of votes."""

from itertools import product
from math import exp, inf, log

import numpy as np
import pytest

from duelist.stopping.evidence import SHARES, STAKES, bets_on, fill_evidence, log_evidence


def money(votes: tuple[float, ...], margin: float = 0.0) -> float:
    """Return what one unit has become, vote by vote."""
    total = 0.0
    for share, stake in zip(SHARES, STAKES, strict=True):
        held = share
        for vote in votes:
            held *= 1.0 + stake * (2.0 * vote - 1.0 + 2.0 * margin) / (1.0 + 2.0 * abs(margin))
        total += held
    return total


@pytest.mark.parametrize("margin", [0.0, 0.05, -0.05, 0.25])
def test_it_is_what_bets_on_each_vote_become(margin: float) -> None:
    votes = (1.0, 1.0, 0.5, 0.0, 1.0, 0.5, 1.0, 1.0)
    assert exp(log_evidence(bets_on(margin), 5.0, 1.0, 2.0)) == pytest.approx(money(votes, margin), rel=1e-9)


@pytest.mark.parametrize("margin", [0.0, 0.1, -0.1])
@pytest.mark.parametrize("tie", [0.0, 0.4])
def test_where_the_arm_is_not_better_it_stays_1_on_average(margin: float, tie: float) -> None:
    mean = 0.5 - margin
    chances = {1.0: mean - tie / 2, 0.5: tie, 0.0: 1.0 - mean - tie / 2}
    expected = 0.0
    for votes in product(chances, repeat=7):
        counts = [float(votes.count(outcome)) for outcome in (1.0, 0.0, 0.5)]
        chance = float(np.prod([chances[vote] for vote in votes]))
        expected += chance * exp(log_evidence(bets_on(margin), *counts))
    assert expected == pytest.approx(1.0, rel=1e-9)


def test_it_grows_where_the_arm_is_better_and_shrinks_where_it_is_worse() -> None:
    bets = bets_on()
    assert log_evidence(bets, 600.0, 400.0, 0.0) > 10.0
    assert log_evidence(bets, 400.0, 600.0, 0.0) < -0.5
    assert log_evidence(bets, 5200.0, 4800.0, 0.0) > log_evidence(bets, 520.0, 480.0, 0.0)


def test_ties_drop_out_but_with_a_margin_speak_for_equality() -> None:
    assert log_evidence(bets_on(), 9.0, 3.0, 0.0) == log_evidence(bets_on(), 9.0, 3.0, 1000.0)
    assert log_evidence(bets_on(0.05), 9.0, 9.0, 1000.0) > log_evidence(bets_on(0.05), 9.0, 9.0, 0.0) + 5.0
    assert log_evidence(bets_on(-0.05), 9.0, 9.0, 1000.0) < -1.0


@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("vote", [0.51, 0.6, 0.75, 0.99, 0.3])
def test_a_vote_by_a_number_is_never_overstated(vote: float, margin: float) -> None:
    lead = 2.0 * vote - 1.0
    for votes in (1, 20):
        wins, losses = votes * max(lead, 0.0), votes * max(-lead, 0.0)
        counted = log_evidence(bets_on(margin), wins, losses, votes * (1.0 - abs(lead)))
        assert counted <= log(money((vote,) * votes, margin)) + 1e-12


def test_the_first_loss_ends_the_bet_of_everything_only() -> None:
    assert log_evidence(bets_on(), 0.0, 0.0, 0.0) == pytest.approx(0.0, abs=1e-12)
    assert exp(log_evidence(bets_on(), 0.0, 1.0, 0.0)) == pytest.approx(1.0 - (SHARES * STAKES).sum())


def test_the_table_has_every_pair() -> None:
    decisive, ties = np.array([[0.0, 8.0], [2.0, 0.0]]), np.array([[0.0, 3.0], [3.0, 0.0]])
    table = np.empty((2, 2))
    fill_evidence(bets_on(0.1), decisive, ties, table)
    assert table[0, 1] == log_evidence(bets_on(0.1), 8.0, 2.0, 3.0)
    assert table[1, 0] == log_evidence(bets_on(0.1), 2.0, 8.0, 3.0)
    assert table[0, 0] == table[1, 1] == inf
