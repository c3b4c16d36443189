"""What a study compares: named arms, parameters or documents; and the items and contexts of its duels.

An item is what two arms are compared on, such as a question that all of them answer. A voter who has seen a
pair on one item may be shown it on another: pair and item count as seen together.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from math import inf
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from duelist.card import card_of
from duelist.defaults import DELTA
from duelist.errors import FileError, ParameterError, UnknownNameError, require_confidence, require_whole
from duelist.journal.content import require_content
from duelist.menus import Documents
from duelist.protocols import AnyLearner
from duelist.study.documents import NO_DUELS, DocumentChoices, read_documents
from duelist.study.parameters import Parameter, Parameters, as_parameters, read_table
from duelist.votes.counting import Comparison

LONGEST = 1000
"""The largest number of characters of a name."""
Pair = tuple[int, int]
Seen = Mapping[Comparison, int]
"""What a voter has seen, and how often they answered it."""
Items = tuple[str, ...]
ALONE = (None,)
"""In place of items, for duels without one."""


class Arm(NamedTuple):
    r"""An arm of a study that shows a text, a link or an image.

    Parameters
    ----------
    name : str
        Of at most 1,000 characters.
    text : str, optional
        Of at most 100,000 characters, with newlines and tabs but no other control characters.
    link : str, optional
        A URL that begins with https:// or http://, of at most 2,000 characters.
    image : str, optional
        Such a URL, or the image itself as data:image/png;base64,… (also jpeg, gif and webp), of at most
        1,000,000 characters.

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
    link: str | None = None
    image: str | None = None

    def content(self) -> dict[str, str]:
        """Return the fields that are set besides the name.

        Returns
        -------
        dict
            Values of text, link and image by field.
        """
        fields = {"text": self.text, "link": self.link, "image": self.image}
        return {field: value for field, value in fields.items() if value is not None}


def as_arm(field: str, given: object) -> Arm:
    """Return an arm with a normalised name; raise ParameterError if it cannot be one."""
    if not isinstance(given, Arm):
        return Arm(as_name(field, given))
    try:
        require_content(given.text, given.link, given.image)
    except ParameterError as error:
        raise ParameterError(f"{field}: {error}") from error
    return given._replace(name=as_name(field, given.name))


