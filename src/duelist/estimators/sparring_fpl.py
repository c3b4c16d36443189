"""SparringFPL: Follow the Perturbed Leader against itself on a log (Dudik et al., COLT 2015).

An estimator weights each duel by the inverse of its chance. That is without bias only if every two actions
had a chance to meet, either one on the left, and the chances are right; if not, the answer is a wrong winner
that looks like a sure one, because what was never shown counts as a tie. So a log is checked first.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil, inf, log, sqrt
from typing import Annotated

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Count, Positive, Range, check_fields
from duelist.duel import IntArray
from duelist.errors import ParameterError, require_whole
from duelist.estimators.game import CompactGame, Oracle, SeenPolicies
from duelist.logs import DuelLog
from duelist.parallel import progress_bar
from duelist.policies.finite import ExactOracle, FinitePolicies
from duelist.policies.mixture import PolicyMixture
from duelist.protocols import Policy
from duelist.text import enumeration

BOLD = 10.0  # how many times theory's step size is taken
DELTA = 0.05  # the chance that what theory promises does not hold
SURE = 5.0  # a sum of weights this many standard errors from its expectation is no accident
MANY = 25.0  # a pair expected this often and never shown is no accident
ROUNDING = 1e-9

REMEDY = (
    "Log duels of pairs drawn at random, with the chance of each; where sides do not matter, swap them at "
    "random and halve the chances."
)


class PerturbedLeader:
    """One copy of Follow the Perturbed Leader."""

    def __init__(self, game: CompactGame, oracle: Oracle, noise: float, rng: Generator) -> None:
        self.game, self.oracle, self.noise, self.rng = game, oracle, noise, rng
        self.losses = game.blank()
        self.perturbed = game.blank()

    def move(self) -> tuple[Policy, IntArray]:
        """Return the policy that would have lost least so far, had luck been a little different."""
        self.rng.random(out=self.perturbed)
        self.perturbed *= self.noise
        self.perturbed += self.losses
        return self.game.ask(self.oracle, self.perturbed)


@dataclass(frozen=True)
class SparringFPL:
    """Find a von Neumann winner among policies by letting two learners play each other on a log.

    Parameters
    ----------
    oracle : Oracle
        Finds the cheapest policy; the class is whatever it can return.
    calls : int, default 200
        How often it is asked: twice a round. Two more calls set the step size and measure the answer.
    eta : float, optional
        The step size, by default ten times theory's; a larger one trusts the log sooner. Perturbations are
        uniform in [0, 1 / eta] per entry of a policy vector.
    workers : int, default 2
        Both players ask at the same time, from two threads. 1 for an oracle that cannot be asked like that,
        such as one that remembers its last question; the answer is the same.

    Notes
    -----
    The answer is the uniform mixture of the row player's policies, as in the paper. Policies that do the same
    in every duel of the log count as one.

    The oracle is asked for the number that sets the step size (docs/proofs.md), where the paper takes the
    worst case. `made` holds:

    - `calls`: how often the oracle was asked in all,
    - `gap`: what a best response gains against the answer on the log, 0 for the log's von Neumann winner,
    - `promised_gap`: what theory says of it after as many calls, but for a chance of 0.05,
    - `promised_calls`: the calls after which theory promises the gap with its own step size; null for a gap
      of 0. Practice is far better than the promises, which grow with the root of the log's length.

    Deviation from the paper: the step size is ten times theory's, which counts on every entry of a loss
    vector to change the leader by itself, but in a sum over many duels perturbations cancel. It left smaller
    gaps on logs of 10,000 and 30,000 duels.

    References
    ----------
    Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. "Solving
    the compact game with SparringFPL" and its appendix.
    Kalai, Vempala (2005). Efficient algorithms for online decision problems. JCSS. Theorem 1.1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> left, right = rng.integers(3, size=(2, 900))
    >>> outcomes = np.where(left == right, 0.5, (left - right) % 3 == 1)  # 1 beats 0, 2 beats 1, 0 beats 2
    >>> cycle = DuelLog(np.zeros((900, 1)), left, right, outcomes, np.full(900, 1 / 9), actions=3)
    >>> winner = SparringFPL(oracle=FinitePolicies([[0], [1], [2]]).oracle(), calls=400).fit(cycle, seed=0)
    >>> winner.weights.round(1), round(winner.made["gap"], 1)
    (array([0.4, 0.3, 0.3]), 0.1)
    """

    oracle: Oracle
    calls: Annotated[int, Range(least=2)] = 200
    eta: Positive | None = None
    workers: Count = 2

    card = Card(
        setting="contexts",
        seeks="von Neumann winner among policies",
        assumes="a log of randomised duels, and an oracle for the class of policies",
        regret="no regret, since it learns from a log; the gap falls as the root of the calls",
        citation="Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits",
        needs_propensities=True,
        example={"oracle": ExactOracle(FinitePolicies([[0, 1], [1, 2], [2, 0]])), "calls": 10},
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def fit(self, log: DuelLog, seed: int = 0, progress: bool | None = None) -> PolicyMixture:
        """Return the mixture; equal seeds, equal mixtures. By default a bar is shown on terminals only.

        A log in which a pair was never shown, or on one side only, or with wrong propensities, is refused.
        """
        require_whole("seed", seed, 0)
        require_coverage(log)
        game = CompactGame(log)
        rounds = self.calls // 2
        reach = game.reach(self.oracle, 1)
        eta = self.eta or BOLD * best_eta(reach, rounds)
        # the oracle's costs are a policy vector's losses times m, and the vector's entries are 1 / sqrt(m)
        noise = sqrt(len(game)) / eta
        streams = np.random.SeedSequence(seed).spawn(2)
        row, column = (
            PerturbedLeader(game, self.oracle, noise, np.random.default_rng(part)) for part in streams
        )
        seen, counts, chances = SeenPolicies(), np.zeros(rounds), game.blank()
        duels = np.arange(len(game))
        with progress_bar(progress) as show, ThreadPoolExecutor(self.workers) as pool:
            # one after the other there is nothing to hand over to a thread
            apply = map if self.workers == 1 else pool.map
            for played in range(rounds):
                show(type(self).__name__, played / rounds)
                (policy, actions), (_, rivals) = apply(PerturbedLeader.move, (row, column))
                game.charge(rivals, row.losses)
                game.charge(actions, column.losses)
                counts[seen.place(policy, actions)] += 1.0
                chances[duels, actions] += 1.0 / rounds
            gap = game.gap(self.oracle, chances, seen.policies)
            show(type(self).__name__, 1.0, f"gap {gap:.3g}")
        made = {
            "learner": type(self).__name__,
            "duels": len(game),
            "actions": game.k,
            "eta": None if eta == inf else eta,
            "calls": 2 * rounds + 2,
            "gap": gap,
            "promised_gap": promised_gap(len(game), reach, rounds, eta),
            "promised_calls": promised_calls(len(game), reach, gap) if gap > 0.0 else None,
        }
        return seen.mixture(counts[: len(seen)] / rounds, log, made)


def best_eta(reach: float, rounds: int) -> float:
    """Return Kalai and Vempala's step size; infinite, for no perturbations, where nothing can be lost."""
    return sqrt(2.0 / (min(reach, 1.0) * reach * rounds)) if reach > 0.0 else inf


