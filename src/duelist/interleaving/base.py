"""The base of all interleaving methods for two rankings.

For a few documents, passing ten arrays to compiled code takes longer than the work. So light kernels are
called interpreted, on lists of documents of any kind: they unpack their page, read and write by index, and
copy with `.copy()`. Heavy ones are compiled and work on numbers.
"""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable
from functools import cached_property, partial
from itertools import compress
from typing import Any, ClassVar, NamedTuple

from numpy.random import Generator

from duelist.errors import OutcomeError, ParameterError, UnknownNameError, require_generator, require_whole
from duelist.interleaving.page import COUNTING, NOBODY, draft, settle
from duelist.kernels.compile import OVERLOADS

FEW = 6  # with fewer clicks, searching a hundred documents for each is faster than numbering them all


class Shown(NamedTuple):
    """An interleaved list, with everything needed to credit the clicks on it later.

    Examples
    --------
    >>> import numpy as np
    >>> from duelist.interleaving import TeamDraft
    >>> shown = TeamDraft().interleave(["a", "b", "c"], ["b", "d"], np.random.default_rng(3))
    >>> shown.documents, shown.teams, shown.propensities
    (('a', 'b', 'c', 'd'), (0, 1, 0, 1), (0.5, 1.0, 0.5, 1.0))
    """

    documents: tuple[Hashable, ...]
    """From the top of the list to its end."""
    teams: tuple[int, ...]
    """The ranking that each place is credited to: 0 left, 1 right, -1 nobody."""
    propensities: tuple[float, ...]
    """The chance of each place to show its document, given those above it."""
    left: tuple[Hashable, ...]
    """The left ranking, without repeated documents."""
    right: tuple[Hashable, ...]
    """The right ranking, without repeated documents."""


class Method(ABC):
    """Base class of all methods of interleaving and multileaving."""

    def __post_init__(self) -> None:
        """Check the hyperparameters."""
        self.rules()

    @abstractmethod
    def rules(self) -> Any:
        """Return the parameters of the kernels, or refuse hyperparameters that cannot work."""


