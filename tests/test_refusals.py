import pytest
from refusals import names, refused

from duelist.errors import ConflictError, OutcomeError, ParameterError


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        (("alpha",), True),
        (("alph",), False),
        (("alpha", -0.5), True),
        ((0.5,), False),
        (("-0.5", "beta"), False),
    ],
)
def test_facts_are_whole_words(facts: tuple[object, ...], found: bool) -> None:
    assert names("alpha must exceed 1/2; got -0.5.", *facts) is found


def fail(error: Exception) -> None:
    raise error


def test_another_class_or_a_missing_fact_fails() -> None:
    with refused(ParameterError, "alpha", 3):
        fail(ParameterError("alpha must lie in (0, 1); got 3."))
    with pytest.raises(AssertionError), refused(OutcomeError, "x"):
        fail(ConflictError("x"))
    with pytest.raises(AssertionError), refused(ParameterError, "beta"):
        fail(ParameterError("alpha"))