def as_name(field: str, name: object) -> str:
    """Return a name in Unicode normal form C; raise ParameterError if it cannot be a name."""
    if not isinstance(name, str) or not name:
        raise ParameterError(f"{field} must be a name (a non-empty string); got {name!r}.")
    composed = str(unicodedata.normalize("NFC", name))
    unfit = next((sign for sign in composed if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")), None)
    if unfit is not None:
        raise ParameterError(
            f"{field} contains the character {unfit!r}, which cannot be displayed; got {name!r}."
        )
    if len(composed) > LONGEST:
        raise ParameterError(f"{field} may have at most {LONGEST} characters; got {len(composed)}.")
    return composed


class NamedArms:
    """Arms by name. The number of an arm never changes, even if others are retired.

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

    kind: ClassVar[str] = "arms"

    def __init__(self, arms: Sequence[str | Arm]) -> None:
        if isinstance(arms, str | Set | Mapping | Arm) or not isinstance(arms, Iterable):
            raise ParameterError(f"arms must be an ordered list of names; got {arms!r:.200}.")
        self.retired: frozenset[int] = frozenset()
        self._numbers: dict[str, int] = {}
        self._content: dict[str, Arm] = {}
        for index, arm in enumerate(arms):
            given = as_arm(f"arms[{index}]", arm)
            if given.name in self._numbers:
                raise ParameterError(
                    f"arms[{index}] repeats the name {given.name!r}; give every arm a different name."
                )
            self._numbers[given.name] = index
            if given.content():
                self._content[given.name] = given
        self.names: tuple[str, ...] = tuple(self._numbers)
        if len(self.names) < 2:
            raise ParameterError(
                f"arms must have at least 2 names, because a duel compares two; got {len(self.names)}."
            )

    @property
    def active(self) -> tuple[int, ...] | None:
        """The numbers of the arms that are not retired; None if none is retired."""
        if not self.retired:
            return None
        return tuple(arm for arm in range(len(self.names)) if arm not in self.retired)

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the arms that are not retired."""
        return self.names if self.active is None else tuple(self.names[arm] for arm in self.active)

    def add(self, arm: Arm) -> int:
        """Add an arm, or bring back a retired one; return its number.

        A text, link or image replaces what the arm showed before; without any, it keeps that.
        """
        number = self._numbers.setdefault(arm.name, len(self.names))
        if number == len(self.names):
            self.names = (*self.names, arm.name)
        if arm.content():
            self._content[arm.name] = arm
        self.retired -= {number}
        return number

    def retire(self, name: str) -> int:
        """Retire an arm; return its number."""
        number = self.find(name)
        self.retired |= {number}
        return number

    def is_active(self, name: str) -> bool:
        """Return whether an arm of this name exists and is not retired."""
        return name in self._numbers and self._numbers[name] not in self.retired

    def show(self, side: Any) -> str:
        name: str = self.names[side]
        return name

    def find(self, shown: object) -> int:
        number = self._numbers.get(shown) if isinstance(shown, str) else None
        if number is None and isinstance(shown, str):
            number = self._numbers.get(unicodedata.normalize("NFC", shown))
        if number is None:
            raise UnknownNameError("arm", shown, self.names)
        return number

    def about(self, name: str) -> Arm:
        """Return an arm with its text, link and image."""
        known = self.show(self.find(name))
        return self._content.get(known, Arm(known))

    def as_json(self) -> dict[str, Any]:
        """Return the choices as a journal stores them: all names, and what the arms show."""
        about = {name: arm.content() for name, arm in self._content.items()}
        return {"arms": list(self.names), **({"about": about} if about else {})}


Choices: TypeAlias = NamedArms | Parameters | DocumentChoices


def as_choices(
    arms: Sequence[str | Arm] | None, parameters: Parameters | Mapping[str, Parameter] | None
) -> NamedArms | Parameters:
    """Return the choices of a study of duels: arms or parameters."""
    if arms is not None and parameters is None:
        return NamedArms(arms)
    if parameters is not None and arms is None:
        return as_parameters(parameters)
    raise ParameterError(
        "a study needs arms, parameters or a learner of rankings, and got none of them; give one, such as "
        "Study(arms=[...])."
    )


def as_documents(
    learner: AnyLearner, context: ArrayLike | None, features: ArrayLike | None
) -> DocumentChoices:
    """Return the choices of a study of documents, given a row of features as an example."""
    name = type(learner).__name__
    require_none(learner, context, None)
    if features is None:
        raise ParameterError(
            f"{name} needs the number of features of a document; give one row as an example: "
            f"Study({name}(), features=[[0.0, 0.0]])."
        )
    return DocumentChoices(Documents(features).d)


def read_choices(content: dict[str, Any]) -> Choices:
    """Return the choices that `as_json` wrote."""
    if content.keys() - {"about"} == {"arms"} and isinstance(content["arms"], list):
        return NamedArms(with_content(content["arms"], content.get("about", {})))
    if content.keys() == {"knobs"} and isinstance(content["knobs"], dict):
        return read_table(content["knobs"], "knobs")
    if content.keys() == {"documents"}:
        return read_documents(content["documents"])
    raise FileError(f"choices must be arms, parameters or documents; got {', '.join(content) or 'none'}.")


def with_content(names: list[Any], about: Any) -> list[Any]:
    """Return arms with the texts, links and images that `as_json` wrote."""
    try:
        content = {name: Arm(name, **fields) for name, fields in about.items()}
    except (AttributeError, TypeError) as error:
        raise FileError(
            f"choices.about must give text, link or image by the name of an arm: {error}."
        ) from error
    stray = next((name for name in content if name not in names), None)
    if stray is not None:
        raise FileError(f"choices.about names {stray!r:.80}, which is not an arm.")
    return [content.get(name, name) if isinstance(name, str) else name for name in names]


def require_duels(choices: Choices) -> None:
    """Raise ParameterError in a study of documents, which shows lists instead of duels."""
    if isinstance(choices, DocumentChoices):
        raise ParameterError(NO_DUELS)


def require_documents(choices: Choices) -> DocumentChoices:
    """Return choices that are documents; raise ParameterError in a study of duels."""
    if not isinstance(choices, DocumentChoices):
        raise ParameterError(
            f"a study of {choices.kind} shows duels: ask() returns one. To rank documents, begin a study "
            "with a learner of rankings: Study(PairwiseGradientRanker(), features=[[0.0, 0.0]])."
        )
    return choices


def require_named(choices: Choices) -> NamedArms:
    """Return choices that are arms; raise ParameterError in a study without arms."""
    require_duels(choices)
    if not isinstance(choices, NamedArms):
        raise ParameterError(
            "a study of parameters has no arms to add, retire or show; change its file of parameters instead."
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
        raise ParameterError(f"items must be names (non-empty strings); got {items!r:.80}.") from error


@lru_cache(maxsize=64)
def checked(items: Items) -> Items:
    """Return items with normalised names; cached, because every ask repeats the same list."""
    names = tuple(as_name(f"items[{index}]", item) for index, item in enumerate(items))
    if len({*names}) < len(names):
        raise ParameterError(f"items must all differ; got {names!r:.80}.")
    return names


def seen_pairs(seen: Seen, items: Items | None) -> dict[Pair, int]:
    """Return the pairs that were seen on all items, or without an item if there are none."""
    among = frozenset(ALONE if items is None else items)
    times = Counter((lower, upper) for lower, upper, item in seen if item in among)
    return {pair: 1 for pair, items_seen in times.items() if items_seen == len(among)}


def unseen_items(seen: Seen, pair: Pair, items: Items) -> Items:
    """Return the items on which a pair has not been seen; all of them if there is none."""
    return tuple(item for item in items if (*pair, item) not in seen) or items


def pair_of(left: Any, right: Any) -> Pair | None:
    """Return two arms in order, whichever side they were on; None for points."""
    if not isinstance(left, int):
        return None
    return (left, right) if left <= right else (right, left)


def example_of(learner: AnyLearner, context: ArrayLike | None, features: ArrayLike | None) -> dict[str, Any]:
    """Return an example context as a journal stores it; empty for a learner without contexts."""
    if card_of(learner).setting != "contexts":
        require_none(learner, context, features)
        return {}
    if context is None:
        size = getattr(learner, "context_size", None)
        if size is None:
            raise ParameterError(
                f"{type(learner).__name__} needs the length of a context; give an example: "
                "Study(..., context=[0.0, 0.0])."
            )
        context = np.zeros(size)
    return {
        name: plain(value)
        for name, value in (("context", context), ("features", features))
        if value is not None
    }


def require_context(learner: AnyLearner, context: ArrayLike | None, features: ArrayLike | None) -> None:
    """Raise ParameterError if a learner of contexts gets none, or another learner gets one."""
    if card_of(learner).setting != "contexts":
        require_none(learner, context, features)
    elif context is None:
        raise ParameterError(
            f"{type(learner).__name__} needs a context: ask(context=...), best(context=...)."
        )


def require_none(learner: AnyLearner, context: ArrayLike | None, features: ArrayLike | None) -> None:
    if context is not None or features is not None:
        raise ParameterError(
            f"{type(learner).__name__} does not use contexts; leave out context and features."
        )


def plain(value: Any) -> Any:
    """Return numbers as plain lists and floats, which JSON can hold."""
    try:
        return None if value is None else np.asarray(value, np.float64).tolist()
    except (TypeError, ValueError) as error:
        raise ParameterError(f"contexts, features and notes must be numbers; got {value!r:.80}.") from error


def as_pair(given: Any) -> tuple[float, float]:
    try:
        left, right = given
        return float(left), float(right)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"propensity must be two probabilities, one for each side; got {given!r}."
        ) from error


def most_votes(judge: object, until: object, votes: int | None) -> float:
    """Return the largest number of duels that a loop judges, infinite by default; check its arguments."""
    if not callable(judge):
        raise ParameterError(f"judge must be a function; got {judge!r:.80}.")
    if not callable(until):
        require_confidence(until, "until", DELTA)
    if votes is None:
        return inf
    require_whole("votes", votes, 0)
    return votes
