"""The default learner: a Bradley-Terry model while it fits the votes, then RMED, which assumes no order."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.constraints import Count
from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu
from duelist.kernels.bradley_terry import PRECISION, misfit
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels, Run
from duelist.learners.armed import divergences, rmed, top_two
from duelist.learners.armed.base import ArmedLearner
from duelist.learners.armed.divergences import NOW, blank_state, fewest_duels
from duelist.learners.armed.rmed import RMED1, RMED2, RMED2FH
from duelist.learners.armed.top_two import ANSWERS, DECISIVE, TopTwoBradleyTerry
from duelist.learners.base import folding, playing
from duelist.stopping.evidence import Bets, bets_on

# their kernels read rules and states by field name, so they accept any tuple that has these fields
model: Any = top_two
model_free: Any = rmed
known_pairs: Any = divergences

DOUBTFUL = 3.0  # the largest misfit of the model, in standard deviations

FIRST_LOOK, NEXT_LOOK = 2.0, 1.05
"""The fit is checked after this many votes per arm and again whenever votes grow by this factor."""

MANY = 30  # with more arms than this, RMED1 takes over: comparing all pairs would cost too much regret

FOR_MANY, FOR_FEW = RMED1(), RMED2()  # the learner that takes over


class Rules(NamedTuple):
    """Hyperparameters of both learners."""

    precision: float
    bets: Bets
    slack: float
    draws: float
    alpha: float
    weighs_regret: bool
    fixes_rivals: bool
    everyone: ArmMenu


class State(NamedTuple):
    """The states of both learners in one; RMED's fields are filled from `wins` when the model is given up."""

    wins: FloatArray  # wins[i, j]: how often i beat j
    decisive: FloatArray
    proof: FloatArray
    mode: FloatArray
    root: FloatArray
    votes: FloatArray
    look: FloatArray  # number of answers at the next check of the fit; infinite once the model is given up
    duels: FloatArray
    divergence: FloatArray
    evidence: FloatArray
    fewest: FloatArray
    turn: IntArray
    rival: IntArray
    told: FloatArray  # the time: rounds so far
    order: IntArray  # random permutation of the arms, drawn at the start


@borrowing
def trusts_order(state: State) -> bool:
    """Return whether the votes have been consistent with a total order so far."""
    return bool(state.look[0] < np.inf)


@compiled
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    if trusts_order(state):
        model.ask(rules, state, menu, duel, rng)
        duel.round[0] = state.told[0]
    else:
        model_free.ask(rules, state, menu, duel, rng)


@compiled
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Update the active learner; at fixed numbers of answers, check whether the model still fits."""
    if not trusts_order(state):
        model_free.tell(rules, state, duel, outcome)
        return
    model.tell(rules, state, duel, outcome)
    answers, arms = state.votes[ANSWERS], len(state.wins)
    if answers >= max(state.look[0], FIRST_LOOK * arms):
        state.look[0] = NEXT_LOOK * answers
        variance = (state.votes[DECISIVE] + 1.0) / (answers + 1.0)
        if misfit(rules.precision, state.wins, variance) > DOUBTFUL:
            hand_over(state)


@borrowing
def hand_over(state: State) -> None:
    """Abandon the model permanently: from now on each pair is judged by its own votes alone."""
    state.look[0] = np.inf
    k = len(state.wins)
    for i in range(k):
        for j in range(k):
            state.duels[i, j] = state.wins[i, j] + state.wins[j, i]
    for i in range(k):
        for j in range(k):
            if state.duels[i, j] > 0.0:
                known_pairs.restate(state, i, j)
        state.turn[i] = NOW


@compiled
def best(rules: Rules, state: State, menu: ArmMenu, answer: IntArray) -> None:
    if trusts_order(state):
        model.best(rules, state, menu, answer)
    else:
        model_free.best(rules, state, menu, answer)


@borrowing
def skip_idle(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Skip rounds in which RMED's leader meets itself; the model skips none, since it redraws every round."""
    if not trusts_order(state):
        model_free.skip_idle(rules, state, run, limit)


@borrowing
def plan(rules: Rules, state: State, menu: ArmMenu, duels: DuelBuffer, rng: Generator) -> int:
    """Fill in pairs that are due whatever the outcomes; the model never commits in advance."""
    if trusts_order(state):
        return 0
    return int(model_free.plan(rules, state, menu, duels, rng))


play = playing(ask, tell, best, skip_idle)
fold = folding(tell)


@dataclass(frozen=True)
class Auto(ArmedLearner[State]):
    """Find the best arm with sensible defaults: the learner that `Study` uses unless you name another.

    It starts with `TopTwoBradleyTerry`, which needs few votes because every vote informs the estimates of all
    arms. If the votes contradict a total order (a cycle, an arm that loses to one it should beat), it
    switches to `RMED2`, which judges each pair by its own votes alone, or with more than 30 arms to `RMED1`,
    which need not compare all pairs. Where an arm may meet itself, as in `simulate`, regret stays small;
    where it may not, as in a study, few votes are needed to reach a verdict.

    Parameters
    ----------
    horizon : int, optional
        Number of rounds, if known: `RMED2FH` is then used instead of `RMED2`.

    Notes
    -----
    The fit is tested after 2 votes per arm, and again whenever the number of votes has grown by 5%. The model
    is abandoned permanently once the squared residuals exceed their expectation by 3 standard deviations:
    this happened in 4 of 1,400 runs on Bradley-Terry problems. The test depends only on vote counts at fixed
    numbers of answers, so equal votes lead to equal decisions.

    References
    ----------
    See `TopTwoBradleyTerry`, `RMED1`, `RMED2` and `RMED2FH`.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> simulate(Auto(), worst_case(5, 0.2), horizon=5_000, runs=3, seed=0)["Auto"].best.tolist()
    [0, 0, 0]
    """

    horizon: Count | None = None

    card = replace(
        TopTwoBradleyTerry.card,
        seeks="Condorcet winner",
        assumes="a Condorcet winner; needs few votes if the arms have a total order",
        regret="not proven while the model is in use; that of RMED afterwards",
    )
    kernels = Kernels(ask, tell, best, play, fold, plan)

    def rules(self, k: int) -> Rules:
        few = FOR_FEW if self.horizon is None else RMED2FH(self.horizon)
        return Rules(PRECISION, bets_on(), *(FOR_MANY if k > MANY else few).rules(k))

    def blank(self, k: int, rng: Generator) -> State:
        fitted, pairs = TopTwoBradleyTerry().blank(k, rng), blank_state(k, rng)
        return State(**{**pairs._asdict(), **fitted._asdict()}, look=np.zeros(1))

    def grown(self, state: State, ranks: FloatArray) -> State:
        grown = super().grown(state, ranks)
        return grown._replace(fewest=fewest_duels(grown.duels))
