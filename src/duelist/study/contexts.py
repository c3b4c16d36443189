"""Contexts of a study: what a learner that looks at them needs, and how they are kept."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from duelist.card import card_of
from duelist.errors import ParameterError
from duelist.protocols import Learner


def example_of(
    learner: Learner[Any], context: ArrayLike | None, features: ArrayLike | None
) -> dict[str, Any]:
    """Return a context to begin with, as a journal has it; for a learner that needs none, nothing."""
    if card_of(learner).setting != "contexts":
        require_none(learner, context, features)
        return {}
    if context is None:
        size = getattr(learner, "context_size", None)
        if size is None:
            raise ParameterError(
                f"{type(learner).__name__} must know how long a context is; give an example: "
                "Study(..., context=[0.0, 0.0])."
            )
        context = np.zeros(size)
    return {
        name: plain(value)
        for name, value in (("context", context), ("features", features))
        if value is not None
    }


def require_context(learner: Learner[Any], context: ArrayLike | None, features: ArrayLike | None) -> None:
    """Refuse to do without a context if the learner looks at contexts, and with one if it does not."""
    if card_of(learner).setting != "contexts":
        require_none(learner, context, features)
    elif context is None:
        raise ParameterError(
            f"{type(learner).__name__} needs to know the context: ask(context=...), best(context=...)."
        )


def require_none(learner: Learner[Any], context: ArrayLike | None, features: ArrayLike | None) -> None:
    """Refuse a context for a learner that would not look at it."""
    if context is not None or features is not None:
        raise ParameterError(
            f"{type(learner).__name__} does not look at contexts; leave context and features out."
        )


def plain(value: Any) -> Any:
    """Return numbers as JSON knows them."""
    try:
        return None if value is None else np.asarray(value, np.float64).tolist()
    except (TypeError, ValueError) as error:
        raise ParameterError(f"contexts, features and notes must be numbers; got {value!r:.80}.") from error


def as_pair(given: Any) -> tuple[float, float]:
    """Return propensities, one for each side."""
    try:
        left, right = given
        return float(left), float(right)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"propensity must be two chances, one for each side; got {given!r}.") from error
