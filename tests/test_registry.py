import json

import numpy as np
import pytest

from duelist import RUCB
from duelist.assumptions import describe
from duelist.errors import ParameterError, UnknownNameError
from duelist.registry import LEARNERS, build_learner, build_problem, hyperparameters


def test_numbers_of_numpy_become_plain_ones() -> None:
    learner = build_learner("RUCB", alpha=np.float32(0.75))
    assert json.loads(json.dumps(hyperparameters(learner))) == {"alpha": 0.75}


def test_every_learner_but_the_baseline_has_a_guarantee() -> None:
    assert set(describe([[0.5, 0.6], [0.4, 0.5]]).guarantees) == set(LEARNERS) - {"Uniform"}


def test_only_dataclasses_have_hyperparameters() -> None:
    with pytest.raises(ParameterError, match="a learner must be a dataclass"):
        hyperparameters(3)
    with pytest.raises(ParameterError, match="a learner must be a dataclass"):
        hyperparameters(RUCB)


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(UnknownNameError, match=r"no learner named 'RUBC'; did you mean 'RUCB'.*BeatTheMean"):
        build_learner("RUBC")
    with pytest.raises(UnknownNameError, match=r"no problem named 'best_case'.*worst_case"):
        build_problem("best_case")


def test_a_wrong_or_missing_parameter_is_named() -> None:
    with pytest.raises(UnknownNameError, match="no parameter of RUCB named 'beta'"):
        build_learner("RUCB", beta=1)
    with pytest.raises(ParameterError, match="BeatTheMean needs horizon"):
        build_learner("BeatTheMean")
