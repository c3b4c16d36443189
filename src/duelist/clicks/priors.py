"""What a fit believes before it sees a log: a few looks, of which a usual share was clicked."""

from math import isfinite
from math import log as ln

from duelist.clicks.log import ClickLog
from duelist.errors import ParameterError, require_whole
from duelist.kernels.compile import compiled


@compiled
def share(part: float, whole: float, usual: float, prior: float, otherwise: float) -> float:
    """Return the likeliest chance after `part` of `whole`, and `prior` more of which a share is usual."""
    known = whole + prior
    return (part + prior * usual) / known if known > 0.0 else otherwise


@compiled
def belief(chance: float, usual: float, prior: float) -> float:
    """Return the logarithm of how likely a chance is beforehand, up to a constant."""
    return prior * (usual * ln(chance) + (1.0 - usual) * ln(1.0 - chance)) if prior > 0.0 else 0.0


def check_fit(log: ClickLog, prior: float, rounds: int, tolerance: float) -> None:
    """Refuse what cannot be fitted, and settings that cannot work."""
    if not (isfinite(prior) and prior >= 0.0):
        raise ParameterError(f"prior must be a finite number of looks, 0 or more; got {prior}.")
    if not (isfinite(tolerance) and tolerance >= 0.0):
        raise ParameterError(f"tolerance must be a finite number, 0 or more; got {tolerance}.")
    require_whole("rounds", rounds, 1)
    if not log.clicked.any():
        raise ParameterError("the log holds no click; give impressions with clicks to fit a model.")
