"""Parameters: numbers to be set, each in its range, searched together as the unit cube, and files of them."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import exp, floor, log, log10
from pathlib import Path
from shlex import quote
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import Duel, FloatArray
from duelist.errors import FileError, OutcomeError, ParameterError
from duelist.menus import Box, as_point

Setting: TypeAlias = dict[str, float]
"""A value for each parameter, by its name."""

LARGEST = 1e15
MOST = 10
EXAMPLE = """\
# One line for each parameter: its name, and the range in which to look for its best value.
[parameters]
temperature = { low = 0.0, high = 2.0 }
top_p = { low = 0.1, high = 1.0, step = 0.05 }           # only 0.1, 0.15, 0.2, ...
learning_rate = { low = 1e-5, high = 1e-1, log = true }  # 1e-5 to 1e-4 counts as much as 1e-2 to 1e-1
layers = { low = 1, high = 8, whole = true }             # only whole numbers
"""


@dataclass(frozen=True)
class Parameter:
    """A number to tune, with its range: a parameter of `Study(parameters=...)`.

    Parameters
    ----------
    low, high : float
        The range.
    step : float, optional
        Only low, low + step, low + 2 step and so on are tried. By default, values have as many digits as
        distinguish a thousandth of the range (on a logarithmic scale of several decades, three digits).
    log : bool, default False
        Whether the scale is logarithmic.
    whole : bool, default False
        Whether only whole numbers are tried.

    Raises
    ------
    ParameterError
        The range is empty, or a value does not fit the others.

    Examples
    --------
    >>> Parameter(0.0, 2.0).value(0.25), Parameter(1e-5, 1e-1, log=True).value(0.5)
    (0.5, 0.001)
    >>> Parameter(1, 8, whole=True).unit(8)
    1.0
    """

    low: float
    high: float
    step: float | None = None
    log: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        for name in ("log", "whole"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError(f"{name} must be true or false; got {getattr(self, name)!r}.")
        numbers = {"low": self.low, "high": self.high} | ({} if self.step is None else {"step": self.step})
        for name, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
                raise ParameterError(f"{name} must be a number within ±{LARGEST:g}; got {value!r}.")
            if self.whole and value != round(value):
                raise ParameterError(f"{name} must be a whole number if whole = true; got {value!r}.")
        if self.low >= self.high:
            raise ParameterError(f"low must be less than high; got low = {self.low}, high = {self.high}.")
        if self.log and self.low <= 0:
            raise ParameterError(f"low must be above 0 if log = true; got {self.low!r}.")
        if self.step is not None and not (self.high - self.low) / 1e6 <= self.step <= self.high - self.low:
            raise ParameterError(
                "step must lie between a millionth of high - low and high - low; "
                f"got {self.step!r}, with high - low = {self.high - self.low:g}."
            )
        if self.value(0.0) == self.value(1.0):
            raise ParameterError(
                f"low = {self.low!r} and high = {self.high!r} are too close to distinguish; widen the range."
            )

    def value(self, unit: float) -> float:
        """Return the value that a number from 0 to 1 stands for, rounded as it is shown and compared.

        Parameters
        ----------
        unit : float
            0 stands for low, 1 for high.

        Returns
        -------
        float
            A value in the range; an int if the parameter is whole.
        """
        if self.log:
            exact = exp(log(self.low) + unit * (log(self.high) - log(self.low)))
        else:
            exact = self.low + unit * (self.high - self.low)
        step = 1 if self.whole and self.step is None else self.step
        if step is None:
            rounded = round(exact, self._decimals(exact))
        else:
            steps_in_range = floor((self.high - self.low) / step + 1e-9)
            rounded = self.low + min(round((exact - self.low) / step), steps_in_range) * step
        # 0.1 + 3 * 0.05 is 0.25000000000000006, which nobody should see or compare
        inside = min(max(float(f"{rounded:.15g}"), self.low), self.high)
        return int(inside) if self.whole else float(inside) + 0.0

    def unit(self, value: float) -> float:
        """Return the number from 0 to 1 that stands for a value of the range.

        Parameters
        ----------
        value : float
            A value from low to high.

        Returns
        -------
        float
            0 for low, 1 for high.
        """
        if self.log:
            return (log(value) - log(self.low)) / (log(self.high) - log(self.low))
        return (value - self.low) / (self.high - self.low)

    def as_json(self) -> dict[str, Any]:
        """Return the parameter as a file of parameters stores it, without default values."""
        return {key: value for key, value in asdict(self).items() if value is not None and value is not False}

    def _decimals(self, value: float) -> int:
        if self.log and self.high >= 10.0 * self.low:
            return 2 - floor(log10(value))
        return 3 - floor(log10(self.high - self.low))


@dataclass(frozen=True)
class Parameters:
    """All parameters, by name."""

    named: Mapping[str, Parameter]
    kind: ClassVar[str] = "parameters"
    names: ClassVar[tuple[str, ...]] = ()
    """The names of arms, as in `NamedArms`: none."""
    shown: ClassVar[tuple[str, ...]] = ()
    retired: ClassVar[frozenset[int]] = frozenset()

    def __post_init__(self) -> None:
        if not 0 < len(self.named) <= MOST:
            raise ParameterError(
                f"a study can have 1 to {MOST} parameters; got {len(self.named)}. Leave out those that "
                "matter least, and tune them later with the others at their best."
            )
        for name in self.named:
            if not (name and name.isprintable()):
                raise ParameterError(f"{name!r} is not a valid parameter name; use letters and digits.")

    @property
    def menu(self) -> Box:
        """The unit cube, one coordinate for each parameter."""
        return Box((0.0,) * len(self.named), (1.0,) * len(self.named))

    def setting(self, point: ArrayLike) -> Setting:
        """Return the setting that a point of the menu stands for."""
        units = as_point(point, len(self.named)).tolist()
        return {
            name: parameter.value(unit)
            for (name, parameter), unit in zip(self.named.items(), units, strict=True)
        }

    show = setting  # of one side of a duel

    def point(self, setting: Setting) -> FloatArray:
        """Return the point of the menu that stands for a setting."""
        return np.array([parameter.unit(setting[name]) for name, parameter in self.named.items()])

    def of_two_settings(self, duel: Duel, rng: Generator) -> Duel:
        """Return a duel of two different settings, rounded as they are shown."""
        left, right = self.setting(duel.left), self.setting(duel.right)
        while left == right:
            # two points can be rounded to the same setting, which cannot be compared with itself
            right = self.setting(self.menu.sample(rng, 1)[0])
        return Duel(self.point(left).tolist(), self.point(right).tolist())

    def find(self, shown: object) -> list[float]:
        """Return the point that stands for a setting; raise OutcomeError if it is not a setting."""
        if not self.holds(shown):
            raise OutcomeError(
                f"{shown!r} is not a setting of {', '.join(self.named)}, each with a value in its range."
            )
        return list(self.point(cast("Setting", shown)).tolist())

    def has(self, point: list[float]) -> bool:
        return len(point) == len(self.named) and all(0.0 <= unit <= 1.0 for unit in point)

    def holds(self, content: object) -> bool:
        """Return whether a value is a setting of these parameters, each within its range."""
        return (
            isinstance(content, dict)
            and content.keys() == self.named.keys()
            and all(
                isinstance(content[name], int | float) and parameter.low <= content[name] <= parameter.high
                for name, parameter in self.named.items()
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the parameters as a file of parameters stores them."""
        return {"knobs": {name: parameter.as_json() for name, parameter in self.named.items()}}


