import json
from typing import get_args

import numpy as np
import pytest
from catalogue import example
from numpy.random import default_rng
from reference_learners.twins import twin
from refusals import refused

from duelist import RUCB, DuelingGradientRanker, FollowMixture
from duelist.assumptions import describe
from duelist.card import Setting, card_of
from duelist.errors import ParameterError, UnknownNameError
from duelist.interleaving import Probabilistic
from duelist.registry import (
    ESTIMATORS,
    INTERLEAVINGS,
    LEARNERS,
    PARTS,
    PROBLEMS,
    Registry,
    build_learner,
    build_problem,
    hyperparameters,
    learners_for,
    purpose,
    rebuild,
)


def test_numbers_of_numpy_become_plain_ones() -> None:
    learner = build_learner("RUCB", alpha=np.float32(0.75))
    assert json.loads(json.dumps(hyperparameters(learner))) == {"alpha": 0.75, "remembers_champion": False}


def test_guarantees_are_told_of_learners_that_exist_and_promise_something() -> None:
    promised = {name for name, kind in learners_for("arms").items() if kind.card.assumes != "nothing"}
    told = set(describe([[0.5, 0.6], [0.4, 0.5]]).guarantees)
    assert {"RUCB", "CondorcetSavage", "BeatTheMean", "InterleavedFilter1", "InterleavedFilter2"} <= told
    assert told <= promised


def test_only_dataclasses_have_hyperparameters() -> None:
    with refused(ParameterError, "learner", "dataclass"):
        hyperparameters(3)
    with refused(ParameterError, "learner", "dataclass"):
        hyperparameters(RUCB)


def test_unknown_names_list_the_known() -> None:
    with refused(UnknownNameError, "learner", "'RUBC'", "'RUCB'", "BeatTheMean"):
        build_learner("RUBC")
    with refused(UnknownNameError, "problem", "'best_case'", "'worst_case'"):
        build_problem("best_case")


def test_a_wrong_or_missing_parameter_is_named() -> None:
    with refused(UnknownNameError, "RUCB", "'beta'"):
        build_learner("RUCB", beta=1)
    with refused(ParameterError, "BeatTheMean", "horizon"):
        build_learner("BeatTheMean")


@pytest.mark.parametrize("registry", [LEARNERS, ESTIMATORS, INTERLEAVINGS, PROBLEMS, PARTS])
def test_every_name_stands_for_what_has_that_name(registry: Registry) -> None:
    assert len(registry) == len(list(registry)) > 0
    for name, thing in registry.items():
        assert registry.name_of(thing) == name


def test_every_learner_has_one_setting() -> None:
    named = [name for setting in get_args(Setting) for name in learners_for(setting)]
    assert named == list(LEARNERS)


def test_cards_say_who_looks_for_what() -> None:
    sought = {name: kind.card.seeks for name, kind in LEARNERS.items()}
    assert sought["RUCB"] == sought["CondorcetSavage"] == "Condorcet winner"
    assert sought["BeatTheMean"] == sought["InterleavedFilter1"] == "best arm of a total order"
    assert "von Neumann winner" in sought["SparringEXP4P"]
    assert LEARNERS["RUCB"].card.arms_may_change
    assert not LEARNERS["InterleavedFilter2"].card.arms_may_change


@pytest.mark.parametrize("name", learners_for("arms"))
def test_every_learner_over_arms_has_a_twin_in_the_file_of_the_same_name(name: str) -> None:
    left, right = twin(example(LEARNERS[name]), 3, default_rng(0)).ask(default_rng(1))
    assert {left, right} <= {0, 1, 2}


def test_parts_of_a_learner_survive_json_with_their_settings() -> None:
    learner = DuelingGradientRanker(interleaving=Probabilistic(tau=2.0))
    content = json.loads(json.dumps(hyperparameters(learner)))
    assert content["interleaving"]["kind"] == "probabilistic"
    assert rebuild(DuelingGradientRanker, content) == learner


def test_a_mixture_of_policies_is_kept_as_its_content() -> None:
    learner = example(FollowMixture)
    content = json.loads(json.dumps(hyperparameters(learner)))
    again = build_learner("FollowMixture", **content)
    assert isinstance(again, FollowMixture)
    assert again.mixture.policies[0].act(np.array([[0.0], [1.0]])).tolist() == [2, 0]
    content["mixture"]["policies"][0]["kind"] = "guess"
    with refused(ParameterError, "policy 0", "kind", "table, tree", "'guess'"):
        build_learner("FollowMixture", **content)


def test_the_card_of_what_has_none_is_empty() -> None:
    assert card_of(object()).setting == "arms"


def test_the_purpose_is_the_first_line() -> None:
    assert purpose(LEARNERS["RUCB"]) == "Find the Condorcet winner without knowing the horizon."
