"""Arguments of simulations: learners by name, and the rounds at which to measure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from duelist.duel import IntArray
from duelist.errors import ParameterError, require_whole

Kind = TypeVar("Kind")
Named: TypeAlias = Kind | Sequence[Kind] | Mapping[str, Kind]  # one learner, several, or several with names
LEARNER_NEEDS = "init, ask, tell and best"
LONGEST = 10**15  # more than enough, and still exact in double precision


def name_learners(learners: Named[Any], kind: type[Any], needs: str) -> dict[str, Any]:
    """Return learners by their class names, or by `repr` if several share a class."""
    if isinstance(learners, Mapping):
        listed = list(learners.values())
    elif isinstance(learners, kind) or not isinstance(learners, Iterable):
        listed = [learners]
    else:
        listed = list(learners)
    for learner in listed:
        if not isinstance(learner, kind) or isinstance(learner, type):
            raise ParameterError(f"learners must be objects with {needs}; got {learner!r}.")
    if isinstance(learners, Mapping) and listed:
        return dict(learners)
    kinds = [type(learner).__name__ for learner in listed]
    named = {
        name if kinds.count(name) == 1 else repr(learner): learner
        for name, learner in zip(kinds, listed, strict=True)
    }
    if not listed or len(named) < len(listed):
        raise ParameterError(
            f"learners must be one or more distinct learners; got {listed!r:.80}. To repeat one, give a "
            "mapping of names to learners."
        )
    return named


def log_spaced(horizon: int, per_decade: int = 10) -> IntArray:
    """Return log-spaced rounds from 1 to the horizon.

    Parameters
    ----------
    horizon : int
        The last round.
    per_decade : int, default 10
        The number of rounds per factor of ten.

    Returns
    -------
    array of int
        The rounds, in increasing order.

    Examples
    --------
    >>> log_spaced(1000, per_decade=2)
    array([   1,    3,   10,   32,  100,  316, 1000])
    """
    steps = int(np.ceil(per_decade * np.log10(horizon))) + 1
    rounded: IntArray = np.rint(np.geomspace(1, horizon, steps)).astype(np.int64)
    return np.unique(rounded)


def as_checkpoints(rounds: Sequence[int] | None, horizon: int) -> IntArray:
    """Return the given rounds and the horizon, sorted; log-spaced rounds by default."""
    if rounds is None:
        return log_spaced(horizon)
    asked = np.asarray(rounds)
    if asked.ndim != 1 or (asked.size and asked.dtype.kind not in "iu"):
        raise ParameterError(f"checkpoints must be a row of whole numbers; got {rounds!r}.")
    marks = np.unique(np.append(asked.astype(np.int64), horizon))
    if marks[0] < 1 or marks[-1] > horizon:
        wrong = marks[0] if marks[0] < 1 else marks[-1]
        raise ParameterError(f"checkpoints must be rounds from 1 to the horizon, {horizon}; got {wrong}.")
    return marks


def require_sizes(name: str, horizon: int, runs: int, seed: int, workers: int | None) -> None:
    """Validate the numbers of a simulation; `name` is the caller's name for the horizon."""
    require_whole(name, horizon, 1)
    if horizon > LONGEST:
        raise ParameterError(f"{name} must be at most {LONGEST:.0e} rounds; got {horizon}.")
    require_whole("runs", runs, 1)
    require_whole("seed", seed, 0)
    require_whole("workers", 1 if workers is None else workers, 1)
