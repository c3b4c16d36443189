"""The default: a model of all votes while it fits them, and RMED, which trusts nothing, once it does not."""

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

# their kernels read rules and states by the names of fields, and take all that have them
model: Any = top_two
trusting_nothing: Any = rmed
known_pairs: Any = divergences

DOUBTFUL = 3.0  # how far votes may be from the model, in standard deviations

FIRST_LOOK, NEXT_LOOK = 2.0, 1.05
"""The fit is looked at after so many votes an arm, and whenever the votes have grown by this factor."""

MANY = 30  # of more arms not all pairs are compared, to save regret, once the model is given up

FOR_MANY, FOR_FEW = RMED1(), RMED2()  # who takes over


class Rules(NamedTuple):
    """Hyperparameters of both learners, as their kernels read them."""

    precision: float
    bets: Bets
    slack: float
    draws: float
    alpha: float
    weighs_regret: bool
    fixes_rivals: bool
    everyone: ArmMenu


class State(NamedTuple):
    """What both learners have learned; RMED's part is made of `wins` when the model is given up."""

    wins: FloatArray  # wins[i, j]: how often i beat j
    decisive: FloatArray
    proof: FloatArray
    mode: FloatArray
    root: FloatArray
    votes: FloatArray
    look: FloatArray  # at how many answers the fit is looked at next; infinite once the model is given up
    duels: FloatArray
    divergence: FloatArray
    evidence: FloatArray
    fewest: FloatArray
    turn: IntArray
    rival: IntArray
    told: FloatArray  # the time: rounds so far
    order: IntArray  # of the arms, drawn at the start


@borrowing
def trusts_order(state: State) -> bool:
    """Return whether votes have fitted a total order so far."""
    return bool(state.look[0] < np.inf)


@compiled
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the pair of the learner in charge."""
    if trusts_order(state):
        model.ask(rules, state, menu, duel, rng)
        duel.round[0] = state.told[0]
    else:
        trusting_nothing.ask(rules, state, menu, duel, rng)


@compiled
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Tell the learner in charge; at fixed numbers of answers, look whether the model still fits."""
    if not trusts_order(state):
        trusting_nothing.tell(rules, state, duel, outcome)
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
    """Give the model up for good: from now on only what pairs say of themselves counts."""
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
    """Fill in the arm that the learner in charge believes to be the winner."""
    if trusts_order(state):
        model.best(rules, state, menu, answer)
    else:
        trusting_nothing.best(rules, state, menu, answer)


@borrowing
def skip_idle(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Pass rounds in which RMED's leader meets itself; the model decides anew in every round."""
    if not trusts_order(state):
        trusting_nothing.skip_idle(rules, state, run, limit)


@borrowing
def plan(rules: Rules, state: State, menu: ArmMenu, duels: DuelBuffer, rng: Generator) -> int:
    """Fill in pairs that are due whatever the outcomes; the model commits to none."""
    if trusts_order(state):
        return 0
    return int(trusting_nothing.plan(rules, state, menu, duels, rng))


play = playing(ask, tell, best, skip_idle)
fold = folding(tell)


@dataclass(frozen=True)
class Auto(ArmedLearner[State]):
    """Find the best arm without having read a paper: what `Study` uses where no learner is named.

    It begins with `TopTwoBradleyTerry`, which needs few votes because each of them tells about all arms.
    Where votes contradict a total order (a circle, an arm that loses to one that it should beat), it hands
    over to `RMED2`, which believes nothing but what pairs say of themselves; for many arms to `RMED1`, which
    need not compare all pairs. Where an arm may be shown against itself, as in `simulate`, regret stays
    small; where it may not, as in a study, the votes until a verdict are few.

    Parameters
    ----------
    horizon : int, optional
        The number of rounds, if it is known: then `RMED2FH` takes the place of `RMED2`.

    Notes
    -----
    After 2 votes an arm, and then whenever votes have grown by 5%, the model is fitted to the counts of all
    pairs. It is given up for good when squared surprises exceed what chance allows by 3 standard deviations:
    votes of Bradley-Terry problems did so in 4 of 1,400. Since only counts at fixed numbers of answers
    matter, everyone who knows the same votes decides alike.

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
        assumes="a Condorcet winner; few votes are needed where arms have a total order",
        regret="none is proven before the model is given up, that of RMED after",
    )
    kernels = Kernels(ask, tell, best, play, fold, plan)

    def rules(self, k: int) -> Rules:
        few = FOR_FEW if self.horizon is None else RMED2FH(self.horizon)
        return Rules(PRECISION, bets_on(), *(FOR_MANY if k > MANY else few).rules(k))

    def blank(self, k: int, rng: Generator) -> State:
        fitted, pairs = TopTwoBradleyTerry().blank(k, rng), blank_state(k, rng)
        return State(**{**pairs._asdict(), **fitted._asdict()}, look=np.zeros(1))

    def grown(self, state: State, ranks: FloatArray) -> State:
        """Return a state with an arm for each rank: nobody has met the new ones."""
        grown = super().grown(state, ranks)
        return grown._replace(fewest=fewest_duels(grown.duels))
