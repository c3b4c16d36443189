"""`duelist warm`: compile ahead of time."""

from rich.text import Text

from duelist.cli.terminal import console, examples
from duelist.errors import FileError

EXAMPLES = examples("duelist warm")


def warm() -> None:
    """Compile all learners now, so that nothing has to be compiled when it is first used."""
    from duelist.checks.stages import warm as warm_learner
    from duelist.kernels.cache import kept_kernels, kernel_folder
    from duelist.parallel import Processes, progress_bar
    from duelist.registry import LEARNERS

    folder = kernel_folder()
    if folder is None:
        raise FileError("there is no folder to keep kernels in; set NUMBA_CACHE_DIR to one.")
    before = kept_kernels(folder)
    with progress_bar(None) as show:
        for done, _ in enumerate(Processes().as_completed(warm_learner, list(LEARNERS)), 1):
            show("compiling", done / len(LEARNERS), f"{done} of {len(LEARNERS)} learners")
    made = kept_kernels(folder) - before
    line = f"{made} kernels compiled, {before} were ready." if made else f"All {before} kernels are ready."
    console().print(Text(f"{line}\nKept in {folder}"), soft_wrap=True)
