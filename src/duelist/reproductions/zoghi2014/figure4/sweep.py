"""Figure 4: what is played. RUCB once, and learners that must know the horizon again for every horizon."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import SeedSequence

from duelist.assumptions import relaxed_gamma
from duelist.bounds import asymptotic_lower_bound
from duelist.laboratory import Arrays, Piece, Results, Scale, Sources
from duelist.learners import RUCB, BeatTheMean, CondorcetSavage
from duelist.problems import MatrixProblem
from duelist.reproductions.zoghi2014.rankers import (
    RANKERS,
    all_preferences,
    draw_rankers,
    gamma_of_table,
    subset_preferences,
)
from duelist.simulation import LearnerResult, log_spaced, simulate

GAMMAS = {16: 4.85, 32: 11.6, 64: 47.3}
"""What Beat the Mean is told of each size (Section 3)."""
ALPHA = 0.51
TOLD: dict[str, Callable[[int, int], CondorcetSavage | BeatTheMean]] = {
    "CondorcetSavage": lambda horizon, k: CondorcetSavage(horizon),
    "BeatTheMean": lambda horizon, k: BeatTheMean(horizon, gamma=GAMMAS[k]),
}
"""Learners that must know the horizon, by their names in the catalogue, for a horizon and a size."""
SECONDS: dict[str, Callable[[int], float]] = {
    "RUCB": lambda k: 6e-5 * k * k,
    "CondorcetSavage": lambda k: 3e-5 * k * k,
    "BeatTheMean": lambda k: 1.2,
}
"""About how long a run takes with all its horizons."""
DELTAS: dict[str, Callable[[int, int], float]] = {
    "CondorcetSavage": lambda horizon, k: 1.0 / horizon,
    "wide": lambda horizon, k: 1.0 / (k * (k - 1.0) * float(horizon) ** 3),
}
"""SAVAGE's probability of a mistake by itself, and that which makes log(2 N T / delta) twice as large."""
LATE = 4.5
"""From 1 to 4.5 million rounds: over the last of time, by this factor, growth is judged."""


@dataclass(frozen=True)
class Setting:
    """How much is played."""

    sizes: tuple[int, ...]
    horizons: tuple[int, ...]
    runs: int
    chunks: dict[str, int]
    """Runs of each learner in a piece of work."""
    others: int
    """Further random subsets of each size below 64."""
    other_runs: int
    far_runs: int
    """Runs far beyond the last horizon."""
    further: tuple[int, ...] = field(default=(10, 100))
    """How far, in last horizons."""


SETTINGS = {
    Scale.PAPER: Setting(
        sizes=(16, 32, 64),
        horizons=tuple(
            1_000 * thousand
            for thousand in (1, 2, 4, 8, 15, 30, 60, 120, 240, 500, 1_000, 2_000, 3_000, 4_500)
        ),
        runs=100,
        chunks={"RUCB": 50, "CondorcetSavage": 50, "BeatTheMean": 10},
        others=24,
        other_runs=5,
        far_runs=20,
    ),
    Scale.QUICK: Setting(
        sizes=(16,),
        horizons=(1_000, 4_000, 15_000, 60_000, 240_000, 1_000_000),
        runs=10,
        chunks={"RUCB": 10, "CondorcetSavage": 10, "BeatTheMean": 5},
        others=2,
        other_runs=3,
        far_runs=3,
    ),
}


