"""What people answer, as learners read it."""

from collections.abc import Mapping
from types import MappingProxyType

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE
from duelist.errors import OutcomeError

OUTCOMES: Mapping[str, float] = MappingProxyType({"left": LEFT_WINS, "right": RIGHT_WINS, "tie": TIE})


def as_outcome(answer: str | float) -> float:
    """Return an answer as a number: 1 left wins, 0 right wins, 0.5 a tie."""
    remedy = 'answer "left", "right" or "tie", or a number from 0 (right wins) to 1 (left wins).'
    if isinstance(answer, str):
        if answer not in OUTCOMES:
            raise OutcomeError(f"outcome {answer!r} is not known; {remedy}")
        return OUTCOMES[answer]
    try:
        outcome = float(answer)
    except (TypeError, ValueError) as error:
        raise OutcomeError(f"outcome {answer!r} is not a number; {remedy}") from error
    if not 0.0 <= outcome <= 1.0:
        raise OutcomeError(f"outcome {answer!r} lies outside [0, 1]; {remedy}")
    return outcome
