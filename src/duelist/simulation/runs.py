"""Runs of learners on any kind of problem, each with its own random streams."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Generic

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from duelist.duel import BoolArray, Duel, IntArray
from duelist.errors import OutcomeError, ParameterError, WorkersError
from duelist.kernels.live import COMPILATIONS
from duelist.kernels.loop import CompiledLearner, Ledger, Run
from duelist.parallel import Executor, Show, repeat, silence
from duelist.simulation.kept import KeptRuns
from duelist.simulation.result import AnyRuns, Runs

SLICES = 4  # slices of each learner's runs per worker: enough for workers to finish at about the same time


@dataclass
class Contender:
    """A learner in one run: its state, its ledger, its random stream and the world's."""

    learner: Any
    state: Any
    ledger: Ledger
    rng: Generator
    world_rng: Generator
    world: Any = None  # this run's own world, if it has state

    def play(self, problem: Any, menu: Any, shows: type[tuple[Any, ...]] = Duel) -> Any:
        """Play one round through the learner's ask and tell, and return the duel or list."""
        name, shown = type(self.learner).__name__, self.learner.ask(self.state, menu, self.rng)
        if not isinstance(shown, shows):
            raise OutcomeError(f"{name}.ask() must return a {shows.__name__}; it returned {shown!r:.80}.")
        state = self.learner.tell(self.state, shown, problem.play(shown, self.world_rng))
        if state is None and self.state is not None:
            raise OutcomeError(f"{name}.tell() must return the new state; it returned None.")
        self.state = state
        return shown

    def loop(
        self,
        world: Any,
        menu: Any,
        buffer: Any,
        *,
        stepwise: bool = True,
        play: Callable[..., None] | None = None,
    ) -> Run:
        """Play the run in the compiled loop and return the loop's arguments."""
        run = Run(world, self.ledger, menu, buffer, self.rng, self.world_rng, stepwise)
        (play or self.learner.kernels.play)(self.learner.rules_for(self.state), self.state, run)
        return run


