"""Menus with finitely many choices: arms, or actions in a context."""

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from math import inf
from typing import TypeGuard

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import OutcomeError, ParameterError, require_whole


@dataclass(frozen=True, repr=False)
class Arms:
    """The menu of a K-armed problem: the arms 0 to `k` - 1.

    Parameters
    ----------
    k : int
        The number of arms.
    active : tuple of int, optional
        The arms that may be shown, at least two; all of them by default.
    self_duels : bool, default True
        Whether an arm may be shown against itself, as algorithms in papers do when they exploit.
    open : mapping from pairs of int to int, default {}
        The number of open duels of each pair: duels that were asked and are not yet answered. A learner
        prefers other pairs.
    wins : array of shape (k, k), optional
        How often each arm beat each other arm. If a learner has no duel to ask, or none that may be shown,
        the leader meets the rival that it is least proven to beat by these counts.

    Raises
    ------
    ParameterError
        If an argument is invalid, or names an arm that is not on the menu.

    Examples
    --------
    >>> Arms(3)
    Arms(k=3)
    >>> Arms(4, active=(0, 2), self_duels=False)
    Arms(k=4, active=(0, 2), self_duels=False)
    """

    k: int
    active: tuple[int, ...] | None = None
    self_duels: bool = True
    open: Mapping[tuple[int, int], int] = field(default_factory=dict, hash=False)
    wins: FloatArray | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not is_below(self.k, inf) or self.k < 2:
            raise ParameterError(f"k must be at least 2 arms, because a duel needs two; got {self.k!r}.")
        if not isinstance(self.self_duels, bool | np.bool_):
            raise ParameterError(f"self_duels must be True or False; got {self.self_duels!r}.")
        if self.active is not None:
            if not isinstance(self.active, Iterable):
                raise ParameterError(f"active must be arms, such as (0, 2); got {self.active!r}.")
            object.__setattr__(self, "active", tuple(self.active))
            self.require_arms(self.active)
            if len(set(self.active)) < 2:
                raise ParameterError(
                    f"active must name at least 2 arms, because a duel needs two; got {self.active!r}."
                )
        if not isinstance(self.open, Mapping) or not all(
            is_pair(arms) and is_below(n, inf) for arms, n in self.open.items()
        ):
            raise ParameterError(
                f"open must map pairs of arms to numbers of duels, such as {{(0, 1): 1}}; got "
                f"{self.open!r:.80}."
            )
        if any(left > right for left, right in self.open):
            waiting: dict[tuple[int, int], int] = {}
            for (left, right), n in self.open.items():
                pair = (min(left, right), max(left, right))
                waiting[pair] = waiting.get(pair, 0) + n
            object.__setattr__(self, "open", waiting)
        if self.wins is not None and as_numbers("wins", self.wins).shape != (self.k, self.k):
            raise ParameterError(
                f"wins must have shape ({self.k}, {self.k}); got shape {np.shape(self.wins)}."
            )
        self.require_arms(arm for pair in self.open for arm in pair)

    def require_arms(self, arms: Iterable[object]) -> None:
        """Check that all items are numbers of arms.

        Parameters
        ----------
        arms : iterable
            The items to check.

        Raises
        ------
        ParameterError
            If an item is not a whole number from 0 to `k` - 1.
        """
        for arm in arms:
            if isinstance(arm, bool) or not is_below(arm, self.k):
                raise ParameterError(f"arms are numbered 0 to {self.k - 1}; got {arm!r}.")

    def __repr__(self) -> str:
        parts = [f"k={self.k!r}"]
        parts += [f"active={self.active!r}"] * (self.active is not None)
        parts += ["self_duels=False"] * (not self.self_duels)
        parts += [f"open={dict(self.open)!r}"] * bool(self.open)
        return f"Arms({', '.join(parts)})"

    def open_count(self, left: int, right: int) -> int:
        """Return the number of open duels of a pair, in either order.

        Parameters
        ----------
        left, right : int
            Two arms.

        Returns
        -------
        int
            The number of open duels.
        """
        return self.open.get((left, right) if left <= right else (right, left), 0)

    @property
    def has_free_pairs(self) -> bool:
        """Whether there may be a pair of different arms without an open duel."""
        arms = self.k if self.active is None else len(self.active)
        return len(self.open) < arms * (arms - 1) // 2

    def is_free(self, left: int, right: int) -> bool:
        """Return whether a pair may be shown and has no open duel.

        Parameters
        ----------
        left, right : int
            Two arms.

        Returns
        -------
        bool
            True if both hold.
        """
        return not self.open_count(left, right) and self.allows(left, right)

    def with_open(self, open: Mapping[tuple[int, int], int]) -> "Arms":
        """Return a copy of this menu with other open duels, without checking them.

        Parameters
        ----------
        open : mapping from pairs of int to int
            The number of open duels of each pair, whose arms must be on this menu, the smaller one first.

        Returns
        -------
        Arms
            The new menu.
        """
        menu = copy(self)
        object.__setattr__(menu, "open", open)
        return menu

    def allows(self, left: int, right: int) -> bool:
        """Return whether a pair may be shown.

        Parameters
        ----------
        left, right : int
            Two arms.

        Returns
        -------
        bool
            False if an arm is not active, or if both are the same and there are no self-duels.
        """
        if left == right and not self.self_duels:
            return False
        return self.active is None or (left in self.active and right in self.active)


@dataclass(frozen=True, eq=False)
class Actions:
    """The menu of a contextual problem: the actions 0 to `k` - 1, in a context.

    Parameters
    ----------
    k : int
        The number of actions.
    context : array of shape (d,)
        The context, which is known before the duel.
    features : array of shape (k, f), optional
        The features of each action in this context.
    self_duels : bool, default True
        Whether an action may be shown against itself.

    Raises
    ------
    ParameterError
        If `k` is less than 2, or `context` or `features` does not have finite numbers of the right shape.

    Examples
    --------
    >>> Actions(3, [0.2, 0.7]).context
    array([0.2, 0.7])
    """

    k: int
    context: FloatArray
    features: FloatArray | None = None
    self_duels: bool = True

    def __post_init__(self) -> None:
        require_whole("k", self.k, 2)
        context = as_numbers("context", self.context)
        if context.ndim != 1 or not np.isfinite(context).all():
            raise ParameterError(f"context must be a list of finite numbers; got {self.context!r}.")
        object.__setattr__(self, "context", context)
        if self.features is not None:
            features = as_numbers("features", self.features)
            if features.ndim != 2 or len(features) != self.k or not np.isfinite(features).all():
                raise ParameterError(
                    f"features must be a table of finite numbers with {self.k} rows, one per action; got "
                    f"shape {features.shape}."
                )
            object.__setattr__(self, "features", features)


def as_numbers(name: str, given: object) -> FloatArray:
    try:
        return np.ascontiguousarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be numbers; got {given!r:.80}.") from error


def is_pair(arms: object) -> bool:
    return isinstance(arms, tuple) and len(arms) == 2 and all(is_below(arm, inf) for arm in arms)


def is_below(number: object, limit: float) -> TypeGuard[int]:
    """Return whether something is a whole number, at least 0 and below a limit."""
    return isinstance(number, int | np.integer) and 0 <= int(number) < limit


def require_best(learner: object, answer: object, k: int) -> int:
    """Return the answer of a learner's `best` as an int, after checking that it is an arm or action."""
    if isinstance(answer, bool) or not is_below(answer, k):
        name = type(learner).__name__
        raise OutcomeError(f"{name}.best() must return an arm, 0 to {k - 1}; it returned {answer!r:.80}.")
    return int(answer)
