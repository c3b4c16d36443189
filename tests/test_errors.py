import inspect

import pytest

from duelist import errors


def test_every_error_is_a_duelist_error_and_drawn_in_the_hierarchy() -> None:
    kinds = [
        kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__
    ]
    assert len(kinds) == 10
    for kind in kinds:
        assert issubclass(kind, errors.DuelistError)
        assert kind.__name__ in (errors.__doc__ or "")


@pytest.mark.parametrize("value", [0, 1.5, "3", None, float("nan")])
def test_what_is_not_a_whole_number_is_refused(value: object) -> None:
    with pytest.raises(errors.ParameterError, match="runs must be a whole number, at least 1; got"):
        errors.require_whole("runs", value, 1)
