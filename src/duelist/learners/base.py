"""Base class of all compiled learners: a public interface to kernels that change their arguments in place."""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numpy.random import Generator

from duelist.constraints import check_fields
from duelist.duel import Duel, FloatArray
from duelist.errors import OutcomeError, require_generator, require_outcome, require_whole
from duelist.kernels import loop
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.live import LiveKernel
from duelist.kernels.loop import Kernels, Run, skip_nothing

Kernel: TypeAlias = Callable[..., Any]
State = TypeVar("State", bound=NamedTuple)


@borrowing
def first_field(rules: Any, state: Any, menu: Any, answer: FloatArray) -> None:
    """Fill in the first field of a state: the current point, or the weights of a ranker."""
    for i in range(len(answer)):  # a slice assignment would compile the error texts for unequal shapes
        answer[i] = state[0][i]


def playing(
    ask: Kernel, tell: Kernel, best: Kernel, idle: Kernel = skip_nothing, batch: Kernel = skip_nothing
) -> Kernel:
    """Return the kernel `play` of a learner: the loop over rounds, merged with the learner's kernels.

    `idle` and `batch` skip many rounds at once, like `skip_idle` and `skip_batch` of the loop.
    """

    def play(rules: Any, state: Any, run: Run) -> None:
        loop.play(ask, tell, best, idle, batch, rules, state, run)

    return compiled_like(tell, play)


def folding(tell: Kernel) -> Kernel:
    """Return the kernel `fold` of a learner's module, which tells a batch of duels."""

    def fold(rules: Any, state: Any, duels: DuelBuffer, outcomes: FloatArray) -> None:
        loop.fold(tell, rules, state, duels, outcomes)

    return compiled_like(tell, fold)


def compiled_like(tell: Kernel, function: Kernel) -> Kernel:
    """Compile a function as if it belonged to the module of `tell`, whose name then identifies its code."""
    function.__module__, function.__qualname__ = tell.__module__, function.__name__
    return compiled(function)