def plan(results: Results) -> list[Piece]:
    """Return the pieces: all learners on the figure's problems, RUCB and SAVAGE on others and further."""
    setting = SETTINGS[results.scale]
    horizons, last = list(setting.horizons), setting.horizons[-1]
    pieces = [Piece(f"problem-k={k}", describe_problem, {"k": k}, cost=0.01) for k in GAMMAS]
    for k in setting.sizes:
        for learner, chunk in setting.chunks.items():
            seconds = SECONDS[learner](k)
            for first in range(0, setting.runs, chunk):
                runs = min(chunk, setting.runs - first)
                asked = {"k": k, "learner": learner, "horizons": horizons, "first": first, "runs": runs}
                pieces.append(Piece(f"{learner}-k={k}-first={first}", play, asked, cost=seconds * runs))
        for subset in range(setting.others + 1 if k < RANKERS else 1):
            far = [last * factor for factor in setting.further] if subset == 0 else []
            runs = setting.other_runs if subset else setting.far_runs
            asked = {"k": k, "subset": subset, "horizons": [last, *far], "runs": runs}
            cost = 3.0 * SECONDS["RUCB"](k) * runs
            pieces.append(Piece(f"contrast-k={k}-subset={subset}", contrast, asked, cost))
    return pieces


def describe_problem(sources: Sources, *, k: int) -> Arrays:
    """Return which rankers are played, and what is known of them."""
    preferences = subset_preferences(sources, k, 0)
    return {
        "rankers": draw_rankers(all_preferences(sources), k, 0),
        "lower_bound": np.array(asymptotic_lower_bound(preferences)),
        "gamma": np.array(relaxed_gamma(preferences)),
        "gamma_of_table": np.array(gamma_of_table(preferences)),
    }


def play(sources: Sources, *, k: int, learner: str, horizons: Sequence[int], first: int, runs: int) -> Arrays:
    """Return regret, whether the best arm is right, and informative duels: a row a run, a column a round.

    RUCB is looked at in many rounds of the same runs, others at the end of new runs for every horizon.
    """
    problem = MatrixProblem(subset_preferences(sources, k, 0))
    if learner == "RUCB":
        last = horizons[-1]
        curve = np.unique([*log_spaced(last, per_decade=20), *horizons, round(last / LATE)])
        seed = seed_for(k, 0, first)
        return measured([run(RUCB(ALPHA), problem, last, runs, seed, curve.tolist())])
    told = [
        run(TOLD[learner](horizon, k), problem, horizon, runs, seed_for(k, horizon, first), [horizon])
        for horizon in horizons
    ]
    return measured(told)


def contrast(sources: Sources, *, k: int, subset: int, horizons: Sequence[int], runs: int) -> Arrays:
    """Return the regret of RUCB and of SAVAGE at the end of each horizon, on any random subset.

    SAVAGE is also played with twice its radius' square, sqrt(log(2 N T / delta) / n): that is what it has by
    itself for the delta given here.
    """
    problem = MatrixProblem(subset_preferences(sources, k, subset))
    optimist = run(RUCB(ALPHA), problem, horizons[-1], runs, seed_for(k, subset, 1), list(horizons))
    found = {"RUCB": optimist.regret}
    for name, delta_of in DELTAS.items():
        savages = [
            run(
                CondorcetSavage(horizon, delta_of(horizon, k)),
                problem,
                horizon,
                runs,
                seed_for(k, subset, horizon),
                [horizon],
            )
            for horizon in horizons
        ]
        found[name] = np.hstack([one.regret for one in savages])
    return found


def seed_for(*numbers: int) -> int:
    """Return a seed that differs from those of other numbers."""
    return int(SeedSequence(numbers).generate_state(1, np.uint64)[0])


def run(
    learner: RUCB | CondorcetSavage | BeatTheMean,
    problem: MatrixProblem,
    horizon: int,
    runs: int,
    seed: int,
    rounds: list[int],
) -> LearnerResult:
    """Play one learner, looking at these rounds."""
    played = simulate(
        {"it": learner}, problem, horizon, runs, seed, checkpoints=rounds, workers=1, progress=False
    )
    return played["it"]


def measured(played: Sequence[LearnerResult]) -> Arrays:
    """Return what is kept of runs: columns are rounds, of informative duels the ends of what was played."""
    return {
        "rounds": np.concatenate([one.checkpoints for one in played]),
        "regret": np.hstack([one.regret for one in played]),
        "right": np.hstack([np.isin(one.best_at, one.winners) for one in played]),
        "informative": np.stack([one.informative for one in played], axis=1),
    }
