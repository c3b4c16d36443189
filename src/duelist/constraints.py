"""Constraints on hyperparameters: declared in the annotation of the field, and checked by one function.

::

    @dataclass(frozen=True)
    class Mine(ArmedLearner[State]):
        alpha: Annotated[float, Range(above=0.5, reason="Theorem 2")] = 0.51
        horizon: Count | None = None
        plus: bool = False
        choice: Literal["first", "last"] = "first"

The base class of learners checks their fields. Other dataclasses call `check_fields` in `__post_init__`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, signature
from math import inf, isfinite
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin

from duelist.errors import ParameterError, require_known


@dataclass(frozen=True, kw_only=True, repr=False)
class Range:
    """The range of finite numbers that a field accepts, as in `Annotated[float, Range(above=0.5)]`.

    Parameters
    ----------
    above, below : float, optional
        Exclusive bounds.
    least, most : float, optional
        Inclusive bounds.
    reason : str, optional
        The reason for the bounds, for the error message.
    remedy : str, optional
        A sentence for the error message that says what to do; by default it suggests the default value.

    Examples
    --------
    >>> print(Range(above=1, most=4))
    above 1 and at most 4
    >>> 4 in Range(above=1, most=4), 1 in Range(above=1, most=4), float("inf") in Range(above=1)
    (True, False, False)
    """

    above: float = -inf
    below: float = inf
    least: float = -inf
    most: float = inf
    reason: str = ""
    remedy: str = ""

    def __contains__(self, value: object) -> bool:
        try:
            number = float(value) if isinstance(value, Real) else inf
        except OverflowError:
            return False
        inside = self.above < number < self.below and self.least <= number <= self.most
        return inside and isfinite(number)

    def __str__(self) -> str:
        if (self.above, self.below) == (0.0, 1.0):
            return "between 0 and 1"
        bounds = {"above": self.above, "at least": self.least, "below": self.below, "at most": self.most}
        return " and ".join(f"{word} {bound:,.10g}" for word, bound in bounds.items() if isfinite(bound))

    def __repr__(self) -> str:
        return f"Range({self})"


Positive: TypeAlias = Annotated[float, Range(above=0.0)]
"""A positive number."""

Chance: TypeAlias = Annotated[float, Range(above=0.0, below=1.0)]
"""A number strictly between 0 and 1."""

Count: TypeAlias = Annotated[int, Range(least=1)]
"""A whole number, 1 or more."""


def check_fields(instance: Any) -> None:
    """Check the fields of a dataclass against their annotations.

    A `Range` bounds a number, which must be whole if the field is an `int`; a `bool` is True or False; a
    `Literal` lists its values; an optional field may be None. Other fields are not checked.

    Parameters
    ----------
    instance : dataclass instance
        The object to check.

    Raises
    ------
    ParameterError
        If a number is out of range, or a flag is not a bool.
    UnknownNameError
        If a value is not one of a `Literal`.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Mine:
    ...     width: Positive = 1.0
    ...     def __post_init__(self) -> None:
    ...         check_fields(self)
    >>> Mine(width=-1.0)
    Traceback (most recent call last):
    duelist.errors.ParameterError: width must be a positive number; got -1.0. Try the default, 1.0.
    """
    kind: Any = type(instance)
    for name, declared in declarations_of(kind).items():
        declared.check(getattr(instance, name))


def check_values(maker: Callable[..., Any], **values: Any) -> None:
    """Check arguments of a class or a function against the annotations in its signature.

    Parameters
    ----------
    maker : callable
        The class or function.
    **values
        The arguments to check, by name.

    Raises
    ------
    ParameterError
        If a number is out of range, or a flag is not a bool.
    UnknownNameError
        If a value is not one of a `Literal`.

    Examples
    --------
    >>> def worst(k: Annotated[int, Range(least=2)]) -> int:
    ...     check_values(worst, k=k)
    ...     return k
    >>> worst(1)
    Traceback (most recent call last):
    duelist.errors.ParameterError: k must be a whole number, at least 2; got 1.
    """
    for name, declared in declarations_of(maker).items():
        if name in values:
            declared.check(values[name])


class Declaration(NamedTuple):
    """The values that a parameter accepts."""

    parameter: Parameter
    optional: bool
    """Whether it may be None."""
    flag: bool
    """Whether it must be True or False."""
    choices: tuple[Any, ...]
    """The values of a `Literal`."""
    allowed: Range | None
    whole: bool
    """Whether its numbers must be whole."""

    def check(self, value: object) -> None:
        """Raise an error if the value is not accepted."""
        if value is None and self.optional:
            return
        name, allowed = self.parameter.name, self.allowed
        if self.choices:
            require_known(name, value, self.choices)
        if self.flag and not isinstance(value, bool):
            raise ParameterError(f"{name} must be True or False; got {value!r:.80}.")
        if allowed is not None and not (value in allowed and (not self.whole or is_whole(value))):
            raise out_of_range(self.parameter, value, self.whole, allowed)


@cache
def declarations_of(maker: Any) -> dict[str, Declaration]:
    """Return the declarations of a class or a function, for the parameters that have one."""
    declared = {}
    for name, parameter in parameters_of(maker).items():
        alternatives = dict(alternatives_of(parameter.annotation))
        flag, choices = bool in alternatives, [value for kind in alternatives for value in values_of(kind)]
        ranges = [allowed for allowed in alternatives.values() if allowed is not None]
        if flag or choices or ranges:
            declared[name] = Declaration(
                parameter,
                optional=NoneType in alternatives,
                flag=flag,
                choices=tuple(choices),
                allowed=ranges[0] if ranges else None,
                whole=float not in alternatives,
            )
    return declared


def parameters_of(maker: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the parameters of a class or a function, with the constraints in their annotations."""
    return dict(signature(maker, eval_str=True).parameters)


def alternatives_of(annotation: Any) -> Iterator[tuple[Any, Range | None]]:
    """Yield the types that an annotation accepts, each with its range or None.

    Examples
    --------
    >>> list(alternatives_of(Count | None))
    [(<class 'int'>, Range(at least 1)), (<class 'NoneType'>, None)]
    """
    if get_origin(annotation) is Annotated:
        kind, *metadata = get_args(annotation)
        yield kind, next((one for one in metadata if isinstance(one, Range)), None)
    elif get_origin(annotation) in (Union, UnionType):
        for part in get_args(annotation):
            yield from alternatives_of(part)
    else:
        yield annotation, None


def values_of(kind: Any) -> tuple[Any, ...]:
    origin: Any = get_origin(kind)
    return get_args(kind) if origin is Literal else ()


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def out_of_range(parameter: Parameter, value: object, whole: bool, allowed: Range) -> ParameterError:
    """Return the error for a number that is out of range, with the field, bounds, value and remedy."""
    wanted = f"a {'whole ' if whole else ''}number, {allowed}"
    if str(allowed) == "above 0":
        wanted = "a positive number"
    remedy, default = allowed.remedy, parameter.default
    if not remedy and default is None:
        remedy = "Leave it out for the default."
    elif not remedy and isinstance(default, Real):
        remedy = f"Try the default, {default}."
    reason = f" ({allowed.reason})" if allowed.reason else ""
    return ParameterError(f"{parameter.name} must be {wanted}{reason}; got {value!r:.80}. {remedy}".rstrip())
