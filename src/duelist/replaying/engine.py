"""Replay: recorded votes, played again with any learner."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from duelist.errors import DELTA, ParameterError, require_confidence
from duelist.parallel import progress_bar
from duelist.protocols import Learner
from duelist.replaying.pool import pool_of
from duelist.replaying.result import ReplayResult
from duelist.replaying.setting import ReplaySetting
from duelist.replaying.world import NO_WINNER
from duelist.simulation.arguments import LEARNER_NEEDS, Named, name_learners, require_sizes
from duelist.simulation.runs import measure_all
from duelist.votes import Votes

MOST_VOTES = 10_000_000  # the largest limit: every vote is a checkpoint, which takes memory


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
        Independent repetitions. Run r of every learner meets the same luck.
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
