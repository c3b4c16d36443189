"""Replay: recorded votes, played again with any learner, by the engine that plays simulations."""

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
PER_DECADE = 40  # of the votes at which shares of runs are drawn: how many in every factor of ten


@cache
def vote_by_vote(kernels: Kernels) -> Callable[[Any, Any, Run], None]:
    """Return the loop over votes with a learner's kernels: its jumps over rounds are left out."""
    ask, tell, best = kernels.ask, kernels.tell, kernels.best

    def replay(rules: Any, state: Any, run: Run) -> None:
        loop.play(ask, tell, best, skip_nothing, skip_nothing, rules, state, run)

    return compiled_like(tell, replay)


@dataclass(frozen=True)
class ReplaySetting(Setting[ReplayRuns]):
    """Recorded votes, and how sure a run must be to stop; a learner is looked at after every vote."""

    votes: Pool
    delta: float
    marks: IntArray
    seed: int

    runs = ReplayRuns
    compiled = True

    @property
    def menu(self) -> Arms:
        """What may be asked: two different arms."""
        return Arms(len(self.votes.arms), self_duels=False)

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run; nothing is measured at checkpoints, which are many."""
        answer, plays = np.zeros(1, np.int64), (1, len(self.votes.arms))
        opened = open_ledger(self.marks, halt, measures=0, answer=answer, counts=2, plays=plays)
        opened.counts[PROVEN] = UNDECIDED
        return opened

    def start(self, learner: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Contender:
        """Return a learner before its first vote."""
        return Contender(learner, learner.init(self.menu, rng), ledger, rng, world_rng, self.open_world())

    def open_world(self) -> VoteWorld:
        """Return the recorded votes, and tables for those of one run."""
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
        """Play a whole run by the compiled loop over votes."""
        play = vote_by_vote(contender.learner.kernels)
        contender.loop(contender.world, arm_menu(self.menu), arm_buffer(), play=play)

    def round(self, contender: Contender) -> None:
        """Ask for one vote through ask and tell."""
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
        """Write down whether the arm that is named is a wrong one."""
        contender.ledger.answer[0] = contender.learner.best(contender.state, self.menu)
        close_votes(contender.world, contender.ledger, mark)

    def done(self, ledger: Ledger) -> float:
        """Return the share of a run that has been played; 1 too once something is proven."""
        return super().done(ledger) if ledger.counts[PROVEN] == UNDECIDED else 1.0

    def standing(self, ledgers: Sequence[Ledger]) -> str:
        """Return how many runs are sure."""
        sure = sum(int(ledger.counts[PROVEN] != UNDECIDED) for ledger in ledgers)
        return f"{sure} of {len(ledgers)} runs sure"

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> ReplayRuns:
        """Return when runs stopped and where, and when they were wrong last; shares at fewer checkpoints."""
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
    """Let learners ask for recorded votes, and count how many they need to be right and to be sure.

    A learner asks for a pair, and one of the recorded votes on it is drawn, with replacement. The right
    answer is the Condorcet winner of all recorded votes, a tie as half a win for each. After every vote the
    learner names an arm. A run stops once its own votes prove who wins, or that no arm beats all others, by
    `stopping.verdict_on`: however pairs are chosen, at most a share delta of runs stops with a wrong verdict.

    Parameters
    ----------
    learners : learner, sequence of learners, or mapping of names to learners
        Learners over arms, named as in `simulate`.
    votes : Votes
        What was recorded, as `load_votes` reads it.
    runs : int, default 200
        Independent repetitions. Run r of every learner has the same random streams.
    seed : int, default 0
        Equal seeds give equal results, whatever the number of workers.
    delta : float, default 0.05
        The share of runs that may stop with a wrong verdict.
    limit : int, default 200_000
        Votes after which a run ends that has not stopped.
    arms : sequence of str, optional
        The arms to replay; all by default. Every two of them must have met.
    workers : int, optional
        Threads; as many as there are cores unless told otherwise.
    progress : bool, optional
        Whether to show a progress bar; by default when standard error is a terminal.
    keep : path, optional
        A file for the runs that are finished, also when the replay is interrupted, as in `simulate`.

    Returns
    -------
    ReplayResult
        One `ReplayRuns` for every learner's name.

    Notes
    -----
    A learner that has finished would show its winner against itself; here that arm meets its least proven
    rival. Where the recorded votes have no Condorcet winner, right is to prove that there is none:
    `votes_until_right` is None, and `stopped_right` the share of runs that stopped with that verdict.

    Votes are drawn independently, which recorded ones need not be: one person's ranking of five arms, written
    down as ten votes, says less than ten votes of ten people. And "the truth" is that of the file: a winner
    by a hair there takes long to prove, and may not be the winner of a larger file.

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
