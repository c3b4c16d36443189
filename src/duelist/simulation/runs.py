"""Runs of one learner after the other, in any setting, each with luck of its own."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Generic

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from duelist.duel import BoolArray, Duel, IntArray
from duelist.errors import OutcomeError, ParameterError, WorkersError
from duelist.kernels.live import COMPILATIONS
from duelist.kernels.loop import CompiledLearner, Ledger, Run
from duelist.parallel import Executor, Show, repeat, silence
from duelist.simulation.kept import KeptRuns
from duelist.simulation.result import AnyRuns

SLICES = 4  # for each worker, of each learner's runs: enough that workers end at about the same time


@dataclass
class Player:
    """A learner in one run: its state, what is written down, its luck and the world's."""

    learner: Any
    state: Any
    ledger: Ledger
    rng: Generator
    world_rng: Generator
    world: Any = None  # of this run alone, where the world keeps a record of its own

    def play_duel(self, problem: Any, menu: Any) -> Duel:
        """Play one duel through the learner's ask and tell, and return it."""
        name, duel = type(self.learner).__name__, self.learner.ask(self.state, menu, self.rng)
        if not isinstance(duel, Duel):
            raise OutcomeError(f"{name}.ask() must return a Duel; it returned {duel!r:.80}.")
        told = self.learner.tell(self.state, duel, problem.play(duel, self.world_rng))
        if told is None and self.state is not None:
            raise OutcomeError(f"{name}.tell() must return the new state; it returned None.")
        self.state = told
        return duel

    def run_in(self, world: Any, menu: Any, duel: Any, stepwise: bool = True) -> Run:
        """Return what the compiled loop needs."""
        return Run(world, self.ledger, menu, duel, self.rng, self.world_rng, stepwise)


