"""All learners' runs: played by the threads of this process, or cut into slices for an executor."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

from duelist.errors import ParameterError
from duelist.parallel import Executor, Show, silence
from duelist.simulation.result import AnyRuns

Measure: TypeAlias = Callable[[str, Any, range, int | None, Show], AnyRuns]
"""Plays the runs of these numbers of the learner of this name, by so many threads, and shows it."""

SLICES = 4
"""For each worker, of each learner's runs: enough that workers end at about the same time."""


def measure_all(
    measure: Measure[AnyRuns],
    learners: Mapping[str, Any],
    runs: int,
    workers: int | None,
    executor: Executor | None,
    show: Show,
) -> dict[str, AnyRuns]:
    """Return every learner's runs."""
    if executor is None:
        numbers = range(runs)
        return {name: measure(name, learner, numbers, workers, show) for name, learner in learners.items()}
    if workers is not None:
        raise ParameterError(
            "workers are threads of this process; an executor has its own number of workers."
        )
    slices = cut(runs, SLICES * executor.size)
    tasks = [(name, numbers) for name in learners for numbers in slices]
    made = {name: dict[range, AnyRuns]() for name in learners}
    for name in learners:
        show(name, 0.0)
    for place, part in executor.as_completed(partial(measure_slice, measure, learners), tasks):
        name, numbers = tasks[place]
        made[name][numbers] = part
        show(name, len(made[name]) / len(slices))
    return {name: joined([parts[numbers] for numbers in slices]) for name, parts in made.items()}


def measure_slice(measure: Measure[AnyRuns], learners: Mapping[str, Any], task: tuple[str, range]) -> AnyRuns:
    """Play some of a learner's runs, in one thread."""
    name, runs = task
    return measure(name, learners[name], runs, 1, silence)


def cut(runs: int, most: int) -> list[range]:
    """Return consecutive slices of the runs' numbers, of about the same length, at most so many.

    Examples
    --------
    >>> cut(7, 3)
    [range(0, 2), range(2, 4), range(4, 7)]
    """
    parts = min(runs, most)
    return [range(first, end) for first, end in pairwise(runs * part // parts for part in range(parts + 1))]


def joined(parts: list[AnyRuns]) -> AnyRuns:
    """Return the slices of a learner's runs as a whole."""
    first, *others = parts
    return first.followed_by(*others)
