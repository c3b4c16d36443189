"""Figure 4: what is played. RUCB once, and learners that must know the horizon again for every horizon."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import SeedSequence

from duelist.assumptions import relaxed_gamma
from duelist.bounds import asymptotic_lower_bound
from duelist.laboratory import Arrays, ItemResults, Piece, Scale, Sources
from duelist.learners import RUCB, BeatTheMean, CondorcetSavage
from duelist.metrics import target
from duelist.problems import MatrixProblem
from duelist.simulation import LearnerResult, log_spaced, simulate
from duelist_reproductions.zoghi2014.figure4.foreseen import foresee
from duelist_reproductions.zoghi2014.figure4.single_matches import plan_matches
from duelist_reproductions.zoghi2014.rankers import (
    RANKERS,
    all_preferences,
    draw_rankers,
    gamma_of_table,
    subset_preferences,
)

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
    "bold": lambda horizon, k: 0.05,
}
"""SAVAGE's probability of a mistake by itself, that which makes log(2 N T / delta) twice as large, and one
that many experiments choose."""
TOGETHER = 45_000_000
"""About how many rounds of Beat the Mean with another gamma are a piece of work."""
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
    needed_gamma: tuple[tuple[int, int, int], ...]
    """Beat the Mean with the gamma that a problem needs: size, horizon and runs."""
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
        # one arm should remain by the longer horizon; 64 rankers would take too long
        needed_gamma=((16, 4_500_000, 10), (16, 45_000_000, 4), (32, 4_500_000, 10)),
    ),
    Scale.QUICK: Setting(
        sizes=(16,),
        horizons=(1_000, 4_000, 15_000, 60_000, 240_000, 1_000_000),
        runs=10,
        chunks={"RUCB": 10, "CondorcetSavage": 10, "BeatTheMean": 5},
        others=2,
        other_runs=3,
        far_runs=3,
        needed_gamma=((16, 1_000_000, 2),),
    ),
}


def plan(results: ItemResults) -> list[Piece]:
    """Return the pieces: all learners on the figure's problems, and what was played to understand them."""
    setting = SETTINGS[results.scale]
    horizons, last = list(setting.horizons), setting.horizons[-1]
    pieces = [Piece(f"problem-k={k}", describe_problem, {"k": k, "horizon": last}, cost=0.01) for k in GAMMAS]
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
            savages = list(DELTAS)
            asked = {"k": k, "subset": subset, "horizons": [last, *far], "savages": savages, "runs": runs}
            cost = 3.0 * SECONDS["RUCB"](k) * runs
            pieces.append(Piece(f"contrast-k={k}-subset={subset}", contrast, asked, cost))
    for k, horizon, runs in setting.needed_gamma:
        chunk = max(TOGETHER // horizon, 1)
        for first in range(0, runs, chunk):
            part = min(chunk, runs - first)
            asked = {"k": k, "told": horizon, "first": first, "runs": part}
            name = f"needed-gamma-k={k}-told={horizon}-first={first}"
            pieces.append(Piece(name, play_needed_gamma, asked, cost=1e-7 * horizon * part))
    return pieces + plan_matches(results.scale)


def describe_problem(sources: Sources, *, k: int, horizon: int) -> Arrays:
    """Return which rankers are played, and what is known of them, up to a horizon."""
    preferences = subset_preferences(sources, k, 0)
    gamma = np.array(relaxed_gamma(preferences))
    return {
        "rankers": draw_rankers(all_preferences(sources), k, 0),
        "lower_bound": np.array(asymptotic_lower_bound(preferences)),
        "gamma": gamma,
        "gamma_of_table": np.array(gamma_of_table(preferences)),
        "removal": np.array(foresee(preferences, horizon, float(gamma)).first_removal),
        "removal_by_the_paper": np.array(foresee(preferences, horizon, GAMMAS[k]).first_removal),
        "random_regret": np.array(horizon * target(preferences).gaps.mean()),
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


def play_needed_gamma(sources: Sources, *, k: int, told: int, first: int, runs: int) -> Arrays:
    """Return what Beat the Mean does with the gamma that the problem needs, and what is foreseen."""
    preferences = subset_preferences(sources, k, 0)
    known = describe_problem(sources, k=k, horizon=told)
    gamma, seed = float(known["gamma"]), seed_for(k, told, first, 1)
    played = run(BeatTheMean(told, gamma), MatrixProblem(preferences), told, runs, seed, [told])
    foreseen = {name: np.array(value) for name, value in foresee(preferences, told, gamma)._asdict().items()}
    return {
        "gamma": known["gamma"],
        "random_regret": known["random_regret"],
        "played": played.regret[:, -1],
        "right": np.isin(played.best, played.winners),
        **foreseen,
    }


def contrast(
    sources: Sources, *, k: int, subset: int, horizons: Sequence[int], savages: Sequence[str], runs: int
) -> Arrays:
    """Return the regret of RUCB and of SAVAGEs at the end of each horizon, on any random subset.

    SAVAGEs differ in their delta. One has twice its radius' square, sqrt(log(2 N T / delta) / n): that is
    what it has by itself for the delta given here.
    """
    problem = MatrixProblem(subset_preferences(sources, k, subset))
    optimist = run(RUCB(ALPHA), problem, horizons[-1], runs, seed_for(k, subset, 1), list(horizons))
    found = {"RUCB": optimist.regret}
    for name in savages:
        ends = [
            run(
                CondorcetSavage(horizon, DELTAS[name](horizon, k)),
                problem,
                horizon,
                runs,
                seed_for(k, subset, horizon),
                [horizon],
            )
            for horizon in horizons
        ]
        found[name] = np.hstack([one.regret for one in ends])
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
