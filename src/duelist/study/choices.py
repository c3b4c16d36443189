"""What a study is about: named arms, which may come and go, or knobs."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from duelist.errors import FileError, ParameterError, UnknownNameError
from duelist.study.arm import Arm, as_arm
from duelist.study.knobs import Knob, Knobs, as_knobs, read_table


class NamedArms:
    """Arms by their names. An arm's number never changes, whatever becomes of the others.

    Parameters
    ----------
    arms : sequence of str or Arm
        At least two, with names that all differ.

    Examples
    --------
    >>> arms = NamedArms(["bm25", "dense"])
    >>> arms.add(Arm("hybrid", text="the mean of both scores"))
    2
    >>> arms.retire("bm25")
    0
    >>> arms.active
    (1, 2)
    """

    def __init__(self, arms: Sequence[str | Arm]) -> None:
        if isinstance(arms, str | Set | Mapping | Arm) or not isinstance(arms, Iterable):
            raise ParameterError(f"arms must be a list of names, in an order; got {arms!r:.200}.")
        self.names: list[str] = []
        self.retired: set[int] = set()
        self._numbers: dict[str, int] = {}
        self._content: dict[str, Arm] = {}
        for place, arm in enumerate(arms):
            given = as_arm(f"arms[{place}]", arm)
            if given.name in self._numbers:
                raise ParameterError(
                    f"arms[{place}] repeats the name {given.name!r}; every arm needs its own."
                )
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

    def add(self, arm: Arm) -> int:
        """Add an arm, or bring back a retired one; return its number.

        What it shows replaces what it showed before; without anything to show, it keeps that.
        """
        number = self._numbers.setdefault(arm.name, len(self.names))
        if number == len(self.names):
            self.names.append(arm.name)
        if arm.content():
            self._content[arm.name] = arm
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

    def about(self, name: str) -> Arm:
        """Return an arm with what it shows."""
        known = self.show(self.find(name))
        return self._content.get(known, Arm(known))

    def as_json(self) -> dict[str, Any]:
        """Return the names of all arms, and what they show besides."""
        about = {name: arm.content() for name, arm in self._content.items()}
        return {"arms": list(self.names), **({"about": about} if about else {})}


def as_choices(
    arms: Sequence[str | Arm] | None, knobs: Knobs | Mapping[str, Knob] | None
) -> NamedArms | Knobs:
    """Return what a study is about: either arms or knobs."""
    if arms is not None and knobs is None:
        return NamedArms(arms)
    if knobs is not None and arms is None:
        return as_knobs(knobs)
    raise ParameterError("a study is about arms or about knobs: Study(arms=[...]).")


def read_choices(content: dict[str, Any]) -> "NamedArms | Knobs":
    """Return the choices that `as_json` wrote."""
    if content.keys() - {"about"} == {"arms"} and isinstance(content["arms"], list):
        return NamedArms(with_content(content["arms"], content.get("about", {})))
    if content.keys() == {"knobs"} and isinstance(content["knobs"], dict):
        return read_table(content["knobs"], "knobs")
    raise FileError(f"choices are either arms or knobs; got {', '.join(content) or 'none'}.")


def with_content(names: list[Any], about: Any) -> list[Any]:
    """Return arms with what `as_json` wrote about them."""
    try:
        content = {name: Arm(name, **fields) for name, fields in about.items()}
    except (AttributeError, TypeError) as error:
        raise FileError(f"choices.about has text, link or image by the name of an arm: {error}.") from error
    stray = next((name for name in content if name not in names), None)
    if stray is not None:
        raise FileError(f"choices.about names {stray!r:.80}, which is no arm.")
    return [content.get(name, name) if isinstance(name, str) else name for name in names]


def require_named(choices: NamedArms | Knobs) -> NamedArms:
    """Return choices that are arms; refuse to look for arms among knobs."""
    if not isinstance(choices, NamedArms):
        raise ParameterError("a study of knobs has no arms; to add or retire some, change the file of knobs.")
    return choices