def promised_gap(duels: int, reach: float, rounds: int, eta: float) -> float:
    """Return what the gap is at most, but for a chance of 0.05: both players' regret, and Azuma's bound."""
    most = min(reach, 1.0)
    regret = sqrt(duels) * (eta * most * reach + 2.0 / (eta * rounds)) if reach > 0.0 else 0.0
    return 2.0 * (regret + most * sqrt(2.0 * log(2.0 / DELTA) / rounds))


def promised_calls(duels: int, reach: float, gap: float) -> int:
    """Return the calls after which this gap is promised, with the best step size."""
    most = min(reach, 1.0)
    once = 4.0 * sqrt(2.0 * duels * most * reach) + 2.0 * most * sqrt(2.0 * log(2.0 / DELTA))
    return 2 * max(1, ceil((once / gap) ** 2))


def require_coverage(log: DuelLog) -> None:
    """Refuse a log from which duels of some actions cannot be estimated, and say which and what to do.

    Two things are looked at. A pair that was shown often on one side was shown on the other, too, as was
    every pair in a log that is long enough. And inverse propensities come, up to chance, to the number of
    ordered pairs that can be shown: K (K - 1), or K^2 with self-duels, if the propensities are right.

    Examples
    --------
    >>> one_sided = DuelLog([[0.0]] * 30, [0] * 30, [1] * 30, [1.0] * 30, [0.5] * 30, actions=2)
    >>> require_coverage(one_sided)
    Traceback (most recent call last):
    duelist.errors.ParameterError: log: 1 against 0 was never shown (left against right). Log duels of \
pairs drawn at random, with the chance of each; where sides do not matter, swap them at random and halve the \
chances.
    """
    shown = np.zeros((log.k, log.k))
    np.add.at(shown, (log.left, log.right), 1.0)
    # in a log so long that each pair is expected often, the other side says nothing new
    expected = np.maximum(shown.T, len(log) / log.k**2)
    missing = np.argwhere((shown == 0.0) & (expected >= MANY) & ~np.eye(log.k, dtype=bool))
    if len(missing):
        pairs = enumeration([f"{log.actions[a]} against {log.actions[b]}" for a, b in missing], limit=4)
        raise ParameterError(f"log: {pairs} was never shown (left against right). {REMEDY}")
    weights = 1.0 / log.propensities
    mean, least, most = float(weights.mean()), log.k * (log.k - 1), log.k**2
    nearest = min(max(mean, least), most)
    # around the expectation, so that a few duels of equal weight are not taken for certainty
    error = float(np.sqrt(np.square(weights - nearest).mean() / len(log)))
    if abs(mean - nearest) > SURE * error + ROUNDING * most:
        raise ParameterError(
            f"log: the inverse propensities come to {mean:.3g} a duel, and not to the number of ordered "
            f"pairs of {log.k} actions, {least} without self-duels or {most} with them: some pairs were "
            f"never shown, or on one side only, or the propensities are wrong. {REMEDY}"
        )
