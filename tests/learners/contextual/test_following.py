from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from refusals import refused
from study.world import known, same_folds

from duelist import RUCB, Actions, Duel, FollowMixture, LogisticDuels, PolicyMixture, SparringEXP4P, Study
from duelist.errors import OutcomeError, ParameterError
from duelist.policies import FinitePolicies
from duelist.protocols import Learner

ARMS = ["bm25", "dense", "random"]


@pytest.fixture
def model() -> PolicyMixture:
    policies = list(FinitePolicies([[0, 1], [1, 0], [0, 2]]))
    weights = np.array([0.5, 0.3, 0.2])
    return PolicyMixture(policies, weights, ARMS, ["weekend"])


def test_both_sides_are_drawn_from_the_mixture_in_the_context(model: PolicyMixture) -> None:
    study = Study(FollowMixture(model), ARMS, seed=3)
    duels = [study.ask(context=[1.0]) for _ in range(4000)]
    for side in ("left", "right"):
        shares = [np.mean([getattr(duel, side) == arm for duel in duels]) for arm in ARMS]
        # chances 0.3, 0.5 and 0.2, given that the two sides differ
        expected = np.array([0.3 * 0.7, 0.5 * 0.5, 0.2 * 0.8]) / 0.62
        np.testing.assert_allclose(shares, expected, atol=4 * 0.5 / np.sqrt(4000))
    assert not any(duel.left == duel.right for duel in duels)
    shown = {round(duel.propensity[0], 12) for duel in duels if duel.left == "random" and duel.propensity}
    assert shown == {round(0.2 * 0.8 / 0.62, 12)}
    assert (study.best([0.0]), study.best([1.0])) == ("bm25", "dense")


def test_outcomes_are_counted_and_change_nothing_else(model: PolicyMixture) -> None:
    learner = FollowMixture(model)
    menu = Actions(3, np.array([0.0]))
    state = learner.init(menu, default_rng(0))
    told = learner.tell(learner.tell(state, Duel(0, 2), 1.0), Duel(2, 0), 0.5)
    assert state.wins.sum() == 0.0
    assert told.wins.tolist() == [[0.0, 0.0, 1.5], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    same = [learner.ask(one, menu, default_rng(5))[:3] for one in (state, told)]
    assert same[0] == same[1]
    with refused(OutcomeError, "outcome", 2.0):
        learner.tell(state, Duel(0, 1), 2.0)


def test_a_path_is_refused_since_files_are_read_at_the_edge(model: PolicyMixture, tmp_path: Path) -> None:
    path: Any = model.save(tmp_path / "policy.json")
    with refused(ParameterError, "mixture", path, "PolicyMixture.load"):
        FollowMixture(path)
    assert FollowMixture(PolicyMixture.load(path)).mixture.weights.tolist() == model.weights.tolist()


def test_a_menu_of_other_actions_is_refused(model: PolicyMixture) -> None:
    with refused(ParameterError, "menu", 3, "bm25", "dense", "random", 2):
        Study(FollowMixture(model), ["a", "b"])


@pytest.mark.parametrize("kind", ["FollowMixture", "LogisticDuels", "SparringEXP4P"])
def test_a_study_in_contexts_survives_its_file(kind: str, model: PolicyMixture, tmp_path: Path) -> None:
    learners: dict[str, Learner[Any]] = {
        "FollowMixture": FollowMixture(model),
        "LogisticDuels": LogisticDuels(),
        "SparringEXP4P": SparringEXP4P([[0, 1], [1, 0], [2, 2]], horizon=500),
    }
    study = Study(learners[kind], ARMS, 2, context=[0.0] if kind == "LogisticDuels" else None)
    for number in range(30):
        duel = study.ask(context=[float(number % 2)])
        study.tell(duel, "left" if duel.left == "dense" else "tie")
    again = Study.load(study.save(tmp_path / "study.json"))
    assert same_folds(known(again), known(study))
    for number in range(5):
        context = [float(number % 2)]
        assert study.ask(context=context)[:3] == again.ask(context=context)[:3]


def test_contexts_are_asked_for_and_not_ignored(model: PolicyMixture) -> None:
    with refused(ParameterError, "FollowMixture", "context"):
        Study(FollowMixture(model), ARMS).ask()
    with refused(ParameterError, "RUCB", "context"):
        Study(RUCB(), ARMS).ask(context=[1.0])
    with refused(ParameterError, "RUCB", "context"):
        Study(RUCB(), ARMS, context=[1.0])
    with refused(ParameterError, "LogisticDuels", "context"):
        Study(LogisticDuels(), ARMS)
