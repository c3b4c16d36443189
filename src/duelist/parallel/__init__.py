"""Long work spread over cores and machines, with a progress bar, until done or interrupted."""

from duelist.parallel.executors import Executor, Processes
from duelist.parallel.ray_executor import RayExecutor
from duelist.parallel.threads import Show, progress_bar, repeat, silence

__all__ = ["Executor", "Processes", "RayExecutor", "Show", "progress_bar", "repeat", "silence"]
