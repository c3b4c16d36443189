"""What a study compares: named arms, which come and go, or parameters; items and contexts of its duels.

An item is what two arms are compared on, such as a question that all of them answer. A voter who has seen a
pair on one item may be shown it on another: only pair and item together are seen.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist.card import card_of
from duelist.errors import FileError, ParameterError, UnknownNameError, require_whole
from duelist.journal.content import require_content
from duelist.protocols import Learner
from duelist.study.parameters import Parameter, Parameters, as_parameters, read_table
from duelist.votes.counting import Comparison

LONGEST = 1000
"""Characters of a name."""
Pair = tuple[int, int]
Seen = Mapping[Comparison, int]
"""What a voter has seen, and how often it was answered."""
Items = tuple[str, ...]
ALONE = (None,)
"""In the place of items, where arms are shown alone."""


class Arm(NamedTuple):
    r"""An arm of a study with something to show: a text, a link, an image.

    Examples
    --------
    >>> from duelist import Study
    >>> study = Study(arms=["Haiku", Arm("Limerick", text="There was an old man\nfrom Peru")])
    >>> print(study.arm("Limerick").text)
    There was an old man
    from Peru
    >>> study.arm("Haiku")
    Arm(name='Haiku', text=None, link=None, image=None)
    """

    name: str
    text: str | None = None
    """Of at most 100,000 characters, with newlines and tabs but no other control characters."""
    link: str | None = None
    """A URL that begins with https:// or http://, of at most 2,000 characters."""
    image: str | None = None
    """Such a URL, or the image itself, as data:image/png;base64,… (also jpeg, gif and webp), of at most
    1,000,000 characters."""

    def content(self) -> dict[str, str]:
        """Return what there is besides the name, by field."""
        fields = {"text": self.text, "link": self.link, "image": self.image}
        return {field: value for field, value in fields.items() if value is not None}


def as_arm(field: str, given: object) -> Arm:
    """Return an arm with its name in the one form that Unicode prefers, or say why it cannot be one."""
    if not isinstance(given, Arm):
        return Arm(as_name(field, given))
    try:
        require_content(given.text, given.link, given.image)
    except ParameterError as error:
        raise ParameterError(f"{field}: {error}") from error
    return given._replace(name=as_name(field, given.name))


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
        self.retired: frozenset[int] = frozenset()
        self._numbers: dict[str, int] = {}
        self._content: dict[str, Arm] = {}
        for place, arm in enumerate(arms):
            given = as_arm(f"arms[{place}]", arm)
            if given.name in self._numbers:
                raise ParameterError(
                    f"arms[{place}] repeats the name {given.name!r}; every arm needs its own."
                )
            self._numbers[given.name] = place
            if given.content():
                self._content[given.name] = given
        self.names: tuple[str, ...] = tuple(self._numbers)
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
        return self.names if self.active is None else tuple(self.names[arm] for arm in self.active)

    def add(self, arm: Arm) -> int:
        """Add an arm, or bring back a retired one; return its number.

        What it shows replaces what it showed before; without anything to show, it keeps that.
        """
        number = self._numbers.setdefault(arm.name, len(self.names))
        if number == len(self.names):
            self.names = (*self.names, arm.name)
        if arm.content():
            self._content[arm.name] = arm
        self.retired -= {number}
        return number

    def retire(self, name: str) -> int:
        """Show an arm no more; return its number."""
        number = self.find(name)
        self.retired |= {number}
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
    arms: Sequence[str | Arm] | None, parameters: Parameters | Mapping[str, Parameter] | None
) -> NamedArms | Parameters:
    """Return what a study is about: either arms or parameters."""
    if arms is not None and parameters is None:
        return NamedArms(arms)
    if parameters is not None and arms is None:
        return as_parameters(parameters)
    raise ParameterError("a study is about arms or about parameters: Study(arms=[...]).")


def read_choices(content: dict[str, Any]) -> "NamedArms | Parameters":
    """Return the choices that `as_json` wrote."""
    if content.keys() - {"about"} == {"arms"} and isinstance(content["arms"], list):
        return NamedArms(with_content(content["arms"], content.get("about", {})))
    if content.keys() == {"knobs"} and isinstance(content["knobs"], dict):
        return read_table(content["knobs"], "knobs")
    raise FileError(f"choices are either arms or parameters; got {', '.join(content) or 'none'}.")


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