class Setting(ABC, Generic[AnyRuns]):
    """What learners are played on: a problem, the checkpoints, and how runs are measured.

    The compiled loop may replace the methods that a problem's class lists in `in_kernels`. A problem with
    other versions of these methods, overridden in a class or set on the object, is played through ask and
    tell.
    """

    runs: ClassVar[type[Runs]] = Runs
    measures: ClassVar[tuple[str, ...]] = ()
    """The names of the first rows of a ledger's measures."""
    marks: IntArray
    seed: int

    @property
    @abstractmethod
    def compiled(self) -> bool:
        """Whether the compiled loop plays the same as the problem."""

    @abstractmethod
    def ledger(self, halt: BoolArray) -> Ledger: ...

    @abstractmethod
    def start(self, learner: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Contender: ...

    @abstractmethod
    def loop(self, contender: Contender) -> None:
        """Play a whole run in the compiled loop."""

    @abstractmethod
    def round(self, contender: Contender) -> None:
        """Play and record one round through the learner's ask and tell."""

    @abstractmethod
    def close(self, contender: Contender, mark: int) -> None:
        """Record the measures of a run through ask and tell at a checkpoint."""

    @abstractmethod
    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> AnyRuns: ...

    def done(self, ledger: Ledger) -> float:
        """Return the share of a run that has been played; 1 once it is finished."""
        return int(ledger.played[0]) / int(ledger.checkpoints[-1])

    def standing(self, ledgers: Sequence[Ledger]) -> str:
        """Return a short status of unfinished runs for the progress bar."""
        return ""

    def measured(self, ledgers: Sequence[Ledger]) -> dict[str, Any]:
        """Return the measures of all runs: a row for each run, a column for each checkpoint."""
        rows = np.stack([ledger.measures for ledger in ledgers])
        return {name: np.ascontiguousarray(rows[:, row]) for row, name in enumerate(self.measures)}

    def play(self, learner: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> None:
        """Play one run: compiled if the learner and the problem are, otherwise through ask and tell."""
        contender = self.start(learner, ledger, rng, world_rng)
        if self.compiled and isinstance(learner, CompiledLearner):
            self.loop(contender)
            return
        for mark, until in enumerate(ledger.checkpoints):
            while ledger.played[0] < until:
                if ledger.halt[0]:
                    return
                self.round(contender)
            self.close(contender, mark)
            if self.done(ledger) == 1.0:
                return


def in_kernels(problem: object) -> bool:
    """Return whether kernels play the same as a problem's own methods.

    A class lists in `in_kernels` the methods that kernels replace. They cannot replace a method that a
    subclass overrides or that is set on the object.
    """
    kind = next((one for one in type(problem).__mro__ if "in_kernels" in vars(one)), None)
    if kind is None:
        return False
    names = vars(kind)["in_kernels"]
    own = getattr(problem, "__dict__", {})
    return all(getattr(type(problem), name) is getattr(kind, name) and name not in own for name in names)


def generators(seed: int, run: int) -> tuple[Generator, Generator]:
    """Return the two random streams of a run, the learner's and the world's."""
    rng, world_rng = SeedSequence(seed, spawn_key=(run,)).spawn(2)
    return default_rng(rng), default_rng(world_rng)


def measure(kept: KeptRuns[Any], name: str, numbers: Sequence[int], workers: int | None, show: Show) -> None:
    """Play the runs of these numbers in threads, and show their progress.

    Finished runs are kept even if others fail or are interrupted.
    """
    setting, learner = kept.setting, kept.learners[name]
    halt = np.zeros(1, np.bool_)
    ledgers = [setting.ledger(halt) for _ in numbers]
    compiled = COMPILATIONS.begun

    def play(index: int) -> None:
        try:
            setting.play(learner, ledgers[index], *generators(setting.seed, numbers[index]))
        except SystemExit as error:
            raise OutcomeError(f"{name} called sys.exit() instead of returning: {error!r}.") from error

    def look() -> None:
        share = sum(map(setting.done, ledgers)) / len(ledgers)
        # before the first round, a learner may be compiled
        show(name, share, setting.standing(ledgers) if share > 0.0 else COMPILATIONS.since(compiled))

    look()
    try:
        repeat(play, len(ledgers), workers, halt, look)
    finally:
        finished = [index for index, one in enumerate(ledgers) if setting.done(one) == 1.0]
        if finished:
            found = setting.result(learner, [ledgers[index] for index in finished])
            kept.add(name, [numbers[index] for index in finished], found)


def measure_all(
    setting: Setting[AnyRuns],
    learners: Mapping[str, Any],
    runs: int,
    workers: int | None,
    executor: Executor | None,
    show: Show,
    keep: str | os.PathLike[str] | None = None,
) -> dict[str, AnyRuns]:
    """Return every learner's runs, played by threads of this process or in slices by an executor.

    Finished runs are written to the file `keep`, even if the work is interrupted or workers are lost, and
    reused from it.
    """
    if executor is not None and workers is not None:
        raise ParameterError(
            f"workers is for threads of this process; got {workers} together with an executor, which has its "
            "own number of workers. Omit one of them."
        )
    kept = KeptRuns[AnyRuns](setting, learners, keep)
    missing = {name: numbers for name in learners if (numbers := kept.missing(name, runs))}
    try:
        if executor is None:
            for name, numbers in missing.items():
                measure(kept, name, numbers, workers, show)
        else:
            measure_elsewhere(kept, missing, executor, show)
        # saving the results may be interrupted too; if the disk is full, they are still returned
        with suppress(OSError):
            kept.write()
    except (KeyboardInterrupt, WorkersError):
        kept.write()
        raise
    return {name: kept.first(name, runs) for name in learners}


def measure_elsewhere(
    kept: KeptRuns[Any], missing: Mapping[str, Sequence[int]], executor: Executor, show: Show
) -> None:
    """Let an executor play the missing runs, in slices."""
    most = SLICES * executor.size if missing else 0
    slices = {name: cut(numbers, most) for name, numbers in missing.items()}
    tasks = [(name, part) for name, parts in slices.items() for part in parts]
    done = dict.fromkeys(missing, 0)
    for name in missing:
        show(name, 0.0)
    job = partial(measure_slice, kept.setting, kept.learners)
    for index, made in executor.as_completed(job, tasks):
        name, numbers = tasks[index]
        kept.add(name, numbers, made)
        done[name] += 1
        show(name, done[name] / len(slices[name]))


def measure_slice(
    setting: Setting[AnyRuns], learners: Mapping[str, Any], task: tuple[str, Sequence[int]]
) -> AnyRuns:
    """Return some of a learner's runs, played in one thread."""
    name, numbers = task
    made = KeptRuns[AnyRuns](setting, learners)
    measure(made, name, numbers, 1, silence)
    return made.runs[name]


def cut(numbers: Sequence[int], most: int) -> list[Sequence[int]]:
    """Cut runs' numbers into at most `most` consecutive slices of about the same length."""
    parts = min(len(numbers), most)
    ends = [len(numbers) * part // parts for part in range(parts + 1)]
    return [numbers[first:end] for first, end in pairwise(ends)]
