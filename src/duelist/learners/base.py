"""What all compiled learners share: a public face over kernels that write into what they are given."""

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
    """Fill in the first field of a state: for points the current one, for rankings the weights."""
    for i in range(len(answer)):  # as a whole, it would bring the compiler's words for unequal shapes
        answer[i] = state[0][i]


def playing(
    ask: Kernel, tell: Kernel, best: Kernel, idle: Kernel = skip_nothing, batch: Kernel = skip_nothing
) -> Kernel:
    """Return the kernel `play` of a learner's module: the loop over rounds, merged with the learner's own.

    `idle` and `batch` pass many rounds at once, as `skip_idle` and `skip_batch` of the loop.
    """

    def play(rules: Any, state: Any, run: Run) -> None:
        loop.play(ask, tell, best, idle, batch, rules, state, run)

    return compiled_beside(tell, play)


def folding(tell: Kernel) -> Kernel:
    """Return the kernel `fold` of a learner's module, which tells a batch of duels."""

    def fold(rules: Any, state: Any, duels: DuelBuffer, outcomes: FloatArray) -> None:
        loop.fold(tell, rules, state, duels, outcomes)

    return compiled_beside(tell, fold)


def compiled_beside(tell: Kernel, function: Kernel) -> Kernel:
    """Compile a function as one of the module of `tell`, so that its machine code is kept by that name."""
    function.__module__, function.__qualname__ = tell.__module__, function.__name__
    return compiled(function)


class KernelLearner(Generic[State]):
    """A frozen dataclass of hyperparameters derives from a setting's own base, and that from this.

    Kernels write into the state they are given; `tell` copies first, so that an old state stays as it was.
    A setting says how menus and duels are handed to kernels.
    """

    kernels: ClassVar[Kernels]

    def __post_init__(self) -> None:
        """Check hyperparameters against their declarations."""
        check_fields(self)

    def rules(self, *sizes: Any, **named: Any) -> Any:
        """Return the numbers the kernels need; a setting says which sizes it gives, if any."""
        raise TypeError(f"{type(self).__name__} must define rules()")

    def rules_for(self, state: State) -> Any:
        """Return the numbers the kernels need: hyperparameters, made ready for the size of a state."""
        return self.rules()

    def buffer(self, state: State, n: int | None = None) -> DuelBuffer:
        """Return room for a duel, or for a batch of n."""
        raise TypeError(f"{type(self).__name__} must define buffer(state, n)")

    def write(self, state: State, duel: Duel, buffer: DuelBuffer) -> bool:
        """Write a duel into a buffer, or raise; return whether it can be learned from."""
        raise TypeError(f"{type(self).__name__} must define write(state, duel, buffer)")

    def read(self, menu: Any, buffer: DuelBuffer) -> Duel:
        """Return the duel that a kernel wrote into its buffer."""
        raise TypeError(f"{type(self).__name__} must define read(menu, buffer)")

    def kernel_menu(self, state: State, menu: Any) -> Any:
        """Return a menu as the kernels see it, or say that it is not one of the state's."""
        raise TypeError(f"{type(self).__name__} must define kernel_menu(state, menu)")

    def live(self) -> Self:
        """Return this learner with kernels that never wait for the compiler, for states of one shape."""
        live = copy(self)
        kernels: list[Any] = [None if kernel is None else LiveKernel(kernel) for kernel in self.kernels]
        object.__setattr__(live, "kernels", Kernels(*kernels))
        return live

    def ask(self, state: State, menu: Any, rng: Generator) -> Duel:
        """Return the duel to show next; the state stays as it is."""
        require_generator(rng)
        buffer = self.buffer(state)
        self.kernels.ask(self.rules_for(state), state, self.kernel_menu(state, menu), buffer, rng)
        return self.read(menu, buffer)

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome: 1 left wins, 0 right wins, 0.5 a tie."""
        value, buffer = require_outcome(outcome), self.buffer(state)
        if not self.write(state, duel, buffer):
            return state
        told: State = type(state)(*[field.copy() for field in state])
        self.kernels.tell(self.rules_for(state), told, buffer, value)
        return told

    def learn(self, state: State, duel: Duel, outcome: float) -> None:
        """Tell an outcome to a state that the caller owns: it is changed."""
        value, buffer = require_outcome(outcome), self.buffer(state)
        if self.write(state, duel, buffer):
            self.kernels.tell(self.rules_for(state), state, buffer, value)

    def plan(self, state: State, menu: Any, rng: Generator, n: int) -> list[Duel]:
        """Return the next duels that do not depend on one another's outcomes, at least one and at most n."""
        require_whole("n", n, 1)
        return self.planned(state, menu, rng, n) or [self.ask(state, menu, rng)]

    def planned(self, state: State, menu: Any, rng: Generator, n: int) -> list[Duel]:
        """Return at most n duels that the learner is committed to whatever their outcomes; maybe none."""
        require_generator(rng)
        if self.kernels.plan is None:
            return []
        buffers, kernel_menu = self.buffer(state, n), self.kernel_menu(state, menu)
        planned = self.kernels.plan(self.rules_for(state), state, kernel_menu, buffers, rng)
        return [self.read(menu, buffer_at(buffers, place)) for place in range(planned)]

    def fold(self, state: State, duels: Sequence[Duel], outcomes: Sequence[float] | FloatArray) -> None:
        """Tell many duels and their outcomes, in order, to a state that the caller owns: it is changed.

        All are checked first; if one of them cannot be told, none is.
        """
        if len(duels) != len(outcomes):
            raise OutcomeError(f"every duel needs an outcome; got {len(duels)} and {len(outcomes)}.")
        buffers, kept = self.buffer(state, len(duels)), list[float]()
        for duel, outcome in zip(duels, outcomes, strict=True):
            value = require_outcome(outcome)
            if self.write(state, duel, buffer_at(buffers, len(kept))):
                kept.append(value)
        self.fold_buffer(state, buffer_at(buffers, slice(len(kept))), np.array(kept, np.float64))

    def fold_buffer(self, state: State, buffers: DuelBuffer, outcomes: FloatArray) -> None:
        """Tell a batch of duels as kernels see them, which must have been checked."""
        if self.kernels.fold is None:
            raise TypeError(f"{type(self).__name__} has no kernel that folds")
        self.kernels.fold(self.rules_for(state), state, buffers, outcomes)


def buffer_at(buffers: DuelBuffer, place: int | slice) -> DuelBuffer:
    """Return one duel of a batch, or several, in the batch's own memory."""
    return DuelBuffer._make(part[place] for part in buffers)
