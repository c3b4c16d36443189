"""Learners that are wrong fail the verdicts on the theorems, played by the sweep itself."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from made import claims_with, holds, make_results

from duelist.duel import FloatArray
from duelist.estimators import SparringPGD
from duelist.estimators.game import CompactGame, Oracle
from duelist.kernels import loop
from duelist.kernels.compile import compiled
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Run
from duelist.laboratory import Arrays, ItemResults, Piece, Scale, Sources
from duelist.learners.contextual import SparringEXP4P, sparring_exp4p
from duelist.learners.contextual.sparring_exp4p import Rules, State
from duelist.logs import DuelLog
from duelist.policies import PolicyMixture
from duelist.policies.finite import TablePolicy
from duelist_reproductions.dudik2015 import PAPER, theorems_sweep, theorems_world
from duelist_reproductions.dudik2015.theorems import ITEM
from duelist_reproductions.dudik2015.theorems_world import policies

pytest_plugins = ["quick_scale"]
NOWHERE = Sources(None)


@pytest.fixture(scope="module")
def quick(play_quickly: Callable[[str], ItemResults]) -> ItemResults:
    return play_quickly(PAPER.name_of(ITEM))


class NeverUpdates:
    """Asks nothing, and mixes policies drawn at random, as many as are allowed."""

    def __init__(self, oracle: Oracle, calls: int, *settings: Any, workers: int = 1) -> None:
        self.oracle, self.calls, self.settings = oracle, calls, settings

    def fit(self, log: DuelLog, seed: int, progress: bool) -> PolicyMixture:
        chosen = np.random.default_rng(seed).integers(81, size=self.calls // 2).tolist()
        return self.mixed([policies()[policy] for policy in chosen], log)

    def mixed(self, chosen: list[TablePolicy], log: DuelLog) -> PolicyMixture:
        """Mix policies, and claim that nothing is left to gain."""
        weights = np.full(len(chosen), 1.0 / len(chosen))
        return PolicyMixture(chosen, weights, log.actions, log.columns, {"calls": 0, "gap": 0.0})


class Uniform(NeverUpdates):
    """Mixes all policies alike."""

    def fit(self, log: DuelLog, seed: int, progress: bool) -> PolicyMixture:
        return self.mixed(list(policies()), log)


class BestAlone(NeverUpdates):
    """Follows the one policy that does best against playing at random."""

    def fit(self, log: DuelLog, seed: int, progress: bool) -> PolicyMixture:
        game = CompactGame(log)
        costs = game.costs(np.full((len(log), log.k), 1.0 / log.k))
        return self.mixed([policies().oracle().cheapest(log.contexts, costs)], log)


class Reversed(NeverUpdates):
    """Learns, but takes wins for losses."""

    def outcomes(self, log: DuelLog, seed: int) -> FloatArray:
        return np.asarray(1.0 - log.outcomes)

    def fit(self, log: DuelLog, seed: int, progress: bool) -> PolicyMixture:
        outcomes = self.outcomes(log, seed)
        told = DuelLog(log.contexts, log.left, log.right, outcomes, log.propensities, log.actions)
        return SparringPGD(self.oracle, min(self.calls, 40)).fit(told, seed, progress=False)


class Coins(Reversed):
    """Learns, but from coins in place of outcomes."""

    def outcomes(self, log: DuelLog, seed: int) -> FloatArray:
        return np.random.default_rng(seed).integers(2, size=len(log)).astype(np.float64)


@compiled
def tell_reversed(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    sparring_exp4p.tell(rules, state, duel, 1.0 - outcome)


@compiled
def play_reversed(rules: Rules, state: State, run: Run) -> None:
    skip, ask, best = loop.skip_nothing, sparring_exp4p.ask, sparring_exp4p.best
    loop.play(ask, tell_reversed, best, skip, skip, rules, state, run)


class ReversedEXP4P(SparringEXP4P):
    """Rewards the loser."""

    kernels = SparringEXP4P.kernels._replace(tell=tell_reversed, play=play_reversed)


class StiffEXP4P(SparringEXP4P):
    """Does not change its weights."""

    least = 0.0

    def rules_for(self, state: State) -> Rules:
        return super().rules()._replace(least=self.least)


class RandomEXP4P(StiffEXP4P):
    """Plays at random, whatever its weights."""

    least = 1.0 / 3.0


@pytest.mark.parametrize(
    ("learner", "wrong", "claims"),
    [
        ("SparringEXP4P", StiffEXP4P, "no_winner_alone regret_bound regret_rate error_rate"),
        ("SparringEXP4P", ReversedEXP4P, "no_winner_alone regret_bound regret_rate error_rate"),
        ("SparringEXP4P", RandomEXP4P, "regret_bound regret_rate"),
        ("SparringFPL", NeverUpdates, "no_winner_alone error_rate calls promise"),
        ("SparringFPL", Uniform, "no_winner_alone error_rate calls promise support"),
        ("SparringFPL", BestAlone, "no_winner_alone error_rate calls"),
        ("SparringPGD", NeverUpdates, "no_winner_alone error_rate calls promise error_bound"),
        ("SparringPGD", Reversed, "no_winner_alone error_rate calls promise error_bound"),
        ("SparringPGD", Coins, "no_winner_alone calls promise error_bound"),
    ],
)
def test_wrong_learners_fail(
    quick: ItemResults, monkeypatch: pytest.MonkeyPatch, learner: str, wrong: type, claims: str
) -> None:
    monkeypatch.setattr(theorems_sweep if learner == "SparringEXP4P" else theorems_world, learner, wrong)

    def arrays(piece: Piece) -> Arrays:
        return piece.do(NOWHERE) if piece.name.startswith(learner) else quick[piece.name]

    found = holds(PAPER, ITEM, make_results(ITEM, arrays, Scale.QUICK, real=False))
    short = learner.removeprefix("Sparring").lower()
    assert {name.removeprefix(f"{short}_") for name in claims_with(found, False)} >= set(claims.split())


def test_a_quick_look_holds(quick: ItemResults) -> None:
    verdicts = holds(PAPER, ITEM, quick)
    assert claims_with(verdicts, False) == set()
    held = {"no_winner_alone", "exp4p_regret_bound", "error_bound", "support", "pgd_fewer_calls"}
    assert claims_with(verdicts, True) >= held | {"fpl_calls", "pgd_calls", "fpl_promise", "pgd_promise"}
