"""Parallel execution on cores and machines, with a progress bar, until the work is done or interrupted."""

from duelist.parallel.executors import Executor, Processes, Show, progress_bar, repeat, silence
from duelist.parallel.ray_executor import RayExecutor

__all__ = ["Executor", "Processes", "RayExecutor", "Show", "progress_bar", "repeat", "silence"]
