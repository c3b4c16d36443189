"""Figure 4: the runs. RUCB runs once; learners that must know the horizon run separately for each."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np
from numpy.random import SeedSequence

from duelist.assumptions import relaxed_gamma
from duelist.bounds import asymptotic_lower_bound
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, chunks, grid, settings
from duelist.learners import RUCB, BeatTheMean, CondorcetSavage
from duelist.metrics import target
from duelist.problems import MatrixProblem
from duelist.simulation import Runs, log_spaced, simulate
from duelist_reproductions.zoghi2014.figure4.foreseen import foresee
from duelist_reproductions.zoghi2014.figure4.matches import play_mean_matches, play_savage_matches
from duelist_reproductions.zoghi2014.rankers import gamma_of_table, subset_preferences

THOUSANDS = (1, 2, 4, 8, 15, 30, 60, 120, 240, 500, 1_000, 2_000, 3_000, 4_500)
SETTINGS = settings(
    sizes=((16,), (16, 32, 64)),
    horizons=((1_000, 4_000, 15_000, 60_000, 240_000, 1_000_000), tuple(1_000 * one for one in THOUSANDS)),
    runs=(10, 100),
    # runs of each learner in a piece of work
    together=(
        {"RUCB": 10, "CondorcetSavage": 10, "BeatTheMean": 5},
        {"RUCB": 50, "CondorcetSavage": 50, "BeatTheMean": 10},
    ),
    # Beat the Mean with the gamma that a problem needs: size, horizon and runs. One arm should remain by the
    # longer horizon; 64 rankers would take too long
    needed_gamma=(
        ((16, 1_000_000, 2),),
        ((16, 4_500_000, 10), (16, 45_000_000, 4), (32, 4_500_000, 10)),
    ),
    savage_matches=(1_500, 10_000),
    mean_matches=(300, 2_000),
)
GAMMAS = {16: 4.85, 32: 11.6, 64: 47.3}
"""The gammas for Beat the Mean by size (Section 3)."""
ALPHA = 0.51
NEEDING_HORIZON: dict[str, Callable[[int, int], CondorcetSavage | BeatTheMean]] = {
    "CondorcetSavage": lambda horizon, k: CondorcetSavage(horizon),
    "BeatTheMean": lambda horizon, k: BeatTheMean(horizon, gamma=GAMMAS[k]),
}
"""Learners that must know the horizon, by registry name, as functions of horizon and size."""
TOGETHER = 45_000_000
"""Approximate rounds per piece of Beat the Mean with another gamma."""
LATE = 4.5
"""Growth is judged over this last factor of time, from 1 to 4.5 million rounds."""
MATCH = {"horizon": 10_000, "epsilon": 0.4}
"""Single matches of two arms, one of which wins 90% of the duels."""


def plan(results: ItemResults) -> list[Piece]:
    """Return the pieces: all learners on the figure's problems, and runs that detect wrong learners."""
    setting = SETTINGS[results.scale]
    horizons = list(setting.horizons)
    pieces = grid(describe_problem, {"k": GAMMAS}, {"horizon": horizons[-1]}, name="problem", cost=0.01)
    for learner, together in setting.together.items():
        over = {"k": setting.sizes, ("first", "runs"): chunks(setting.runs, together)}
        fixed = {"learner": learner, "horizons": horizons}
        pieces += grid(play, over, fixed, name=learner, cost=seconds)
    for k, told, runs in setting.needed_gamma:
        over = {"k": [k], "told": [told], ("first", "runs"): chunks(runs, max(TOGETHER // told, 1))}
        pieces += grid(play_needed_gamma, over, name="gamma", cost=lambda one: 1e-7 * one.told * one.runs)
    return [
        *pieces,
        Piece("savage-matches", play_savage_matches, {"runs": setting.savage_matches, **MATCH}, cost=2.0),
        Piece("mean-matches", play_mean_matches, {"runs": setting.mean_matches, **MATCH}, cost=2.0),
    ]


def seconds(one: SimpleNamespace) -> float:
    """Estimate the duration of runs with all their horizons."""
    return float(
        one.runs * {"RUCB": 6e-5 * one.k**2, "CondorcetSavage": 3e-5 * one.k**2}.get(one.learner, 1.2)
    )


def describe_problem(sources: Sources, *, k: int, horizon: int) -> Arrays:
    """Return the rankers of a problem and its exact properties up to a horizon."""
    preferences = subset_preferences(sources, k)
    return {
        "lower_bound": np.array(asymptotic_lower_bound(preferences)),
        "gamma": np.array(relaxed_gamma(preferences)),
        "gamma_of_table": np.array(gamma_of_table(preferences)),
        "random_regret": np.array(horizon * target(preferences).gaps.mean()),
    }


def play(sources: Sources, *, k: int, learner: str, horizons: Sequence[int], first: int, runs: int) -> Arrays:
    """Return regret, correctness of the best arm and informative duels: a row per run, a column per round.

    RUCB is looked at in many rounds of the same runs, others at the end of new runs for every horizon.
    """
    problem = MatrixProblem(subset_preferences(sources, k))
    if learner == "RUCB":
        last = horizons[-1]
        curve = np.unique([*log_spaced(last, per_decade=20), *horizons, round(last / LATE)])
        played = [run(RUCB(ALPHA), problem, last, runs, seed_for(k, 0, first), curve.tolist())]
    else:
        played = [
            run(
                NEEDING_HORIZON[learner](horizon, k),
                problem,
                horizon,
                runs,
                seed_for(k, horizon, first),
                [horizon],
            )
            for horizon in horizons
        ]
    return {
        "rounds": np.concatenate([one.checkpoints for one in played]),
        "regret": np.hstack([one.regret for one in played]),
        "right": np.hstack([one.measure("accuracy") == 1.0 for one in played]),
        "informative": np.stack([one.informative for one in played], axis=1),
    }


def play_needed_gamma(sources: Sources, *, k: int, told: int, first: int, runs: int) -> Arrays:
    """Play Beat the Mean with the gamma that the problem needs; return the result and its prediction."""
    preferences = subset_preferences(sources, k)
    known = describe_problem(sources, k=k, horizon=told)
    gamma, seed = float(known["gamma"]), seed_for(k, told, first, 1)
    played = run(BeatTheMean(told, gamma), MatrixProblem(preferences), told, runs, seed, [told])
    foreseen = {name: np.array(value) for name, value in foresee(preferences, told, gamma)._asdict().items()}
    return {
        "gamma": known["gamma"],
        "random_regret": known["random_regret"],
        "played": played.regret[:, -1],
        "right": played.measure("accuracy")[:, -1] == 1.0,
        **foreseen,
    }


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
) -> Runs:
    """Play one learner, with these rounds as checkpoints."""
    played = simulate(
        {"it": learner}, problem, horizon, runs, seed, checkpoints=rounds, workers=1, progress=False
    )
    return played["it"]
