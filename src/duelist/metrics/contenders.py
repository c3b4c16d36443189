"""What evaluation needs to know of mixtures and policies, however they were learned."""

from collections.abc import Sequence
from typing import Protocol

from duelist.duel import FloatArray
from duelist.protocols import Policy


class Opponents(Protocol):
    """Some policies, by number: a list of them, or a finite class."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def __getitem__(self, number: int, /) -> Policy:
        """Return one of them."""
        ...


class Mixture(Protocol):
    """Chooses an action by chance in every context, as a `PolicyMixture` does."""

    @property
    def actions(self) -> Sequence[str]:
        """The actions' names."""
        ...

    @property
    def columns(self) -> Sequence[str]:
        """What the numbers of a context are called."""
        ...

    def chances(self, contexts: FloatArray) -> FloatArray:
        """Return the chance of every action, a row for each row of contexts."""
        ...
