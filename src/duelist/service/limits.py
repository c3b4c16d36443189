"""How much one request may ask for: what would take gigabytes or minutes is refused before it begins.

How many arms a study may have, and how long a body may be, is for whoever starts the service to say
(`Settings`); how long texts and lists are is in `duelist.wire`. What grows with several of them together is
here.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request

from duelist.errors import ParameterError

LARGEST = 10_000
"""The largest number that a hyperparameter may be or hold: rooms are made as large as some of them say."""
LARGEST_HORIZON = 10**15
"""The largest number of rounds that a learner may be told to plan for."""
MOST_WEIGHTS = 4_000
"""Weights that a learner may have in contexts, because memory grows with their square: 128 MB for these."""
MOST_SETTINGS = 10
"""Duels of knobs that one request may ask for, because each may take seconds."""


MOST_JUDGED = 100
"""Arms of a study whose votes are forecast and whose winners are found: with more it takes minutes."""


def require_few_judged(arms: int) -> None:
    """Refuse to forecast for so many arms that it would take minutes."""
    if arms > MOST_JUDGED:
        raise ParameterError(
            f"votes are forecast for at most {MOST_JUDGED} arms here, and there are {arms:,}; the verdict "
            "says what is proven."
        )


def require_few(request: Request, arms: int) -> None:
    """Refuse more arms than the service allows: memory grows with their square."""
    most = request.app.state.settings.most_arms
    if arms > most:
        raise ParameterError(f"a study has at most {most:,} arms here; got {arms:,}.")


def require_modest(learner: str, parameters: Mapping[str, Any]) -> None:
    """Refuse hyperparameters that no study needs, and that would fill the memory.

    Examples
    --------
    >>> require_modest("SparringEXP4P", {"horizon": 1_000_000, "actions": 1_000_000})
    Traceback (most recent call last):
    duelist.errors.ParameterError: SparringEXP4P: actions holds a number beyond 10,000; give a smaller one.
    """
    for name, value in parameters.items():
        most = LARGEST_HORIZON if name == "horizon" else LARGEST
        waiting = [value]
        while waiting:
            one = waiting.pop()
            if isinstance(one, Mapping):
                waiting.extend(one.values())
            elif isinstance(one, list):
                waiting.extend(one)
            elif isinstance(one, int | float) and not abs(one) <= most:
                raise ParameterError(f"{learner}: {name} holds a number beyond {most:,}; give a smaller one.")


def require_few_weights(
    arms: int, context: Sequence[float] | None, features: Sequence[Sequence[float]] | None
) -> None:
    """Refuse contexts so long that a learner of them could not be kept in memory."""
    if features is not None:
        weights = max(map(len, features), default=0)
    else:
        weights = 0 if context is None else arms * (len(context) + 1)
    if weights > MOST_WEIGHTS:
        raise ParameterError(
            f"contexts and features may need {MOST_WEIGHTS:,} weights here, one for each feature, or for "
            f"each number of a context and each arm; these need {weights:,}. Give fewer."
        )


def require_alike(
    example: Mapping[str, Any], context: Sequence[float] | None, features: Sequence[Sequence[float]] | None
) -> None:
    """Refuse a context of another length than the study began with, for which no room was made."""
    if context is None or features is not None or "context" not in example:
        return
    if "features" in example:
        raise ParameterError("the study began with features of the arms; give them too.")
    if len(context) != len(example["context"]):
        raise ParameterError(
            f"a context of this study has {len(example['context'])} numbers; got {len(context)}."
        )