class Interleaving(Method):
    """Base class of the interleaving methods for two rankings."""

    counting: str
    fair: ClassVar[tuple[str, ...]]
    """The countings with which neither ranking wins more often if clicks do not depend on documents."""
    drafts: ClassVar[Callable[..., None]] = staticmethod(draft)
    """Fills a page made of lists with documents of any kind."""
    settles: ClassVar[Callable[..., float]] = staticmethod(settle)
    """Returns the outcome of the clicks on such a page."""

    @cached_property
    def ready(self) -> tuple[Callable[..., None], Callable[..., float]]:
        """What fills a page and what settles it, by the rules; found once, because that shows in a call."""
        rules = self.rules()
        fills, settles = (
            OVERLOADS.get(kernel, {}).get(type(rules), kernel) for kernel in (self.drafts, self.settles)
        )
        return partial(fills, rules), partial(settles, rules)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: hyperparameters, and nothing that was found for them."""
        return {name: value for name, value in vars(self).items() if name != "ready"}

    def counting_rule(self, no_unshared: str = "") -> int:
        """Return the number of the counting; `no_unshared` says why "unshared" is not possible."""
        if self.counting not in COUNTING:
            raise UnknownNameError("counting", self.counting, COUNTING)
        if self.counting == "unshared" and no_unshared:
            fault = f"counting 'unshared' makes no sense for {type(self).__name__}: {no_unshared}"
            raise ParameterError(f"{fault}. Use one of 'all', 'first'.")
        return COUNTING.index(self.counting)

    def interleave(
        self,
        left: Iterable[Hashable],
        right: Iterable[Hashable],
        rng: Generator,
        length: int | None = None,
        after: Shown | None = None,
    ) -> Shown:
        """Return one list made from two rankings.

        Parameters
        ----------
        left, right : iterable
            The rankings, best document first; they may differ in length and in documents.
        rng : numpy.random.Generator
            The source of randomness.
        length : int, optional
            How many documents to show in all; by default all there are.
        after : Shown, optional
            A list of the same rankings to continue, as if both had been made at once.
        """
        require_generator(rng)
        try:
            left, right = tuple(left), tuple(right)
            taken, in_right = dict.fromkeys(left, False), dict.fromkeys(right, False)
        except TypeError as error:
            fault = "rankings must be lists of documents that can be told apart by their hash"
            raise ParameterError(f"{fault}: {error}.") from error
        if len(taken) + len(in_right) < len(left) + len(right):
            left, right = tuple(taken), tuple(in_right)
        taken |= in_right
        room = len(taken)
        if after is not None:
            require_shown("after", after, Shown)
        if length is not None:
            require_whole("length", length, 0 if after is None else len(after.documents))
            room = min(int(length), room)
        documents: list[Hashable] = [None] * room
        teams, propensities, shown = [NOBODY] * room, [1.0] * room, [0]
        if after is not None:
            if after.left != left or after.right != right:
                raise ParameterError(
                    "after must be a list of the same two rankings; begin others without it."
                )
            shown[0] = begun = len(after.documents)
            documents[:begun], teams[:begun], propensities[:begun] = after[:3]
            taken.update(dict.fromkeys(after.documents, True))
        self.ready[0](left, right, (documents, teams, propensities, shown, taken), rng)
        return Shown(tuple(documents), tuple(teams), tuple(propensities), left, right)

    def credit(self, shown: Shown, clicked: Iterable[Hashable]) -> float:
        """Return the outcome of clicks on documents: 1 left wins, 0 right wins, 0.5 a tie.

        Parameters
        ----------
        shown : Shown
            The list, as this method made it.
        clicked : iterable
            The documents that were clicked, in any order; each counts once.
        """
        require_shown("shown", shown, Shown)
        flags = flag_clicked(shown.documents, clicked)
        taken: defaultdict[Hashable, bool] = defaultdict(bool)
        page = (*shown[:3], (len(flags),), taken)
        return self.ready[1](shown.left, shown.right, page, flags)


def require_shown(name: str, shown: object, kind: type[Any]) -> None:
    """Refuse what is not a list that `interleave` returned."""
    if not isinstance(shown, kind):
        raise ParameterError(f"{name} must be a list that interleave() returned; got {shown!r:.80}.")


def find_clicked(documents: tuple[Hashable, ...], clicked: Iterable[Hashable]) -> list[int]:
    """Return the places whose document was clicked, each once, in any order."""
    try:
        distinct = set(clicked)
    except TypeError as error:
        raise wrong_clicks(documents, clicked) from error
    if len(distinct) < FEW:
        try:
            return list(map(documents.index, distinct))
        except ValueError as error:
            raise wrong_clicks(documents, distinct) from error
    places = list(compress(range(len(documents)), map(distinct.__contains__, documents)))
    if len(places) < len(distinct):
        raise wrong_clicks(documents, distinct)
    return places


def wrong_clicks(documents: tuple[Hashable, ...], clicked: Iterable[Hashable]) -> OutcomeError:
    """Return the error for clicks that are not all on documents that were shown."""
    known = clicked if isinstance(clicked, Collection) else ()
    stray = min((document for document in known if document not in documents), key=repr, default=None)
    if stray is None:
        return OutcomeError(f"clicked must be a list of documents that were shown; got {clicked!r}.")
    return OutcomeError(f"{stray!r} was clicked but not shown; clicked must be documents of the list.")


def flag_clicked(documents: tuple[Hashable, ...], clicked: Iterable[Hashable]) -> list[bool]:
    """Return for each place whether its document was clicked."""
    flags = [False] * len(documents)
    for place in find_clicked(documents, clicked):
        flags[place] = True
    return flags
