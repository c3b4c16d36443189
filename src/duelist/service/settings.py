"""Settings of the service, and limits on the cost of a request.

The limits of single texts and lists are in `duelist.wire`. Here are limits on costs that grow with several of
them together: requests that would take gigabytes or minutes are rejected first.
"""

from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from math import inf
from typing import Any

import msgspec

from duelist.errors import ParameterError

LOOPBACK = ("localhost", "127.0.0.1", "::1")
VARIABLE = "DUELIST_SERVICE"
"""Environment variable that passes the settings to worker processes."""
LARGEST = 10_000
"""Maximum of a number in a hyperparameter: some of them determine the size of buffers."""
LARGEST_HORIZON = 10**15
"""Maximum horizon of a learner, in rounds."""
MOST_WEIGHTS = 4_000
"""Maximum number of weights of a contextual learner; memory grows with the square: 128 MB at this limit."""
MOST_SETTINGS = 10
"""Maximum number of duels of parameters per request: each may take seconds."""
MOST_JUDGED = 100
"""Maximum number of arms for forecasts and winners by every definition, which otherwise take minutes."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the service.

    Parameters
    ----------
    database : str
        Path of an SQLite file, or a URL such as postgresql://user@host/name.
    host, port
        Address and port to listen on.
    is_open : bool
        Whether requests need no key; allowed only on a loopback address.
    workers : int
        Number of worker processes; more than 1 requires PostgreSQL.
    names : tuple of str
        Further host names to accept in requests, such as votes.example.org; "*" for any.
    rate : float
        Maximum number of requests per second, for each key or address; 0 for no limit.
    most_arms : int
        Maximum number of arms of a study; memory grows with its square.
    most_bytes : int
        Maximum size of a request body in bytes; imports of votes may be `IMPORTS` times as large.
    logs : bool
        Whether each request is logged.

    Notes
    -----
    Other limits are fixed. Single fields (`duelist.wire`): 100 duels, 10,000 documents in a ranking, 10,000
    numbers in a context, names of 200 characters, texts of 100,000. Combinations: 10 duels of parameters,
    hyperparameters up to 10,000, horizons up to 10^15, 4,000 weights of contextual learners. Connections
    (`serving`): 10 seconds and 64 KiB for the head of a request, 60 seconds for its body.

    Examples
    --------
    >>> Settings(database="studies.db", names=("votes.example.org",)).port
    8321
    """

    database: str
    host: str = "127.0.0.1"
    port: int = 8321
    is_open: bool = False
    workers: int = 1
    names: tuple[str, ...] = ()
    rate: float = 0.0
    most_arms: int = 1_000
    most_bytes: int = 1_000_000
    logs: bool = True

    def __post_init__(self) -> None:
        if self.is_open and not is_loopback(self.host):
            raise ParameterError(
                f"--open serves everybody who can connect, and {self.host} is not a loopback address; omit "
                "--open and create a key (duelist keys create), or listen on --host 127.0.0.1."
            )
        if self.workers < 1:
            raise ParameterError(f"--workers must be at least 1; got {self.workers}.")
        if not 0 <= self.port < 65536:
            raise ParameterError(f"--port must lie between 0 and 65535; got {self.port}.")
        if not 0.0 <= self.rate < inf:
            raise ParameterError(f"--rate must be at least 0; got {self.rate}.")
        if self.workers > 1 and not self.database.startswith("postgres"):
            raise ParameterError(
                "--workers above 1 requires PostgreSQL: --database postgresql://user@host/name; SQLite "
                "serves one worker."
            )

    @property
    def hosts(self) -> frozenset[str]:
        """Host names to accept in requests."""
        own = () if is_any(self.host) else (self.host,)
        return frozenset(name.lower() for name in (*LOOPBACK, *own, *self.names))


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_any(host: str) -> bool:
    """Return whether a host stands for all addresses of this machine."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def require_few_judged(arms: int) -> None:
    """Check that there are few enough arms for a forecast: with many it takes minutes."""
    if arms > MOST_JUDGED:
        raise ParameterError(
            f"the service forecasts votes for at most {MOST_JUDGED} arms, and the study has {arms:,}; use "
            "the verdict instead."
        )


def require_few(most: int, arms: int) -> None:
    """Check the number of arms against the service's limit; memory grows with its square."""
    if arms > most:
        raise ParameterError(f"a study on this service has at most {most:,} arms; got {arms:,}.")


def require_bounded(learner: str, parameters: Mapping[str, Any]) -> None:
    """Check that hyperparameters are not so large that they exhaust the memory.

    Examples
    --------
    >>> require_bounded("SparringEXP4P", {"horizon": 1_000_000, "actions": 1_000_000})
    Traceback (most recent call last):
    duelist.errors.ParameterError: SparringEXP4P: actions contains a number beyond 10,000; use a smaller one.
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
                raise ParameterError(
                    f"{learner}: {name} contains a number beyond {most:,}; use a smaller one."
                )


def require_few_weights(
    arms: int, context: Sequence[float] | None, features: Sequence[Sequence[float]] | None
) -> None:
    """Check that a contextual learner of these contexts fits into memory."""
    if features is not None:
        weights = max(map(len, features), default=0)
    else:
        weights = 0 if context is None else arms * (len(context) + 1)
    if weights > MOST_WEIGHTS:
        raise ParameterError(
            f"contexts and features may need at most {MOST_WEIGHTS:,} weights (one per feature, or per "
            f"number of the context and arm); these need {weights:,}. Use fewer arms, numbers or features."
        )


def require_same_shape(
    example: Mapping[str, Any], context: Sequence[float] | None, features: Sequence[Sequence[float]] | None
) -> None:
    """Check that a context has the length that the learner's buffers were made for."""
    if context is None or features is not None or "context" not in example:
        return
    if "features" in example:
        raise ParameterError("the study has features of the arms; send features as well.")
    if len(context) != len(example["context"]):
        raise ParameterError(
            f"context must have {len(example['context'])} numbers in this study; got {len(context)}."
        )
