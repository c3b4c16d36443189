"""What is played for Figure 2: DBGD beside bandit gradient descent that is told more."""

from dataclasses import dataclass

from duelist.duel import FloatArray, IntArray
from duelist.laboratory.work import ItemResults, Piece, Scale
from duelist_reproductions.yue2009_dbgd.sweep import LEARNERS, play

FACTOR = 1.0


@dataclass(frozen=True)
class FigureSettings:
    """What is played of Figure 2."""

    problems: tuple[str, ...]
    horizons: tuple[int, ...]
    """The last round of the paper's axis, and the horizon that its Table 1 agrees with."""
    runs: int
    marks: int
    """How often a run is looked at, evenly."""
    shorter_factor: float | None
    """With the fewest rounds too: an experiment that looks for the reason why BGD2 is not ahead there."""

    @property
    def kinds(self) -> list[tuple[int, float]]:
        """Rounds and factors that are played, the experiment last."""
        fewest = [] if self.shorter_factor is None else [(min(self.horizons), self.shorter_factor)]
        return [*((horizon, FACTOR) for horizon in self.horizons), *fewest]


FIGURE2 = {
    Scale.PAPER: FigureSettings(
        problems=("P1", "P2", "P3", "P5"), horizons=(10**5, 10**6), runs=5, marks=200, shorter_factor=0.5
    ),
    Scale.QUICK: FigureSettings(
        problems=("P1", "P2", "P3", "P5"), horizons=(10**5,), runs=1, marks=100, shorter_factor=None
    ),
}


def plan_figure2(results: ItemResults) -> list[Piece]:
    """Return a piece for every curve, and for every curve of the experiment."""
    settings = FIGURE2[results.scale]
    return [
        Piece(
            f"rounds={horizon}-{problem}-{learner}" + ("" if factor == FACTOR else f"-factor={factor:g}"),
            play,
            {
                "problem": problem,
                "learner": learner,
                "factor": factor,
                "start": "printed",
                "horizon": horizon,
                "runs": settings.runs,
                "marks": settings.marks,
            },
            cost=horizon / max(settings.horizons),
        )
        for horizon, factor in settings.kinds
        for problem in settings.problems
        for learner in LEARNERS
    ]


def curves_of(
    results: ItemResults, problem: str, learner: str, horizon: int, factor: float = FACTOR
) -> tuple[IntArray, FloatArray]:
    """Return the rounds of the looks, and average regret at each, a row a run."""
    (found,) = results.where(problem=problem, learner=learner, horizon=horizon, factor=factor)
    return found["rounds"], found["regret"]


def end_of(results: ItemResults, problem: str, learner: str, horizon: int, factor: float = FACTOR) -> float:
    """Return mean average regret at the end."""
    return float(curves_of(results, problem, learner, horizon, factor)[1][:, -1].mean())
