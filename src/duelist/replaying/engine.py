"""The replay engine: recorded votes are replayed with any learner by the simulation engine."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.defaults import DELTA
from duelist.duel import BoolArray, Duel, IntArray, require_arm
from duelist.errors import ParameterError, require_confidence
from duelist.kernels import loop
from duelist.kernels.arms import arm_menu
from duelist.kernels.duels import arm_buffer
from duelist.kernels.loop import Kernels, Ledger, Run, open_ledger, skip_nothing
from duelist.learners.base import compiled_like
from duelist.menus import Arms
from duelist.parallel import progress_bar
from duelist.protocols import Learner
from duelist.replaying.result import ReplayResult, ReplayRuns, runs_of_ends
from duelist.replaying.world import (
    NO_WINNER,
    PROVEN,
    UNDECIDED,
    WRONG,
    Pool,
    VoteWorld,
    close_votes,
    pool_of,
    step_votes,
)
from duelist.simulation.arguments import LEARNER_NEEDS, Named, log_spaced, name_learners, require_sizes
from duelist.simulation.runs import Contender, Setting, measure_all
from duelist.stopping.evidence import bets_on
from duelist.stopping.thresholds import log_thresholds
from duelist.votes import Votes

MOST_VOTES = 10_000_000  # the largest limit: every vote is a checkpoint, which takes memory
PER_DECADE = 40  # points per factor of ten at which shares of runs are drawn


@cache
def vote_by_vote(kernels: Kernels) -> Callable[[Any, Any, Run], None]:
    """Return the loop over votes with a learner's kernels, without its jumps over rounds."""
    ask, tell, best = kernels.ask, kernels.tell, kernels.best

    def replay(rules: Any, state: Any, run: Run) -> None:
        loop.play(ask, tell, best, skip_nothing, skip_nothing, rules, state, run)

    return compiled_like(tell, replay)


@dataclass(frozen=True)
class ReplaySetting(Setting[ReplayRuns]):
    """Recorded votes, and the error probability for stopping; learners are measured after every vote."""

    votes: Pool
    delta: float
    marks: IntArray
    seed: int

    runs = ReplayRuns
    compiled = True

    @property
    def menu(self) -> Arms:
        """All pairs of different arms."""
        return Arms(len(self.votes.arms), self_duels=False)

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger; nothing is measured at the many checkpoints."""
        answer, plays = np.zeros(1, np.int64), (1, len(self.votes.arms))
        opened = open_ledger(self.marks, halt, measures=0, answer=answer, counts=2, plays=plays)
        opened.counts[PROVEN] = UNDECIDED
        return opened

    def start(self, learner: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Contender:
        return Contender(learner, learner.init(self.menu, rng), ledger, rng, world_rng, self.open_world())

    def open_world(self) -> VoteWorld:
        """Return the recorded votes, and empty tables for those of one run."""
        k = len(self.votes.arms)
        return VoteWorld(
            wins=self.votes.wins,
            ties=self.votes.ties,
            truth=self.votes.truth,
            bets=bets_on(),
            enough=float(log_thresholds(k, self.delta)[0, 1]),
            decisive=np.zeros((k, k)),
            tied=np.zeros((k, k)),
            evidence=np.zeros((k, k)),
        )

    def loop(self, contender: Contender) -> None:
        play = vote_by_vote(contender.learner.kernels)
        contender.loop(contender.world, arm_menu(self.menu), arm_buffer(), play=play)

    def round(self, contender: Contender) -> None:
        asked, k, buffer = (
            contender.learner.ask(contender.state, self.menu, contender.rng),
            self.menu.k,
            arm_buffer(),
        )
        buffer.sides[:] = require_arm("left", asked.left, k), require_arm("right", asked.right, k)
        outcome = step_votes(contender.world, contender.ledger, buffer, contender.world_rng)
        left, right = buffer.sides.tolist()
        duel = asked if asked.left != asked.right else Duel(left, right)
        contender.state = contender.learner.tell(contender.state, duel, outcome)

    def close(self, contender: Contender, mark: int) -> None:
        """Record whether the learner's best arm is wrong."""
        contender.ledger.answer[0] = contender.learner.best(contender.state, self.menu)
        close_votes(contender.world, contender.ledger, mark)

    def done(self, ledger: Ledger) -> float:
        """Return the share of a run that has been played; 1 once something is proven."""
        return super().done(ledger) if ledger.counts[PROVEN] == UNDECIDED else 1.0

    def standing(self, ledgers: Sequence[Ledger]) -> str:
        """Return the number of runs that are sure."""
        sure = sum(int(ledger.counts[PROVEN] != UNDECIDED) for ledger in ledgers)
        return f"{sure} of {len(ledgers)} runs sure"

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> ReplayRuns:
        """Return when and where runs stopped, and when they were last wrong; shares at fewer checkpoints."""
        stopped_at = np.array([ledger.counts[PROVEN] for ledger in ledgers])
        played = np.array([ledger.played[0] for ledger in ledgers], np.float64)
        ends = {
            "votes_until_sure": np.where(stopped_at == UNDECIDED, inf, played),
            "stopped_at": stopped_at,
            "last_wrong": np.array([ledger.counts[WRONG] for ledger in ledgers]),
            "plays": np.stack([ledger.plays[0] for ledger in ledgers]),
        }
        drawn = log_spaced(int(self.marks[-1]), PER_DECADE)
        return runs_of_ends(repr(learner), drawn, ends, self.votes.truth)