def as_parameters(parameters: Parameters | Mapping[str, Parameter]) -> Parameters:
    if isinstance(parameters, Parameters):
        return parameters
    if not isinstance(parameters, Mapping) or not all(
        isinstance(name, str) and isinstance(parameter, Parameter) for name, parameter in parameters.items()
    ):
        raise ParameterError(
            f"parameters must be a mapping from names to Parameter(low, high); got {parameters!r}."
        )
    return Parameters(dict(parameters))


def read_parameters(path: Path) -> Parameters:
    """Read a file of parameters; raise FileError with the faulty entry."""
    try:
        content = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise FileError(
            f"{path} does not exist; `duelist optimize --example > {quote(str(path))}` writes one to edit."
        ) from error
    except ValueError as error:
        raise FileError(
            f"{path} is not TOML: {error}; `duelist optimize --example` shows the format."
        ) from error
    table = content.pop("parameters", None)
    if not (isinstance(table, dict) and table):
        raise FileError(
            f"{path} has no parameters; write a table [parameters], as `duelist optimize --example` shows."
        )
    if content:
        raise FileError(f"{path}: unknown {next(iter(content))!r}; the only table is [parameters].")
    return read_table(table, f"{path}: [parameters]")


def read_table(table: Mapping[str, Any], where: str) -> Parameters:
    try:
        return Parameters({name: read_parameter(entry, f"{where} {name!r}") for name, entry in table.items()})
    except ParameterError as error:
        raise FileError(f"{where}: {error}") from error


def read_parameter(entry: Any, where: str) -> Parameter:
    if not isinstance(entry, dict):
        raise FileError(f"{where} must be a range such as {{ low = 0.0, high = 1.0 }}; got {entry!r}.")
    known = [field.name for field in fields(Parameter)]
    for key in entry:
        if key not in known:
            raise FileError(f"{where}: unknown key {key!r}; the keys are {', '.join(known)}.")
    for key in ("low", "high"):
        if key not in entry:
            raise FileError(f"{where}: {key} is missing; write {{ low = 0.0, high = 1.0 }}.")
    try:
        return Parameter(**entry)
    except ParameterError as error:
        raise FileError(f"{where}: {error}") from error
