"""All errors that the package raises on purpose.

::

    DuelistError
    ├── ParameterError      (ValueError)   a hyperparameter, horizon, seed or option has an invalid value
    ├── PreferenceError     (ValueError)   a preference matrix or a table of comparisons is invalid
    ├── OutcomeError        (ValueError)   a duel or an outcome is invalid
    │   ├── ClosedError                    the study is closed: it asks and records nothing more
    │   ├── ConflictError                  the same duel was already answered with another outcome
    │   └── TicketError                    a ticket is forged, belongs to another study, or has no answer
    ├── FileError           (ValueError)   a file has unexpected content
    │   ├── RemovedError                   a study was removed by another process
    │   └── StorageError                   a disk or database cannot be read or written at the moment
    ├── WorkersError        (RuntimeError) worker processes or machines were lost or are incompatible
    ├── ServiceError        (RuntimeError) a service rejects a request, or its response is invalid
    ├── UnknownNameError    (LookupError)  there is no learner, problem or arm with this name
    ├── MissingExtraError   (ImportError)  an optional dependency is not installed
    └── MissingPackageError (ImportError)  a companion package is not installed

Each message names the field, the value and the remedy. An error changes nothing. `SlowWarning`, a
UserWarning, means that a result is correct but takes much longer than usual.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from math import inf
from numbers import Integral, Real

__all__ = [
    "ClosedError",
    "ConflictError",
    "DuelistError",
    "FileError",
    "MissingExtraError",
    "MissingPackageError",
    "OutcomeError",
    "ParameterError",
    "PreferenceError",
    "RemovedError",
    "ServiceError",
    "SlowWarning",
    "StorageError",
    "TicketError",
    "UnknownNameError",
    "WorkersError",
]

MOST_NAMES = 50  # the most known names that an error lists


class DuelistError(Exception):
    """Base class of all errors of this package; catch it to catch them all."""


class SlowWarning(UserWarning):
    """A result is correct but takes much longer than usual."""


class ParameterError(DuelistError, ValueError):
    """A hyperparameter, horizon, seed or option has an invalid value."""


class PreferenceError(DuelistError, ValueError):
    """A preference matrix or a table of comparisons is invalid."""


class OutcomeError(DuelistError, ValueError):
    """A duel or an outcome is invalid; nothing was learned."""


class ClosedError(OutcomeError):
    """The study is closed: it can be read, but asks and records nothing more."""


class ConflictError(OutcomeError):
    """The same duel was already answered with another outcome; the first answer is kept."""


class TicketError(OutcomeError):
    """A ticket was not issued by this study, was altered, or has no answer to undo."""


class FileError(DuelistError, ValueError):
    """A file has unexpected content."""


class RemovedError(FileError):
    """A study was removed by another process, which may have created a new one with the same name."""


class StorageError(FileError):
    """A disk or a database cannot be read or written at the moment; retrying later may help."""


class WorkersError(DuelistError, RuntimeError):
    """Worker processes or machines were lost, or run another version of the code."""


class ServiceError(DuelistError, RuntimeError):
    """A service rejects a request (because of a key, role, rate or size), or its response is invalid.

    Parameters
    ----------
    message : str
        What was wrong.
    status : int
        The HTTP status of the response.

    Examples
    --------
    >>> ServiceError("RoleError: the key may read; this needs one that may play.", status=403).status
    403
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class UnknownNameError(DuelistError, LookupError):
    """There is no learner, problem or arm with this name.

    Parameters
    ----------
    kind : str
        What the name stands for, such as "learner".
    name : object
        The unknown name.
    known : iterable of str
        The known names; the message suggests the most similar one.

    Examples
    --------
    >>> raise UnknownNameError("learner", "rucb", ["RUCB", "Uniform"])
    Traceback (most recent call last):
    duelist.errors.UnknownNameError: no learner named 'rucb'; did you mean 'RUCB'? Known: RUCB, Uniform.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        names = list(known)
        folded = {candidate.casefold(): candidate for candidate in names}
        close = get_close_matches(str(name).casefold(), folded, n=1)
        hint = f"; did you mean {folded[close[0]]!r}?" if close else "."
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        super().__init__(f"no {kind} named {name!r}{hint} Known: {', '.join(names[:MOST_NAMES])}{more}.")


class MissingExtraError(DuelistError, ImportError):
    """An optional dependency is not installed.

    Parameters
    ----------
    purpose : str
        What it is needed for.
    extra : str
        The extra of this package that installs it.

    Examples
    --------
    >>> raise MissingExtraError("plotting", "plot")
    Traceback (most recent call last):
    duelist.errors.MissingExtraError: plotting needs an extra: pip install "duelist[plot]"
    """

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f'{purpose} needs an extra: pip install "duelist[{extra}]"')


@contextmanager
def needing_extra(purpose: str, extra: str) -> Iterator[None]:
    """Raise MissingExtraError, which names the extra to install, if an import in the block fails."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(purpose, extra) from error


class MissingPackageError(DuelistError, ImportError):
    """A companion package is not installed.

    Parameters
    ----------
    purpose : str
        What it is needed for.
    package : str
        The name of the package.

    Examples
    --------
    >>> raise MissingPackageError("duelist reproduce", "duelist-reproductions")
    Traceback (most recent call last):
    duelist.errors.MissingPackageError: duelist reproduce needs a package: pip install duelist-reproductions
    """

    def __init__(self, purpose: str, package: str) -> None:
        super().__init__(f"{purpose} needs a package: pip install {package}")


def require_whole(name: str, value: object, least: int) -> None:
    """Raise ParameterError unless the value is a whole number, not a bool, of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} must be a whole number, at least {least}; got {value!r}.")


def require_known(kind: str, name: object, known: Collection[str]) -> None:
    """Raise UnknownNameError unless the name is known; `kind` says what it names."""
    if name not in known:
        raise UnknownNameError(kind, name, known)


def require_generator(rng: object) -> None:
    """Raise ParameterError unless the value is a generator; a seed is not one."""
    if not hasattr(rng, "bit_generator"):
        raise ParameterError(
            f"rng must be a numpy.random.Generator; got {rng!r}. Give numpy.random.default_rng(seed)."
        )


def require_confidence(confidence: object, name: str = "confidence", usual: float = 0.95) -> None:
    """Raise ParameterError unless the level lies strictly between 0 and 1."""
    if not isinstance(confidence, Real) or not 0.0 < float(confidence) < 1.0:
        raise ParameterError(
            f"{name} must lie between 0 and 1; got {confidence!r}. Try the default, {usual}."
        )


def require_positive(name: str, value: object) -> None:
    """Raise ParameterError unless the value is a positive finite number."""
    try:
        number = float(value) if isinstance(value, Real) else 0.0
    except OverflowError:
        number = inf
    if not 0.0 < number < inf:
        raise ParameterError(f"{name} must be a positive number; got {value!r:.80}.")


def number_or_nan(value: object) -> float:
    """Return a number as a float, and nan, which lies within no bounds, for anything else."""
    return float(value) if isinstance(value, Real) else float("nan")


def require_outcome(outcome: object) -> float:
    if type(outcome) is float and 0.0 <= outcome <= 1.0:
        return outcome
    if not isinstance(outcome, Real) or not 0.0 <= float(outcome) <= 1.0:
        raise OutcomeError(
            f"outcome must lie in [0, 1] (1: left wins, 0: right wins, 0.5: tie); got {outcome!r}."
        )
    return float(outcome)