def replay(
    learners: Named[Learner[Any]],
    votes: Votes,
    runs: int = 200,
    seed: int = 0,
    *,
    delta: float = DELTA,
    limit: int = 200_000,
    arms: Sequence[str] | None = None,
    workers: int | None = None,
    progress: bool | None = None,
    keep: str | os.PathLike[str] | None = None,
) -> ReplayResult:
    """Replay recorded votes with learners, and count how many votes they need to be right and to be sure.

    A learner asks for a pair, and one of the recorded votes on it is drawn, with replacement. The right
    answer is the Condorcet winner of all recorded votes, with a tie as half a win for each. After every vote
    the learner names an arm. A run stops once its own votes prove which arm wins, or that no arm beats all
    others, by `stopping.verdict_on`: however pairs are chosen, at most a share delta of runs stops with a
    wrong verdict.

    Parameters
    ----------
    learners : learner, sequence of learners, or mapping of names to learners
        Learners over arms, named as in `simulate`.
    votes : Votes
        The recorded votes, as returned by `load_votes`.
    runs : int, default 200
        The number of independent repetitions. Run r of every learner uses the same random streams.
    seed : int, default 0
        Equal seeds give equal results, whatever the number of workers.
    delta : float, default 0.05
        The maximum share of runs that stop with a wrong verdict.
    limit : int, default 200_000
        The maximum number of votes in a run.
    arms : sequence of str, optional
        The arms to replay; all by default. Every two of them must have met.
    workers : int, optional
        The number of threads; by default one per core.
    progress : bool, optional
        Whether to show a progress bar; by default only if standard error is a terminal.
    keep : path, optional
        A file for finished runs, written even if the replay is interrupted, as in `simulate`.

    Returns
    -------
    ReplayResult
        The `ReplayRuns` of every learner by name.

    Raises
    ------
    ParameterError
        If a learner, `votes` or a number is invalid.
    UnknownNameError
        If `arms` has an arm that is not in the votes.
    PreferenceError
        If two of the arms never met.
    OutcomeError
        If a learner does not follow the protocol.

    Notes
    -----
    A learner that has finished would show its winner against itself; in a replay, that arm meets its least
    proven rival. If the recorded votes have no Condorcet winner, the right answer is to prove that there is
    none: `votes_until_right` is None, and `stopped_right` is the share of runs that stopped with that
    verdict.

    Votes are drawn independently, but recorded votes need not be independent: one person's ranking of five
    arms, recorded as ten votes, carries less information than ten votes of ten people. The truth is that of
    the file: a winner by a small margin takes long to prove, and may not be the winner of a larger file.

    Examples
    --------
    >>> from duelist import RUCB, Uniform, Votes
    >>> recorded_votes = Votes.from_counts([[0, 60, 80], [40, 0, 60], [20, 40, 0]], arms=["a", "b", "c"])
    >>> result = replay([RUCB(), Uniform()], recorded_votes, runs=50, seed=0)
    >>> result["RUCB"].stopped_right, result["Uniform"].stopped_right
    (1.0, 1.0)
    >>> result["RUCB"].votes_until_right(0.9), result["Uniform"].votes_until_right(0.9)
    (114, 174)
    """
    require_sizes("limit", limit, runs, seed, workers)
    if limit > MOST_VOTES:
        raise ParameterError(f"limit must be at most {MOST_VOTES:,} votes; got {limit}.")
    require_confidence(delta, "delta", DELTA)
    named = name_learners(learners, Learner, LEARNER_NEEDS)
    counts = pool_of(votes, arms)
    setting = ReplaySetting(counts, float(delta), np.arange(1, int(limit) + 1), int(seed))
    with progress_bar(progress) as show:
        return ReplayResult(
            results=measure_all(setting, named, runs, workers, None, show, keep),
            seed=int(seed),
            arms=counts.arms,
            votes=round(counts.total),
            winner=None if counts.truth == NO_WINNER else counts.arms[counts.truth],
            delta=float(delta),
            limit=int(limit),
        )
