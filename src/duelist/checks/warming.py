"""Small runs of every learner, so that whatever is called first has been compiled."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import default_rng

from duelist.checks.stages import ON_ARMS, ON_POINTS
from duelist.logs import DuelLog
from duelist.menus import Actions
from duelist.policies.finite import FinitePolicies
from duelist.policies.mixture import PolicyMixture
from duelist.problems import clicks
from duelist.problems.cyclic_contexts import cyclic_contexts
from duelist.ranking import synthetic_ranking_data
from duelist.registry import SETTINGS, takes_horizon
from duelist.simulation import simulate, simulate_contextual, train_online

ROUNDS = 40


def warm(name: str) -> str:
    """Play a learner of the registry by every function that users call, and return its name.

    Examples
    --------
    >>> warm("Uniform")
    'Uniform'
    """
    setting = next(setting for setting, kinds in SETTINGS.items() if name in kinds)
    PLAYS[setting](SETTINGS[setting][name])
    return name


def warm_arms(kind: type[Any]) -> None:
    """Simulate a learner of arms, and ask it by hand."""
    learner = kind(horizon=ROUNDS) if takes_horizon(kind.__name__) else kind()
    simulate(learner, ON_ARMS.easy, ROUNDS, runs=1, workers=1, progress=False)
    ask_and_tell(learner, ON_ARMS.menu)


def warm_points(kind: type[Any]) -> None:
    """Simulate a learner of points, and ask it by hand."""
    descends = kind.__name__ != "PreferentialOptimization"
    learner = kind(exploration=0.3, exploitation=0.02) if descends else kind()
    simulate(learner, ON_POINTS.problem, ROUNDS if descends else 3, runs=1, workers=1, progress=False)
    ask_and_tell(learner, ON_POINTS.menu)


def warm_rankings(kind: type[Any]) -> None:
    """Train a learner of rankings on simulated clicks, and ask it by hand."""
    learner, rng = kind(), default_rng(0)
    data = synthetic_ranking_data(queries=5)
    train_online(learner, data, clicks.perfect(grades=3), ROUNDS, runs=1, workers=1, progress=False)
    state = learner.init(2, rng)
    shown = learner.ask(state, [[0.0, 1.0], [1.0, 0.0]], rng)
    learner.best(learner.tell(state, shown, shown.documents[:1]))


def warm_contexts(kind: type[Any]) -> None:
    """Simulate a learner of contexts, or ask it by hand, or fit it to a log if it learns from logs."""
    policies = FinitePolicies([[0, 1], [1, 0]])
    in_context = Actions(2, np.ones(1))
    if kind.__name__ == "SparringEXP4P":
        problem, rivals = cyclic_contexts(hard=1, easy=1), [[0, 1], [1, 2], [2, 0]]
        learner = kind(rivals, horizon=ROUNDS)
        simulate_contextual(learner, problem, rivals, ROUNDS, runs=1, workers=1, progress=False)
        ask_and_tell(learner, Actions(3, np.ones(1)))
    elif kind.__name__ == "LogisticDuels":
        ask_and_tell(kind(), in_context)
        ask_and_tell(kind(), Actions(2, np.zeros(0), np.eye(2)))
    elif kind.__name__ == "FollowMixture":
        with tempfile.TemporaryDirectory() as folder:
            mixture = PolicyMixture([policies[0], policies[1]], np.full(2, 0.5), ["a", "b"], ["context"])
            ask_and_tell(kind(mixture.save(Path(folder) / "policy.json")), in_context)
    else:
        log = DuelLog(np.zeros((4, 1)), [0, 1, 0, 1], [1, 0, 0, 1], [0, 1, 0.5, 0.5], np.full(4, 0.25), "ab")
        kind(oracle=FinitePolicies([[0], [1]]).oracle(), calls=5).fit(log)


def ask_and_tell(learner: Any, menu: Any) -> None:
    """Ask a learner for a duel, answer it, and ask for the winner."""
    rng = default_rng(0)
    state = learner.init(menu, rng)
    learner.best(learner.tell(state, learner.ask(state, menu, rng), 1.0), menu)


PLAYS: dict[str, Callable[[type[Any]], None]] = {
    "arms": warm_arms,
    "points of a space": warm_points,
    "rankings": warm_rankings,
    "contexts": warm_contexts,
}
"""How the learners of each setting are played."""
