import inspect

import numpy as np
import pytest
from refusals import refused

from duelist import errors


def test_every_error_is_a_duelist_error_and_drawn_in_the_hierarchy() -> None:
    kinds = [
        kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__
    ]
    assert len(kinds) == 16
    assert [kind for kind in kinds if not issubclass(kind, errors.DuelistError)] == [errors.SlowWarning]
    for kind in kinds:
        assert kind.__name__ in (errors.__doc__ or "")


@pytest.mark.parametrize("value", [0, 1.5, "3", None, float("nan")])
def test_what_is_not_a_whole_number_is_refused(value: object) -> None:
    with refused(errors.ParameterError, "runs", 1, repr(value)):
        errors.require_whole("runs", value, 1)


@pytest.mark.parametrize("outcome", [-0.1, 1.5, "left", None, float("nan"), float("inf")])
def test_what_is_no_outcome_is_refused(outcome: object) -> None:
    with refused(errors.OutcomeError, "outcome", [0, 1], repr(outcome)):
        errors.require_outcome(outcome)


@pytest.mark.parametrize("outcome", [0, 1, 0.5, True, np.float64(0.25), np.float32(1.0), np.int64(0)])
def test_every_kind_of_number_is_an_outcome(outcome: float) -> None:
    assert errors.require_outcome(outcome) == float(outcome)


@pytest.mark.parametrize("value", [0.0, -1, float("inf"), float("nan"), "1", None])
def test_what_is_not_positive_is_refused(value: object) -> None:
    with refused(errors.ParameterError, "radius", repr(value)):
        errors.require_positive("radius", value)


@pytest.mark.parametrize("value", [95, 0.0, 1.0, float("nan"), "0.95"])
def test_a_confidence_lies_between_0_and_1(value: object) -> None:
    with refused(errors.ParameterError, "confidence", 0, 1, repr(value), 0.95):
        errors.require_confidence(value)