class Setting(ABC, Generic[AnyRuns]):
    """What learners are played on, and what is measured: a step, a ledger and a result of its own."""

    kind: type[AnyRuns]
    problem: Any
    marks: IntArray
    seed: int

    @abstractmethod
    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run."""

    def start(self, learner: Any, rng: Generator, world_rng: Generator) -> Any:
        """Return a learner's state before the first round."""
        return learner.init(self.problem.menu(world_rng), rng)

    def open_world(self) -> Any:
        """Return a world for one run, where the world keeps a record of its own."""

    @abstractmethod
    def run(self, player: Player) -> Run | None:
        """Return what the compiled loop needs; None where the world is not compiled."""

    def loop(self, learner: CompiledLearner) -> Callable[[Any, Any, Run], None]:
        """Return the compiled loop over rounds with a learner's kernels."""
        return learner.kernels.play

    @abstractmethod
    def round(self, player: Player) -> None:
        """Play one round through the learner's ask and tell, and write it down."""

    @abstractmethod
    def close(self, player: Player, mark: int) -> None:
        """Write down where a run through ask and tell stands at a checkpoint."""

    @abstractmethod
    def ends(self, ledgers: Sequence[Ledger]) -> dict[str, Any]:
        """Return what a result has besides its measures."""

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> AnyRuns:
        """Return what was written down."""
        measured = {name: stacked(ledgers, row) for row, name in enumerate(self.kind.measures)}
        return self.kind(repr(learner), self.marks, **measured, **self.ends(ledgers))

    def done(self, ledger: Ledger) -> float:
        """Return the share of a run that has been played; 1 once it is finished."""
        return int(ledger.played[0]) / int(ledger.checkpoints[-1])

    def standing(self, ledgers: Sequence[Ledger]) -> str:
        """Return in a few words how unfinished runs stand."""
        return ""

    def explain(self, run: Run) -> None:
        """Say why a compiled run ended early."""

    def play(self, learner: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> None:
        """Play one run: compiled where learner and world are, through ask and tell where not."""
        state = self.start(learner, rng, world_rng)
        player = Player(learner, state, ledger, rng, world_rng, self.open_world())
        run = self.run(player) if isinstance(learner, CompiledLearner) else None
        if run is not None:
            self.loop(learner)(learner.rules_for(state), state, run)
            if self.done(ledger) < 1.0 and not ledger.halt[0]:
                self.explain(run)
            return
        for mark, until in enumerate(ledger.checkpoints):
            while ledger.played[0] < until:
                if ledger.halt[0]:
                    return
                self.round(player)
            self.close(player, mark)
            if self.done(ledger) == 1.0:
                return


def luck(seed: int, index: int) -> tuple[Generator, Generator]:
    """Return a run's two generators, the learner's and the world's."""
    rng, world_rng = SeedSequence(seed, spawn_key=(index,)).spawn(2)
    return default_rng(rng), default_rng(world_rng)


def measure(kept: KeptRuns[Any], name: str, numbers: Sequence[int], workers: int | None, show: Show) -> None:
    """Play runs of these numbers, in as many threads as there are workers, and show how far they are.

    Finished runs are kept also where others fail or are interrupted.
    """
    setting, learner = kept.setting, kept.learners[name]
    halt = np.zeros(1, np.bool_)
    ledgers = [setting.ledger(halt) for _ in numbers]
    compiled = COMPILATIONS.begun

    def play(index: int) -> None:
        try:
            setting.play(learner, ledgers[index], *luck(setting.seed, numbers[index]))
        except SystemExit as error:
            raise OutcomeError(f"{name} ended the program instead of answering: {error!r}.") from error

    def look() -> None:
        share = sum(map(setting.done, ledgers)) / len(ledgers)
        # a learner is compiled on its first use on a machine, before the first round
        show(name, share, setting.standing(ledgers) if share > 0.0 else COMPILATIONS.since(compiled))

    look()
    try:
        repeat(play, len(ledgers), workers, halt, look)
    finally:
        finished = [place for place, one in enumerate(ledgers) if setting.done(one) == 1.0]
        if finished:
            found = setting.result(learner, [ledgers[place] for place in finished])
            kept.add(name, [numbers[place] for place in finished], found)


def measure_all(
    setting: Setting[AnyRuns],
    learners: Mapping[str, Any],
    runs: int,
    workers: int | None,
    executor: Executor | None,
    show: Show,
    keep: str | os.PathLike[str] | None = None,
) -> dict[str, AnyRuns]:
    """Return every learner's runs: by the threads of this process, or cut into slices for an executor.

    What is finished, also when the work is interrupted or workers are lost, is written to the file `keep`,
    and taken up from it.
    """
    if executor is not None and workers is not None:
        raise ParameterError(
            "workers are threads of this process; an executor has its own number of workers."
        )
    kept = KeptRuns[AnyRuns](setting, learners, keep)
    missing = {name: numbers for name in learners if (numbers := kept.missing(name, runs))}
    try:
        if executor is None:
            for name, numbers in missing.items():
                measure(kept, name, numbers, workers, show)
        else:
            measure_elsewhere(kept, missing, executor, show)
        # who writes the results may be interrupted too; where there is no room, they are still returned
        with suppress(OSError):
            kept.write()
    except (KeyboardInterrupt, WorkersError):
        kept.write()
        raise
    return {name: kept.first(name, runs) for name in learners}


def measure_elsewhere(
    kept: KeptRuns[Any], missing: Mapping[str, Sequence[int]], executor: Executor, show: Show
) -> None:
    """Let an executor play the runs that are missing, in slices of their numbers."""
    most = SLICES * executor.size if missing else 0
    slices = {name: cut(numbers, most) for name, numbers in missing.items()}
    tasks = [(name, part) for name, parts in slices.items() for part in parts]
    done = dict.fromkeys(missing, 0)
    for name in missing:
        show(name, 0.0)
    job = partial(measure_slice, kept.setting, kept.learners)
    for place, made in executor.as_completed(job, tasks):
        name, numbers = tasks[place]
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
    """Return consecutive slices of runs' numbers, of about the same length, at most `most` of them."""
    parts = min(len(numbers), most)
    ends = [len(numbers) * part // parts for part in range(parts + 1)]
    return [numbers[first:end] for first, end in pairwise(ends)]


def stacked(ledgers: Sequence[Ledger], measure: int) -> Any:
    """Return one measure of all runs: a row for each run, a column for each checkpoint."""
    return np.stack([ledger.measures[measure] for ledger in ledgers])
