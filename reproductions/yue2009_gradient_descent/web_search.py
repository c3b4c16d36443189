"""What is played: Tables 2 and 3 and Figure 3, linear rankers of documents compared by NDCG@10."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from duelist import DuelingBanditGradientDescent, LinearRankerSpace, simulate
from duelist.parallel import progress_bar, repeat
from duelist.ranking import RankingData, load_ranking_data, synthetic_ranking_data
from duelist.ranking.linear import LinearRanker
from duelist.ranking.metrics import ndcg
from duelist.types import FloatArray

EXPLORATIONS = (0.5, 0.8, 1.0, 3.0)
SHORT_EXPLORATIONS = (0.18, 0.28, 0.35)
"""The first three times sqrt(46/367): theory's exploration grows with the root of the number of features."""
EXPLOITATIONS = (0.001, 0.005, 0.01, 0.05, 0.1)
QUERIES = (1, 5, 10, 25, 50, 100)
"""Queries compared before an update; Table 2 has the last."""
DRAWN = (1, 10, 100)
"""Those of Figure 3."""
HORIZON = 10**7
SHORT_HORIZON = 10**6
"""For made-up documents: enough to see what is done, too little for the paper's claims."""
RUNS = 4
"""Of each number of queries with its best steps, because chance moves the end of a run."""
MARKS = 100
"""How often a run is looked at, evenly; its average is over these looks."""
FOLD = {"training": ("S1", "S2", "S3"), "validation": ("S4",), "test": ("S5",)}
"""Of MQ2008, the first fold."""
SYNTHETIC = "made-up documents"


@dataclass(frozen=True)
class Documents:
    """Queries to learn from, and others to see whether what was learned holds there too."""

    name: str
    training: RankingData
    validation: RankingData
    test: RankingData


@dataclass(frozen=True, order=True)
class Setting:
    """One run's step sizes, and how many queries are compared before each step."""

    queries: int
    exploration: float
    exploitation: float


@dataclass(frozen=True)
class Cell:
    """What came out of one run, as mean NDCG@10."""

    setting: Setting
    curve: FloatArray  # on the training queries, at even distances
    ranker: LinearRanker
    validation: float
    test: float

    @property
    def average(self) -> float:
        """Over the whole run."""
        return float(self.curve.mean())

    @property
    def final(self) -> float:
        """At its end."""
        return float(self.curve[-1])


@dataclass(frozen=True)
class Contest:
    """On how many queries one ranker has the better list, as good a list, the worse list."""

    wins: int
    ties: int
    losses: int


def load_documents(folder: Path | None) -> Documents:
    """Return the first fold of MQ2008 from a folder of S1.txt ... S5.txt, plain or gzip, or make some up.

    Queries without a relevant document are left out: on them all rankings are equally good.
    """
    if folder is None:
        made = synthetic_ranking_data(queries=800).with_relevant()
        pieces = np.split(np.arange(len(made)), [3 * len(made) // 5, 4 * len(made) // 5])
        return Documents(SYNTHETIC, *(made.subset(piece) for piece in pieces))
    parts = [
        load_ranking_data([file_of(folder, name) for name in names], cache=False).with_relevant()
        for names in FOLD.values()
    ]
    return Documents("MQ2008", *parts)


def file_of(folder: Path, name: str) -> Path:
    """Return the file of a part, packed if it is there so."""
    packed = folder / f"{name}.txt.gz"
    return packed if packed.exists() else folder / f"{name}.txt"


def quality(ranker: LinearRanker, data: RankingData) -> float:
    """Return a ranker's mean NDCG@10."""
    return float(ndcg(ranker.score(data), data).mean())


def compare(one: LinearRanker, other: LinearRanker, data: RankingData) -> Contest:
    """Count the queries on which one ranker's NDCG@10 is higher, equal and lower than another's."""
    lead = ndcg(one.score(data), data) - ndcg(other.score(data), data)
    return Contest(int((lead > 0.0).sum()), int((lead == 0.0).sum()), int((lead < 0.0).sum()))


def play_cell(documents: Documents, setting: Setting, horizon: int = HORIZON, seed: int = 0) -> Cell:
    """Play one run on the training queries, from equal weights for all features."""
    space = LinearRankerSpace(documents.training, scale=10.0, depth=10)
    learner = DuelingBanditGradientDescent(setting.exploration, setting.exploitation, setting.queries)
    marks = np.linspace(horizon // MARKS, horizon, MARKS, dtype=int).tolist()
    played = simulate({"it": learner}, space, horizon, 1, seed, checkpoints=marks, workers=1, progress=False)[
        "it"
    ]
    ranker = LinearRanker(played.best[0])
    return Cell(
        setting=setting,
        curve=1.0 - played.gap_at[0],
        ranker=ranker,
        validation=quality(ranker, documents.validation),
        test=quality(ranker, documents.test),
    )


def play_cells(
    documents: Documents, settings: Iterable[Setting], what: str, horizon: int = HORIZON, seed: int = 0
) -> dict[Setting, Cell]:
    """Play a run for each setting, spread over the cores."""
    listed = list(settings)
    cells: dict[Setting, Cell] = {}

    def run(index: int) -> None:
        cells[listed[index]] = play_cell(documents, listed[index], horizon, seed)

    with progress_bar(None) as show:
        repeat(run, len(listed), None, np.zeros(1, np.bool_), lambda: show(what, len(cells) / len(listed)))
    return {setting: cells[setting] for setting in listed}


def grid(explorations: Iterable[float] = EXPLORATIONS) -> list[Setting]:
    """Return the settings of Table 2, a row for every exploration."""
    return [
        Setting(QUERIES[-1], exploration, exploitation)
        for exploration in explorations
        for exploitation in EXPLOITATIONS
    ]


def smaller_steps(best: Setting) -> list[Setting]:
    """Return what is tried with fewer queries an update: the best steps with most queries, and smaller ones.

    The paper says that the best step sizes are typically smaller there, and does not say which they are.
    """
    return [
        Setting(queries, best.exploration, exploitation)
        for queries in QUERIES[:-1]
        for exploitation in EXPLOITATIONS
        if exploitation <= best.exploitation
    ]


def best_of(cells: Iterable[Cell]) -> Cell:
    """Return the run with the best average, which chance moves less than the end of a run."""
    return max(cells, key=lambda cell: cell.average)
