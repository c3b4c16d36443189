"""Every error the package raises on purpose, in one small hierarchy.

::

    DuelistError
    ├── ParameterError      (ValueError)   a hyperparameter, horizon, seed or option has a wrong value
    ├── PreferenceError     (ValueError)   a preference matrix or a table of comparisons is not one
    ├── OutcomeError        (ValueError)   a duel or an outcome cannot be learned from
    │   ├── ClosedError                    the study has ended, and asks and records no more
    │   ├── ConflictError                  the same duel was answered before, differently
    │   └── TicketError                    a ticket is forged, foreign or garbled, or has no answer
    ├── FileError           (ValueError)   a file does not hold what it should
    │   ├── RemovedError                   a study was removed by someone else
    │   └── StorageError                   a disk or database cannot be read or written now
    ├── WorkersError        (RuntimeError) processes or machines that do the work were lost or do not fit
    ├── ServiceError        (RuntimeError) a service refuses a request, or answers what cannot be understood
    ├── UnknownNameError    (LookupError)  no learner, problem or arm of that name
    ├── MissingExtraError   (ImportError)  an optional dependency is not installed
    └── MissingPackageError (ImportError)  a package that works with this one is not installed

Each message names the field, the value and the remedy. An error leaves everything as it was. `SlowWarning`, a
UserWarning, says that something is done right, but much slower than usual.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from math import inf
from numbers import Integral, Real

MOST_NAMES = 50  # how many known names an error lists


class DuelistError(Exception):
    """Base of all errors raised by the package; catch it to catch them all."""


class SlowWarning(UserWarning):
    """Something is done right, but much slower than usual."""


class ParameterError(DuelistError, ValueError):
    """A hyperparameter, horizon, seed or option has a value that cannot work."""


class PreferenceError(DuelistError, ValueError):
    """A preference matrix or a table of comparisons is malformed."""


class OutcomeError(DuelistError, ValueError):
    """A duel or an outcome cannot be learned from; nothing was learned."""


class ClosedError(OutcomeError):
    """The study has ended: it can be read, but asks and records no more."""


class ConflictError(OutcomeError):
    """The same duel was answered before with another outcome; the first answer stands."""


class TicketError(OutcomeError):
    """A ticket was not given out by this study, was changed on its way, or has no answer to take back."""


class FileError(DuelistError, ValueError):
    """A file does not hold what it should."""


class RemovedError(FileError):
    """A study was removed by someone else, and perhaps another made under its name."""


class StorageError(FileError):
    """A disk or a database cannot be read or written now; a later attempt may work."""


class WorkersError(DuelistError, RuntimeError):
    """Processes or machines that do the work were lost, or are not the same as here."""


class ServiceError(DuelistError, RuntimeError):
    """A service refuses a request: a key, a role, a rate or a size; or its answer cannot be understood.

    Parameters
    ----------
    message : str
        What was wrong.
    status : int
        The status of HTTP with which it answered.

    Examples
    --------
    >>> ServiceError("RoleError: the key may read; this needs one that may play.", status=403).status
    403
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class UnknownNameError(DuelistError, LookupError):
    """No learner, problem or arm of that name.

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
    """Say which extra to install where an import in the block fails."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(purpose, extra) from error


class MissingPackageError(DuelistError, ImportError):
    """A package that this one works with is not installed.

    Examples
    --------
    >>> raise MissingPackageError("duelist reproduce", "duelist-reproductions")
    Traceback (most recent call last):
    duelist.errors.MissingPackageError: duelist reproduce needs a package: pip install duelist-reproductions
    """

    def __init__(self, purpose: str, package: str) -> None:
        super().__init__(f"{purpose} needs a package: pip install {package}")


def require_whole(name: str, value: object, least: int) -> None:
    """Refuse what is not a whole number, such as True, or too small a one."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} must be a whole number, at least {least}; got {value!r}.")


def require_known(kind: str, name: object, known: Collection[str]) -> None:
    """Refuse a name that is not known; `kind` says what it names."""
    if name not in known:
        raise UnknownNameError(kind, name, known)


def require_generator(rng: object) -> None:
    """Refuse what is not a generator of random numbers, such as a seed."""
    if not hasattr(rng, "bit_generator"):
        raise ParameterError(f"rng must be a generator; got {rng!r}. Give numpy.random.default_rng(seed).")


def require_confidence(confidence: object, name: str = "confidence", usual: float = 0.95) -> None:
    """Refuse a level that is not a chance between 0 and 1."""
    if not isinstance(confidence, Real) or not 0.0 < float(confidence) < 1.0:
        raise ParameterError(
            f"{name} must lie between 0 and 1; got {confidence!r}. Try the default, {usual}."
        )


def require_positive(name: str, value: object) -> None:
    """Refuse what is not a positive number."""
    try:
        number = float(value) if isinstance(value, Real) else 0.0
    except OverflowError:
        number = inf
    if not 0.0 < number < inf:
        raise ParameterError(f"{name} must be a positive number; got {value!r:.80}.")


def number_or_nan(value: object) -> float:
    """Return a number; nan, which lies within no bounds, for what is none."""
    return float(value) if isinstance(value, Real) else float("nan")


def require_outcome(outcome: object) -> float:
    """Return an outcome of a duel as a number, or refuse what is none."""
    if type(outcome) is float and 0.0 <= outcome <= 1.0:
        return outcome
    if not isinstance(outcome, Real) or not 0.0 <= float(outcome) <= 1.0:
        raise OutcomeError(
            f"outcome must lie in [0, 1]: 1 left wins, 0 right wins, 0.5 a tie; got {outcome!r}."
        )
    return float(outcome)