class KernelLearner(Generic[State]):
    """Base class of all compiled learners, which are frozen dataclasses of hyperparameters.

    Each setting (arms, points, contexts) has a subclass that defines how menus and duels are passed to
    kernels; learners derive from it. Kernels change the state in place; `tell` copies the state first, so the
    old one does not change.
    """

    kernels: ClassVar[Kernels]

    def __post_init__(self) -> None:
        check_fields(self)

    def rules(self, *sizes: Any, **named: Any) -> Any:
        """Return the hyperparameters as a NamedTuple for the kernels.

        Parameters
        ----------
        *sizes, **named
            Sizes of the problem; for arms, their number, and otherwise none.

        Returns
        -------
        Rules
            The first argument of every kernel.
        """
        raise TypeError(f"{type(self).__name__} must define rules()")

    def rules_for(self, state: State) -> Any:
        """Return the hyperparameters for the kernels, given a state.

        Parameters
        ----------
        state : State
            A state, which determines the sizes that `rules` needs.

        Returns
        -------
        Rules
            The first argument of every kernel.
        """
        return self.rules()

    def buffer(self, state: State, n: int | None = None) -> DuelBuffer:
        """Return a buffer for one duel, or for n duels.

        Parameters
        ----------
        state : State
            A state, which determines the shape of points.
        n : int, optional
            The number of duels; None for a single duel.

        Returns
        -------
        DuelBuffer
            Arrays that kernels fill and read.
        """
        raise TypeError(f"{type(self).__name__} must define buffer(state, n)")

    def write(self, state: State, duel: Duel, buffer: DuelBuffer) -> bool:
        """Check a duel and write it into a buffer.

        Parameters
        ----------
        state : State
            What the learner knows.
        duel : Duel
            The duel, as returned by `ask`.
        buffer : DuelBuffer
            The buffer to fill.

        Returns
        -------
        bool
            Whether the learner can learn from the duel.

        Raises
        ------
        OutcomeError
            If the duel is invalid.
        """
        raise TypeError(f"{type(self).__name__} must define write(state, duel, buffer)")

    def read(self, menu: Any, buffer: DuelBuffer) -> Duel:
        """Return the duel that a kernel wrote into a buffer.

        Parameters
        ----------
        menu : Arms, Actions, Ball, Sphere or Box
            The menu that was asked.
        buffer : DuelBuffer
            The filled buffer.

        Returns
        -------
        Duel
            The duel.
        """
        raise TypeError(f"{type(self).__name__} must define read(menu, buffer)")

    def kernel_menu(self, state: State, menu: Any) -> Any:
        """Return a menu as a NamedTuple for the kernels.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Arms, Actions, Ball, Sphere or Box
            The menu.

        Returns
        -------
        object
            The menu for the kernels.

        Raises
        ------
        ParameterError
            If the menu does not fit the state.
        """
        raise TypeError(f"{type(self).__name__} must define kernel_menu(state, menu)")

    def live(self) -> Self:
        """Return a copy whose kernels never wait for the compiler, for states of one shape.

        Returns
        -------
        KernelLearner
            The copy, which a study uses.
        """
        live = copy(self)
        kernels: list[Any] = [None if kernel is None else LiveKernel(kernel) for kernel in self.kernels]
        object.__setattr__(live, "kernels", Kernels(*kernels))
        return live

    def ask(self, state: State, menu: Any, rng: Generator) -> Duel:
        """Return the duel to show next; the state does not change.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Arms, Actions, Ball, Sphere or Box
            What may be shown.
        rng : numpy.random.Generator
            Random number generator for this duel.

        Returns
        -------
        Duel
            Two choices from the menu.

        Raises
        ------
        ParameterError
            If the menu does not fit the state, or `rng` is not a generator.
        """
        require_generator(rng)
        buffer = self.buffer(state)
        self.kernels.ask(self.rules_for(state), state, self.kernel_menu(state, menu), buffer, rng)
        return self.read(menu, buffer)

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome; the old state does not change.

        Parameters
        ----------
        state : State
            What the learner knows.
        duel : Duel
            The duel, as returned by `ask`.
        outcome : float
            1 if the left choice won, 0 if the right choice won, 0.5 for a tie.

        Returns
        -------
        State
            The new state.

        Raises
        ------
        OutcomeError
            If the duel or the outcome is invalid.
        """
        value, buffer = require_outcome(outcome), self.buffer(state)
        if not self.write(state, duel, buffer):
            return state
        told: State = type(state)(*[field.copy() for field in state])
        self.kernels.tell(self.rules_for(state), told, buffer, value)
        return told

    def learn(self, state: State, duel: Duel, outcome: float) -> None:
        """Tell an outcome like `tell`, but change the state in place; the caller must own it.

        Parameters
        ----------
        state : State
            The state to change.
        duel : Duel
            The duel, as returned by `ask`.
        outcome : float
            1 if the left choice won, 0 if the right choice won, 0.5 for a tie.

        Raises
        ------
        OutcomeError
            If the duel or the outcome is invalid; the state is then unchanged.
        """
        value, buffer = require_outcome(outcome), self.buffer(state)
        if self.write(state, duel, buffer):
            self.kernels.tell(self.rules_for(state), state, buffer, value)

    def plan(self, state: State, menu: Any, rng: Generator, n: int) -> list[Duel]:
        """Return the next duels that do not depend on each other's outcomes.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Arms, Actions, Ball, Sphere or Box
            What may be shown.
        rng : numpy.random.Generator
            Random number generator for these duels.
        n : int
            The largest number of duels.

        Returns
        -------
        list of Duel
            At least one duel and at most n.
        """
        require_whole("n", n, 1)
        return self.planned(state, menu, rng, n) or [self.ask(state, menu, rng)]

    def planned(self, state: State, menu: Any, rng: Generator, n: int) -> list[Duel]:
        """Return duels that the learner would ask whatever their outcomes.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Arms, Actions, Ball, Sphere or Box
            What may be shown.
        rng : numpy.random.Generator
            Random number generator for these duels.
        n : int
            The largest number of duels.

        Returns
        -------
        list of Duel
            At most n duels; the list may be empty.
        """
        require_generator(rng)
        if self.kernels.plan is None:
            return []
        buffers, kernel_menu = self.buffer(state, n), self.kernel_menu(state, menu)
        planned = self.kernels.plan(self.rules_for(state), state, kernel_menu, buffers, rng)
        return [self.read(menu, buffer_at(buffers, index)) for index in range(planned)]

    def fold(self, state: State, duels: Sequence[Duel], outcomes: Sequence[float] | FloatArray) -> None:
        """Tell a batch of duels and their outcomes, in order, changing the state in place.

        Parameters
        ----------
        state : State
            The state to change; the caller must own it.
        duels : sequence of Duel
            The duels.
        outcomes : sequence of float
            One outcome per duel: 1 if the left choice won, 0 if the right choice won, 0.5 for a tie.

        Raises
        ------
        OutcomeError
            If any duel or outcome is invalid; the state is then unchanged.
        """
        if len(duels) != len(outcomes):
            raise OutcomeError(
                f"duels and outcomes must have the same length; got {len(duels)} and {len(outcomes)}."
            )
        buffers, kept = self.buffer(state, len(duels)), list[float]()
        for duel, outcome in zip(duels, outcomes, strict=True):
            value = require_outcome(outcome)
            if self.write(state, duel, buffer_at(buffers, len(kept))):
                kept.append(value)
        self.fold_buffer(state, buffer_at(buffers, slice(len(kept))), np.array(kept, np.float64))

    def fold_buffer(self, state: State, buffers: DuelBuffer, outcomes: FloatArray) -> None:
        """Tell a batch of duels in a buffer, without checking them, changing the state in place.

        Parameters
        ----------
        state : State
            The state to change; the caller must own it.
        buffers : DuelBuffer
            The duels.
        outcomes : array of shape (n,)
            1 if the left choice won, 0 if the right choice won, 0.5 for a tie.
        """
        if self.kernels.fold is None:
            raise TypeError(f"{type(self).__name__} has no kernel for batches of duels (fold)")
        self.kernels.fold(self.rules_for(state), state, buffers, outcomes)


def buffer_at(buffers: DuelBuffer, index: int | slice) -> DuelBuffer:
    """Return one duel of a batch, or several, as a view."""
    return DuelBuffer._make(part[index] for part in buffers)
