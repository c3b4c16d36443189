"""An executor without other processes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from duelist.parallel.executors import Made, Task, pack, perform, unpack


@dataclass
class Backwards:
    """An executor of one, in this process, that does the last task first; it remembers its tasks.

    Jobs, tasks and what is made travel as they would to another process.
    """

    size: int = 1
    tasks: list[Any] = field(default_factory=list)

    def as_completed(self, job: Callable[[Task], Made], tasks: Sequence[Task]) -> Iterator[tuple[int, Made]]:
        self.tasks += tasks
        for place in reversed(range(len(tasks))):
            yield place, unpack(perform(pack(job), pack(tasks[place])))
