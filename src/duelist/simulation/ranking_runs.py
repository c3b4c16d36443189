"""Learning to rank from simulated clicks: any learner of rankings, many runs, the same luck for all."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from duelist.clicks.user import User
from duelist.duel import IntArray
from duelist.errors import ParameterError, require_whole
from duelist.lists import (
    Clicking,
    CompiledRankingLearner,
    open_ranking_ledger,
    open_ranking_run,
    user_for,
)
from duelist.parallel import Executor, Show, progress_bar
from duelist.ranking import RankingData
from duelist.ranking.corpus import Corpus, corpus_of, largest_query
from duelist.simulation.checkpoints import as_checkpoints
from duelist.simulation.measuring import measure_all
from duelist.simulation.naming import RANKING_LEARNER_NEEDS, Named, name_learners
from duelist.simulation.ranking_result import RankingResult, RankingSimulationResult
from duelist.simulation.repetitions import luck, play_all


def train_online(
    learners: Named[Any],
    data: RankingData,
    clicks: Clicking,
    impressions: int,
    *,
    held_out: RankingData | None = None,
    depth: int = 10,
    runs: int = 5,
    seed: int = 0,
    checkpoints: Sequence[int] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> RankingSimulationResult:
    """Let learners of rankings show lists to simulated people, and measure how good they get.

    Every impression is a query drawn from the data, a list the learner shows, and clicks on it by the click
    model, which knows how relevant the documents are; the learner sees the clicks alone.

    Parameters
    ----------
    learners : learner, sequence of learners, or mapping of names to learners
        Such as `PairwiseGradientRanker()`.
    data : RankingData
        The queries to learn from.
    clicks : ClickModel
        Who clicks, such as `problems.clicks.informational(grades=3)`.
    impressions : int
        Lists to show.
    held_out : RankingData, optional
        Queries to measure on; those learned from unless told otherwise.
    depth : int, default 10
        Lists are judged by the NDCG of their first so many places.
    runs : int, default 5
        Independent repetitions. Run r of every learner meets the same luck.
    seed : int, default 0
        Equal seeds give equal results, whatever the number of workers.
    checkpoints : sequence of int, optional
        Impressions at which to measure; ten in every factor of ten unless told otherwise.
    workers : int, optional
        Threads; as many as there are cores unless told otherwise.
    executor : Executor, optional
        Workers elsewhere, such as `parallel.RayExecutor()`; by default the threads of this process.
        Results are the same, bit by bit.
    progress : bool, optional
        Whether to show a progress bar; by default when standard error is a terminal.

    Examples
    --------
    >>> from duelist import DuelingGradientRanker, PairwiseGradientRanker
    >>> from duelist.problems import clicks
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=50, seed=1)
    >>> rivals = [DuelingGradientRanker(), PairwiseGradientRanker()]
    >>> result = train_online(rivals, data, clicks.informational(grades=3), 2_000, runs=2)
    >>> result["PairwiseGradientRanker"].quality.shape == result["DuelingGradientRanker"].quality.shape
    True
    """
    require_whole("impressions", impressions, 1)
    require_whole("runs", runs, 1)
    require_whole("seed", seed, 0)
    require_whole("workers", 1 if workers is None else workers, 1)
    named = name_learners(learners, CompiledRankingLearner, RANKING_LEARNER_NEEDS)
    measured = data if held_out is None else held_out
    if measured.d != data.d:
        raise ParameterError(f"held_out has {measured.d} features, but data {data.d}; they must be the same.")
    corpus, judge = corpus_of(data, depth), corpus_of(measured, depth)
    for name, part in (("data", corpus), ("held_out", judge)):
        if not part.ideal.any():
            raise ParameterError(f"{name} has no query with a relevant document, so nothing can be measured.")
    user = user_for(clicks, data.grades)
    marks = as_checkpoints(checkpoints, int(impressions))
    measure = partial(measure_rankings, corpus=corpus, judge=judge, user=user, marks=marks, seed=seed)
    with progress_bar(progress) as show:
        results = measure_all(measure, named, runs, workers, executor, show)
    return RankingSimulationResult(results, int(seed), int(depth), held_out is not None)


def measure_rankings(
    name: str,
    learner: CompiledRankingLearner,
    runs: range,
    workers: int | None,
    show: Show,
    *,
    corpus: Corpus,
    judge: Corpus,
    user: User,
    marks: IntArray,
    seed: int,
) -> RankingResult:
    """Play one learner's runs and gather what was written down."""
    d = corpus.features.shape[1]
    halt = np.zeros(1, np.bool_)
    ledgers = [open_ranking_ledger(marks, d, halt) for _ in runs]

    def run(index: int) -> None:
        rng, world_rng = luck(seed, runs[index])
        state = learner.init(d, rng)
        scratch = learner.scratch(d, largest_query(corpus))
        opened = open_ranking_run(corpus, judge, user, ledgers[index], learner.length, rng, world_rng)
        learner.ranking_kernels.play(learner.rules(), state, scratch, opened)

    def standing() -> str:
        reached = [ledger.quality[ledger.quality > 0.0] for ledger in ledgers]
        latest = [quality[-1] for quality in reached if len(quality)]
        return f"NDCG {np.mean(latest):.3f}" if latest else ""

    play_all(name, run, ledgers, halt, workers, show, standing)
    return RankingResult(
        description=repr(learner),
        checkpoints=marks,
        quality=np.stack([ledger.quality for ledger in ledgers]),
        shown_quality=np.stack([ledger.shown_quality for ledger in ledgers]),
        weights=np.stack([ledger.weights for ledger in ledgers]),
    )