def require_named(choices: NamedArms | Parameters) -> NamedArms:
    """Return choices that are arms; refuse to look for arms among parameters."""
    if not isinstance(choices, NamedArms):
        raise ParameterError(
            "a study of parameters has no arms; to add or retire some, change the file of parameters."
        )
    return choices


def as_items(items: Sequence[str] | None) -> Items | None:
    """Return the names of items, or say what cannot be one.

    Examples
    --------
    >>> as_items(["What is rain?", "What is snow?"])
    ('What is rain?', 'What is snow?')
    """
    if items is None:
        return None
    if isinstance(items, str | Mapping | Set) or not isinstance(items, Sequence) or not items:
        raise ParameterError(f"items must be a list of names, at least one; got {items!r:.80}.")
    try:
        return checked(tuple(items))
    except TypeError as error:
        raise ParameterError(f"items must be names, texts that are not empty; got {items!r:.80}.") from error


@lru_cache(maxsize=64)
def checked(items: Items) -> Items:
    """Return items in the one form that Unicode prefers; the same list is given at every ask."""
    names = tuple(as_name(f"items[{place}]", item) for place, item in enumerate(items))
    if len({*names}) < len(names):
        raise ParameterError("items must all differ; one stands twice.")
    return names


def seen_pairs(seen: Seen, items: Items | None) -> dict[Pair, int]:
    """Return the pairs that were seen on all items, or alone where there are no items."""
    among = frozenset(ALONE if items is None else items)
    times = Counter((lower, upper) for lower, upper, item in seen if item in among)
    return {pair: 1 for pair, items_seen in times.items() if items_seen == len(among)}


def unseen_items(seen: Seen, pair: Pair, items: Items) -> Items:
    """Return the items on which a pair was not seen; all of them if there is none."""
    return tuple(item for item in items if (*pair, item) not in seen) or items


def pair_of(left: Any, right: Any) -> Pair | None:
    """Return two arms in order, whichever side they were on; None for what are no arms."""
    if not isinstance(left, int):
        return None
    return (left, right) if left <= right else (right, left)


def example_of(
    learner: Learner[Any], context: ArrayLike | None, features: ArrayLike | None
) -> dict[str, Any]:
    """Return a context to begin with, as a journal has it; for a learner that needs none, nothing."""
    if card_of(learner).setting != "contexts":
        require_none(learner, context, features)
        return {}
    if context is None:
        size = getattr(learner, "context_size", None)
        if size is None:
            raise ParameterError(
                f"{type(learner).__name__} must know how long a context is; give an example: "
                "Study(..., context=[0.0, 0.0])."
            )
        context = np.zeros(size)
    return {
        name: plain(value)
        for name, value in (("context", context), ("features", features))
        if value is not None
    }


def require_context(learner: Learner[Any], context: ArrayLike | None, features: ArrayLike | None) -> None:
    """Refuse to do without a context if the learner looks at contexts, and with one if it does not."""
    if card_of(learner).setting != "contexts":
        require_none(learner, context, features)
    elif context is None:
        raise ParameterError(
            f"{type(learner).__name__} needs to know the context: ask(context=...), best(context=...)."
        )


def require_none(learner: Learner[Any], context: ArrayLike | None, features: ArrayLike | None) -> None:
    """Refuse a context for a learner that would not look at it."""
    if context is not None or features is not None:
        raise ParameterError(
            f"{type(learner).__name__} does not look at contexts; leave context and features out."
        )


def plain(value: Any) -> Any:
    """Return numbers as JSON knows them."""
    try:
        return None if value is None else np.asarray(value, np.float64).tolist()
    except (TypeError, ValueError) as error:
        raise ParameterError(f"contexts, features and notes must be numbers; got {value!r:.80}.") from error


def as_pair(given: Any) -> tuple[float, float]:
    """Return propensities, one for each side."""
    try:
        left, right = given
        return float(left), float(right)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"propensity must be two chances, one for each side; got {given!r}.") from error


def most_votes(votes: int | None) -> float:
    """Return the largest number of duels that a loop judges; infinite where none is given."""
    if votes is None:
        return inf
    require_whole("votes", votes, 0)
    return votes
