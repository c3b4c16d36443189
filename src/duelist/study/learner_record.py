"""Learners as journals name them: a name of the registry, or a class elsewhere, and hyperparameters."""

from collections.abc import Sequence
from typing import Any

import msgspec

from duelist.card import card_of
from duelist.errors import DuelistError, FileError, ParameterError
from duelist.protocols import Learner
from duelist.registry import LEARNERS, build_learner, hyperparameters

SETTINGS = {"arms": "arms", "contexts": "arms", "points of a space": "knobs"}
"""For each setting of learners, the choices of a study that it can learn about."""


def write_learner(learner: Learner[Any]) -> dict[str, Any]:
    """Return a learner as a journal has it."""
    kind = type(learner)
    own = kind.__name__ in LEARNERS and LEARNERS[kind.__name__] is kind
    name = kind.__name__ if own else f"{kind.__module__}:{kind.__qualname__}"
    record = {"name": name, "parameters": hyperparameters(learner)}
    try:
        written: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise ParameterError(
            f"the hyperparameters of {learner!r} cannot be kept as JSON: {error}."
        ) from error
    return written


def read_learner(content: dict[str, Any], known: Sequence[Learner[Any]] = ()) -> Learner[Any]:
    """Return the learner that `write_learner` wrote: one of those known, or of the registry."""
    for learner in known:
        if write_learner(learner) == content:
            return learner
    name, parameters = content.get("name"), content.get("parameters")
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise FileError("the learner has no name or no parameters; use a backup.")
    if name not in LEARNERS:
        raise FileError(
            f"the learner is {name!r}, which is not in the catalogue; pass it: Study.open(path, learner=...)."
        )
    try:
        return build_learner(name, **parameters)
    except (DuelistError, TypeError, ValueError) as error:
        raise FileError(f"the learner {name} cannot be made again: {error}") from error


def names_learner(content: dict[str, Any], learner: Learner[Any]) -> bool:
    """Return whether a journal names this learner; what earlier versions did not write has its default."""
    try:
        return write_learner(read_learner(content, [learner])) == write_learner(learner)
    except DuelistError:
        return False


def require_learner(learner: object, choices: str) -> None:
    """Refuse what is not a learner, or not one for these choices: "arms" or "knobs"."""
    if isinstance(learner, type):
        raise ParameterError(
            f"learner must be a learner, not its class: write {learner.__name__}() with parentheses."
        )
    if isinstance(learner, str):
        raise ParameterError(f"learner must be a learner, such as RUCB(); got the text {learner!r}.")
    if not isinstance(learner, Learner):
        raise ParameterError(
            f"learner must have the methods init, ask, tell and best, as RUCB() has; got {learner!r}."
        )
    setting = card_of(learner).setting
    if SETTINGS.get(setting) != choices:
        fitting = " or ".join(name for name, fits in SETTINGS.items() if fits == choices)
        raise ParameterError(
            f"{type(learner).__name__} chooses from {setting}, and cannot learn about {choices}; "
            f"take a learner of {fitting}."
        )
