"""Learners by name: their class's, or all of `repr` where two share a class."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from duelist.errors import ParameterError

Kind = TypeVar("Kind")
Named: TypeAlias = Kind | Sequence[Kind] | Mapping[str, Kind]
"""One learner, several, or several with names."""

LEARNER_NEEDS = "init, ask, tell and best"
RANKING_LEARNER_NEEDS = "ranking_kernels, length, init, rules and scratch"


def name_learners(learners: Named[Any], kind: type[Any], needs: str) -> dict[str, Any]:
    """Return learners by name; what is not of the kind, a protocol, is refused for want of what it needs."""
    if isinstance(learners, Mapping):
        listed = list(learners.values())
    elif isinstance(learners, kind) or not isinstance(learners, Iterable):
        listed = [learners]
    else:
        listed = list(learners)
    for learner in listed:
        if not isinstance(learner, kind):
            raise ParameterError(f"learners must have {needs}; got {learner!r}.")
    if isinstance(learners, Mapping) and listed:
        return dict(learners)
    kinds = [type(learner).__name__ for learner in listed]
    named = {
        name if kinds.count(name) == 1 else repr(learner): learner
        for name, learner in zip(kinds, listed, strict=True)
    }
    if not listed or len(named) < len(listed):
        raise ParameterError(
            "learners must not be empty and must differ; to repeat one, give a mapping of names to learners."
        )
    return named
