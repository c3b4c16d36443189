"""SparringFPL: Follow the Perturbed Leader against itself on a log (Dudik et al., COLT 2015).

An estimator weights each duel by its inverse propensity. This is unbiased only if every pair of actions could
be shown, in both orders, and if the propensities are correct. Otherwise the result is a wrong winner that
looks certain, because pairs that were never shown count as ties. So the log is checked first.
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

BOLD = 10.0  # the default step size, as a multiple of the theoretical one
DELTA = 0.05  # the probability that the theoretical bounds fail
SURE = 5.0  # a sum of weights this many standard errors from its expectation is not due to chance
MANY = 25.0  # a pair with this expected count that was never shown is not due to chance
ROUNDING = 1e-9

REMEDY = (
    "Log duels of random pairs with their propensities; if sides do not matter, swap them at random and "
    "halve the propensities."
)


class PerturbedLeader:
    """One copy of Follow the Perturbed Leader."""

    def __init__(self, game: CompactGame, oracle: Oracle, noise: float, rng: Generator) -> None:
        self.game, self.oracle, self.noise, self.rng = game, oracle, noise, rng
        self.losses = game.blank()
        self.perturbed = game.blank()

    def move(self) -> tuple[Policy, IntArray]:
        """Return the policy with the lowest perturbed loss so far."""
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
        Finds the cheapest policy; the class consists of all policies it can return.
    calls : int, default 200
        Number of calls of the oracle, two per round. Two more calls determine the step size and measure the
        answer.
    eta : float, optional
        The step size, by default ten times the theoretical one; a larger step size trusts the log sooner.
        Perturbations are uniform in [0, 1 / eta] per entry of a policy vector.
    workers : int, default 2
        Number of threads: with 2, both players call the oracle at the same time. Use 1 for an oracle that is
        not thread-safe; the answer is the same.

    Notes
    -----
    The answer is the uniform mixture of the row player's policies, as in the paper. Policies that act alike
    in every duel of the log count as one.

    The constant in the step size is computed by the oracle (docs/proofs.md), whereas the paper uses the worst
    case. `made` holds:

    - `calls`: the total number of calls of the oracle,
    - `gap`: the gain of a best response against the answer on the log; 0 for the log's von Neumann winner,
    - `promised_gap`: the theoretical bound on the gap after this number of calls, with probability 0.95,
    - `promised_calls`: the number of calls after which theory guarantees this gap, with its own step size;
      null for a gap of 0. In practice, far fewer calls are enough. The bounds grow with the root of the log's
      length.

    Deviation from the paper: the step size is ten times the theoretical one. The theory assumes that every
    single entry of a loss vector can change the leader, but in a sum over many duels the perturbations
    cancel. The larger step size gave smaller gaps on logs of 10,000 and 30,000 duels.

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
        regret="none, since it learns from a log; the gap falls with the root of the number of calls",
        citation="Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits",
        needs_propensities=True,
        example={"oracle": ExactOracle(FinitePolicies([[0, 1], [1, 2], [2, 0]])), "calls": 10},
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def fit(self, log: DuelLog, seed: int = 0, progress: bool | None = None) -> PolicyMixture:
        """Learn a mixture of policies from a log.

        Parameters
        ----------
        log : DuelLog
            Randomised duels with their propensities.
        seed : int, default 0
            Seed of the perturbations; equal seeds give equal mixtures.
        progress : bool, optional
            Whether to show a progress bar; by default only on a terminal.

        Returns
        -------
        PolicyMixture
            The approximate von Neumann winner of the log.

        Raises
        ------
        ParameterError
            If a pair was never shown, or only in one order, or if the propensities are wrong.
        """
        require_whole("seed", seed, 0)
        require_coverage(log)
        game = CompactGame(log)
        rounds = self.calls // 2
        reach = game.reach(self.oracle, 1)
        eta = self.eta or BOLD * best_eta(reach, rounds)
        # the oracle's costs are the losses of a policy vector, whose entries are 1 / sqrt(m), times m
        noise = sqrt(len(game)) / eta
        streams = np.random.SeedSequence(seed).spawn(2)
        row, column = (
            PerturbedLeader(game, self.oracle, noise, np.random.default_rng(part)) for part in streams
        )
        seen, counts, chances = SeenPolicies(), np.zeros(rounds), game.blank()
        duels = np.arange(len(game))
        with progress_bar(progress) as show, ThreadPoolExecutor(self.workers) as pool:
            # without a second thread, the pool is not needed
            apply = map if self.workers == 1 else pool.map
            for played in range(rounds):
                show(type(self).__name__, played / rounds)
                (policy, actions), (_, rivals) = apply(PerturbedLeader.move, (row, column))
                game.charge(rivals, row.losses)
                game.charge(actions, column.losses)
                counts[seen.number_of(policy, actions)] += 1.0
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
    """Return Kalai and Vempala's step size; infinite (no perturbations) if no loss is possible."""
    return sqrt(2.0 / (min(reach, 1.0) * reach * rounds)) if reach > 0.0 else inf


