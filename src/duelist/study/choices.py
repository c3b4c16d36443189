"""What a study is about: named arms, which may come and go, or knobs."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from duelist.errors import FileError, ParameterError, UnknownNameError
from duelist.study.knobs import Knob, Knobs, as_knobs, read_table

LONGEST = 1000
"""Characters of a name."""


class NamedArms:
    """Arms by their names. An arm's number never changes, whatever becomes of the others.

    Parameters
    ----------
    names : sequence of str
        At least two, all different.

    Examples
    --------
    >>> arms = NamedArms(["bm25", "dense"])
    >>> arms.add("hybrid")
    2
    >>> arms.retire("bm25")
    0
    >>> arms.active
    (1, 2)
    """

    def __init__(self, names: Sequence[str]) -> None:
        if isinstance(names, str | Set | Mapping) or not isinstance(names, Iterable):
            raise ParameterError(f"arms must be a list of names, in an order; got {names!r:.200}.")
        self.names: list[str] = []
        self.retired: set[int] = set()
        self._numbers: dict[str, int] = {}
        for place, name in enumerate(names):
            given = as_name(f"arms[{place}]", name)
            if given in self._numbers:
                raise ParameterError(f"arms[{place}] repeats the name {given!r}; every arm needs its own.")
            self.add(given)
        if len(self.names) < 2:
            raise ParameterError(
                f"arms must name at least 2, because a duel needs two; got {len(self.names)}."
            )

    @property
    def active(self) -> tuple[int, ...] | None:
        """The arms that may be shown, by number; None while all may."""
        if not self.retired:
            return None
        return tuple(arm for arm in range(len(self.names)) if arm not in self.retired)

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the arms that may be shown."""
        return tuple(name for arm, name in enumerate(self.names) if arm not in self.retired)

    def add(self, name: str) -> int:
        """Add an arm, or bring back a retired one; return its number."""
        number = self._numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        self.retired.discard(number)
        return number

    def retire(self, name: str) -> int:
        """Show an arm no more; return its number."""
        number = self.find(name)
        self.retired.add(number)
        return number

    def is_active(self, name: str) -> bool:
        """Return whether there is an arm of this name that may be shown."""
        return name in self._numbers and self._numbers[name] not in self.retired

    def show(self, side: Any) -> str:
        """Return an arm's name."""
        name: str = self.names[side]
        return name

    def find(self, shown: object) -> int:
        """Return an arm's number."""
        number = self._numbers.get(shown) if isinstance(shown, str) else None
        if number is None and isinstance(shown, str):
            number = self._numbers.get(unicodedata.normalize("NFC", shown))
        if number is None:
            raise UnknownNameError("arm", shown, self.names)
        return number

    def as_json(self) -> dict[str, Any]:
        """Return the names of all arms."""
        return {"arms": list(self.names)}


def as_name(field: str, name: object) -> str:
    """Return a name in the one form that Unicode prefers, or say why it cannot be one."""
    if not isinstance(name, str) or not name:
        raise ParameterError(f"{field} must be a name, a text that is not empty; got {name!r}.")
    composed = str(unicodedata.normalize("NFC", name))
    unfit = next((sign for sign in composed if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")), None)
    if unfit is not None:
        raise ParameterError(f"{field} holds the character {unfit!r}, which cannot be shown; got {name!r}.")
    if len(composed) > LONGEST:
        raise ParameterError(f"{field} has {len(composed)} characters; at most {LONGEST} are possible.")
    return composed


def as_choices(arms: Sequence[str] | None, knobs: Knobs | Mapping[str, Knob] | None) -> NamedArms | Knobs:
    """Return what a study is about: either arms or knobs."""
    if arms is not None and knobs is None:
        return NamedArms(arms)
    if knobs is not None and arms is None:
        return as_knobs(knobs)
    raise ParameterError("a study is about arms or about knobs: Study(arms=[...]).")


def read_choices(content: dict[str, Any]) -> "NamedArms | Knobs":
    """Return the choices that `as_json` wrote."""
    if content.keys() == {"arms"} and isinstance(content["arms"], list):
        return NamedArms(content["arms"])
    if content.keys() == {"knobs"} and isinstance(content["knobs"], dict):
        return read_table(content["knobs"], "knobs")
    raise FileError(f"choices are either arms or knobs; got {', '.join(content) or 'none'}.")


def require_named(choices: NamedArms | Knobs) -> NamedArms:
    """Return choices that are arms; refuse to add or retire knobs."""
    if not isinstance(choices, NamedArms):
        raise ParameterError("a study of knobs has no arms to add or retire; change the file of knobs.")
    return choices
