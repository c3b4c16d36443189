"""Experiments that look for reasons: fewer comparisons, more features, other costs of the ranking SVM."""

from dataclasses import dataclass, replace

import numpy as np

from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, PieceResult, Scale
from duelist.ranking import RankingData
from duelist.ranking.ranking_svm import fit_ranking_svm
from duelist_reproductions.yue2009_dbgd.documents import PARTS, load_documents
from duelist_reproductions.yue2009_dbgd.web_search import SETTINGS, grid, learn

RANKING_SVMS = "ranking-svms"


@dataclass(frozen=True)
class ExperimentSettings:
    """What is played beside the paper's tables, on the real documents at full scale."""

    horizon: int
    """A tenth of the paper's comparisons, with the steps of its whole grid."""
    queries: tuple[int, ...]
    """Compared before an update, in these shorter runs."""
    copies: int
    """How often every feature stands in the documents, for about as many features as the paper's 367."""
    copied_explorations: tuple[float, ...]
    copied_exploitation: float
    costs: tuple[float, ...]
    """Of a pair that the ranking SVM has in the wrong order."""


EXPERIMENTS = ExperimentSettings(
    horizon=10**6,
    queries=(10, 100),
    copies=8,
    copied_explorations=(1.0, 3.0, 8.0),
    copied_exploitation=0.1,
    costs=(0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
)


def experimented(results: ItemResults) -> bool:
    """Return whether the experiments are part of what is played."""
    return results.real and results.scale is Scale.PAPER


def plan_experiments(results: ItemResults) -> list[Piece]:
    """Return the experiments, which depend on nothing."""
    if not experimented(results):
        return []
    settings = SETTINGS[results.scale]
    steps = (settings.explorations, settings.exploitations)
    tenth = [
        replace(piece, name=f"comparisons={EXPERIMENTS.horizon}-{piece.name}", cost=0.1)
        for piece in grid(EXPERIMENTS.queries, *steps, EXPERIMENTS.horizon)
    ]
    copied = [
        Piece(
            f"copies={EXPERIMENTS.copies}-exploration={exploration:g}",
            play_copied,
            {
                "copies": EXPERIMENTS.copies,
                "queries": settings.queries[-1],
                "exploration": exploration,
                "exploitation": EXPERIMENTS.copied_exploitation,
                "horizon": EXPERIMENTS.horizon,
            },
            cost=0.5,
        )
        for exploration in EXPERIMENTS.copied_explorations
    ]
    return [*tenth, *copied, Piece(RANKING_SVMS, fit_svms, {"costs": list(EXPERIMENTS.costs)}, cost=0.2)]


def play_copied(
    sources: Sources, *, copies: int, queries: int, exploration: float, exploitation: float, horizon: int
) -> Arrays:
    """Play one run on the training queries with every feature so many times."""
    training = load_documents(sources).training
    copied = RankingData(
        np.tile(training.features, (1, copies)), training.labels, training.queries, training.offsets
    )
    learned = learn(
        copied, queries=queries, exploration=exploration, exploitation=exploitation, horizon=horizon, run=0
    )
    return {"rounds": learned.rounds, "curve": learned.curve}


def fit_svms(sources: Sources, *, costs: list[float]) -> Arrays:
    """Return NDCG@10 on every query of each part, of ranking SVMs: a row a cost."""
    documents = load_documents(sources)
    found = [documents.qualities(fit_ranking_svm(documents.training, c=cost)) for cost in costs]
    return {part: np.stack([qualities[part] for qualities in found]) for part in PARTS}


def copied_runs(results: ItemResults) -> list[PieceResult]:
    """Return the runs with every feature several times."""
    return results.where(copies=EXPERIMENTS.copies)