def promised_gap(duels: int, reach: float, rounds: int, eta: float) -> float:
    """Return the bound on the gap with probability 0.95: the regret of both players plus Azuma's bound."""
    most = min(reach, 1.0)
    regret = sqrt(duels) * (eta * most * reach + 2.0 / (eta * rounds)) if reach > 0.0 else 0.0
    return 2.0 * (regret + most * sqrt(2.0 * log(2.0 / DELTA) / rounds))


def promised_calls(duels: int, reach: float, gap: float) -> int:
    """Return the number of calls after which this gap is guaranteed, with the best step size."""
    most = min(reach, 1.0)
    once = 4.0 * sqrt(2.0 * duels * most * reach) + 2.0 * most * sqrt(2.0 * log(2.0 / DELTA))
    return 2 * max(1, ceil((once / gap) ** 2))


def require_coverage(log: DuelLog) -> None:
    """Raise ParameterError if duels of some actions cannot be estimated from a log.

    There are two checks. A pair that was shown often in one order must have been shown in the other order
    too, and so must every pair if the log is long enough. And the mean inverse propensity must be, up to
    chance, the number of ordered pairs that can be shown: K (K - 1), or K^2 with self-duels.

    Examples
    --------
    >>> one_sided = DuelLog([[0.0]] * 30, [0] * 30, [1] * 30, [1.0] * 30, [0.5] * 30, actions=2)
    >>> require_coverage(one_sided)
    Traceback (most recent call last):
    duelist.errors.ParameterError: log: 1 against 0 was never shown (left against right). Log duels of \
random pairs with their propensities; if sides do not matter, swap them at random and halve the propensities.
    """
    shown = np.zeros((log.k, log.k))
    np.add.at(shown, (log.left, log.right), 1.0)
    # in a long log, each pair is expected often, whether or not its other order was shown
    expected = np.maximum(shown.T, len(log) / log.k**2)
    missing = np.argwhere((shown == 0.0) & (expected >= MANY) & ~np.eye(log.k, dtype=bool))
    if len(missing):
        pairs = enumeration([f"{log.actions[a]} against {log.actions[b]}" for a, b in missing], limit=4)
        verb = "was" if len(missing) == 1 else "were"
        raise ParameterError(f"log: {pairs} {verb} never shown (left against right). {REMEDY}")
    weights = 1.0 / log.propensities
    mean, least, most = float(weights.mean()), log.k * (log.k - 1), log.k**2
    nearest = min(max(mean, least), most)
    # the deviation from the expectation, because equal weights in a few duels must not look like certainty
    error = float(np.sqrt(np.square(weights - nearest).mean() / len(log)))
    if abs(mean - nearest) > SURE * error + ROUNDING * most:
        raise ParameterError(
            f"log: the mean inverse propensity is {mean:.3g}, but {log.k} actions have {least} ordered pairs "
            f"({most} with self-duels): some pairs were never shown, or only in one order, or the "
            f"propensities are wrong. {REMEDY}"
        )
