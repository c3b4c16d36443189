"""What a service is told when it starts, and how much one request may ask for.

How long texts and lists may be is in `duelist.wire`; what grows with several of them together is here, and is
refused before it would take gigabytes or minutes.
"""

from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from math import inf
from typing import Any

import msgspec

from duelist.errors import ParameterError

LOOPBACK = ("localhost", "127.0.0.1", "::1")
VARIABLE = "DUELIST_SERVICE"
"""The environment variable by which worker processes learn their settings."""
LARGEST = 10_000
"""The largest number that a hyperparameter may be or hold: rooms are made as large as some of them say."""
LARGEST_HORIZON = 10**15
"""The largest number of rounds that a learner may be told to plan for."""
MOST_WEIGHTS = 4_000
"""Weights that a learner may have in contexts, because memory grows with their square: 128 MB for these."""
MOST_SETTINGS = 10
"""Duels of parameters that one request may ask for, because each may take seconds."""
MOST_JUDGED = 100
"""Arms of a study whose votes are forecast and whose winners are found: with more it takes minutes."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a service runs.

    Parameters
    ----------
    database : str
        A file for SQLite, or an address such as postgresql://user@host/name.
    host, port
        Where it listens.
    is_open : bool
        Whether no key is needed; only where nobody but this machine can connect.
    workers : int
        Processes that answer; above 1 they need PostgreSQL.
    names : tuple of str
        Names besides the host's by which it may be called, such as votes.example.org; "*" for any.
    rate : float
        Requests a second that one key or address may make; 0 for no limit.
    most_arms : int
        The largest number of arms of a study, because memory grows with its square.
    most_bytes : int
        The largest body of a request; imports of votes may be `IMPORTS` times as large.
    logs : bool
        Whether each request writes a line.

    Notes
    -----
    Other limits are not for the operator to set. Of one request (`duelist.wire`): 100 duels, 10,000 documents
    of a ranking, 10,000 numbers of a context, names of 200 characters, texts of 100,000. Of several of these
    together: 10 duels of parameters, hyperparameters up to 10,000, horizons up to 10^15, 4,000 weights
    in contexts. Of a connection (`serving`): 10 seconds and 64 KiB for the head of a request, 60 seconds
    for its body.
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
        """Refuse what would not be safe, or could not work."""
        if self.is_open and not is_loopback(self.host):
            raise ParameterError(
                f"--open lets everybody in who can connect, and {self.host} is not this machine alone; leave "
                "--open out and make a key (duelist keys create), or listen on --host 127.0.0.1."
            )
        if self.workers < 1:
            raise ParameterError(f"--workers must be at least 1; got {self.workers}.")
        if not 0 <= self.port < 65536:
            raise ParameterError(f"--port must lie between 0 and 65535; got {self.port}.")
        if not 0.0 <= self.rate < inf:
            raise ParameterError(f"--rate must be at least 0; got {self.rate}.")
        if self.workers > 1 and not self.database.startswith("postgres"):
            raise ParameterError(
                "several workers need PostgreSQL: --database postgresql://user@host/name; SQLite serves one."
            )

    @property
    def hosts(self) -> frozenset[str]:
        """The names by which the service may be called."""
        own = () if is_any(self.host) else (self.host,)
        return frozenset(name.lower() for name in (*LOOPBACK, *own, *self.names))


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_any(host: str) -> bool:
    """Return whether an address stands for all of this machine's."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def require_few_judged(arms: int) -> None:
    """Refuse to forecast for so many arms that it would take minutes."""
    if arms > MOST_JUDGED:
        raise ParameterError(
            f"votes are forecast for at most {MOST_JUDGED} arms here, and there are {arms:,}; the verdict "
            "says what is proven."
        )


def require_few(most: int, arms: int) -> None:
    """Refuse more arms than the service allows: memory grows with their square."""
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
