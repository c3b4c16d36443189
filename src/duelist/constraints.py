"""Constraints on hyperparameters: declared beside the field, checked by one function.

::

    @dataclass(frozen=True)
    class Mine(ArmedLearner[State]):
        alpha: Annotated[float, Range(above=0.5, reason="Theorem 2")] = 0.51
        horizon: Count | None = None
        plus: bool = False
        choice: Literal["first", "last"] = "first"

A learner checks its fields by its base class; any other dataclass calls `check_fields` in `__post_init__`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, signature
from math import inf, isfinite
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, TypeAlias, Union, get_args, get_origin

from duelist.errors import ParameterError, require_known


@dataclass(frozen=True, kw_only=True, repr=False)
class Range:
    """The finite numbers that a field takes, as in `Annotated[float, Range(above=0.5)]`.

    Parameters
    ----------
    above, below : float, optional
        The number lies strictly between them.
    least, most : float, optional
        The smallest and the largest number.
    reason : str, optional
        Why there is a bound, for the error.
    remedy : str, optional
        A sentence for the error that says what to give instead; without one it names the field's default.

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
    """Check the fields of a dataclass against their declarations, or raise a `ParameterError`.

    A `Range` bounds a number, which is whole where the field is an `int`; a `bool` is True or False; a
    `Literal` lists its values; a field whose type is optional may be None. Other fields are left alone.

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
    """Check arguments of a class or a function against the declarations in its signature.

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
    """What a parameter may be."""

    parameter: Parameter
    optional: bool
    """Whether it may be None."""
    flag: bool
    """Whether it is True or False."""
    choices: tuple[Any, ...]
    """The values of a `Literal`."""
    allowed: Range | None
    whole: bool
    """Whether its numbers are whole."""

    def check(self, value: object) -> None:
        """Raise an error if the value is not allowed."""
        if value is None and self.optional:
            return
        name, allowed = self.parameter.name, self.allowed
        if self.choices:
            require_known(name, value, self.choices)
        if self.flag and not isinstance(value, bool):
            raise ParameterError(f"{name} must be True or False; got {value!r:.80}.")
        if allowed is not None and not (value in allowed and (not self.whole or is_whole(value))):
            refuse(self.parameter, value, self.whole, allowed)


@cache
def declarations_of(maker: Any) -> dict[str, Declaration]:
    """Return what the parameters of a class or a function may be, those of which something is declared."""
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
    """Yield the types that an annotation allows, each with its range, if it has one.

    Examples
    --------
    >>> list(alternatives_of(Count | None))
    [(<class 'int'>, Range(at least 1)), (<class 'NoneType'>, None)]
    """
    if get_origin(annotation) is Annotated:
        kind, *marks = get_args(annotation)
        yield kind, next((mark for mark in marks if isinstance(mark, Range)), None)
    elif get_origin(annotation) in (Union, UnionType):
        for part in get_args(annotation):
            yield from alternatives_of(part)
    else:
        yield annotation, None


def values_of(kind: Any) -> tuple[Any, ...]:
    origin: Any = get_origin(kind)
    return get_args(kind) if origin is Literal else ()


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number; true and false are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def refuse(parameter: Parameter, value: object, whole: bool, allowed: Range) -> NoReturn:
    """Raise the error for a number out of range: field, bounds, value and remedy."""
    wanted = f"a {'whole ' if whole else ''}number, {allowed}"
    if str(allowed) == "above 0":
        wanted = "a positive number"
    remedy, default = allowed.remedy, parameter.default
    if not remedy and default is None:
        remedy = "Leave it out for the default."
    elif not remedy and isinstance(default, Real):
        remedy = f"Try the default, {default}."
    reason = f" ({allowed.reason})" if allowed.reason else ""
    raise ParameterError(f"{parameter.name} must be {wanted}{reason}; got {value!r:.80}. {remedy}".rstrip())
