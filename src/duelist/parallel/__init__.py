"""Long work spread over cores and machines, with a progress bar, until done or interrupted."""

from duelist.parallel.crews import Crew, Processes
from duelist.parallel.ray_crew import RayCrew
from duelist.parallel.threads import Show, progress_bar, repeat, silence

__all__ = ["Crew", "Processes", "RayCrew", "Show", "progress_bar", "repeat", "silence"]
