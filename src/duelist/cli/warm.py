"""`duelist warm`: compile ahead of time."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from rich.text import Text

from duelist.cli.terminal import console, examples
from duelist.errors import FileError

EXAMPLES = examples("duelist warm")


def warm() -> None:
    """Compile all learners now, so that nothing has to be compiled when it is first used."""
    from duelist.kernels.cache import kept_kernels, kernel_folder
    from duelist.registry import LEARNERS

    folder = kernel_folder()
    if folder is None:
        raise FileError("there is no folder to keep kernels in; set NUMBA_CACHE_DIR to one.")
    before = kept_kernels(folder)
    compile_side_by_side(list(LEARNERS))
    made = kept_kernels(folder) - before
    line = f"{made} kernels compiled, {before} were ready." if made else f"All {before} kernels are ready."
    console().print(Text(f"{line}\nKept in {folder}"), soft_wrap=True)


def compile_missing(learners: Iterable[Any]) -> None:
    """Compile what simulations of these learners need and is not kept yet, if it is for several of them."""
    from duelist.kernels.cache import kernel_folder
    from duelist.registry import LEARNERS

    folder = kernel_folder()
    if folder is None:
        return
    # variants of a learner share kernels, of which one of them has the module
    ours = [one for one in learners if type(one).__name__ in LEARNERS and hasattr(one, "kernels")]
    known = {one.kernels.play.__module__: type(one).__name__ for one in ours}
    missing = [name for module, name in known.items() if not any(folder.glob(f"{module}.play-*.nbc"))]
    if len(missing) > 1:
        compile_side_by_side(missing, live=False)


def compile_side_by_side(names: Sequence[str], live: bool = True) -> None:
    """Compile learners in as many processes as there are cores."""
    from duelist.checks.stages import warm as warm_learner
    from duelist.parallel import Processes, progress_bar

    with progress_bar(None) as show:
        show("compiling", 0.0, f"0 of {len(names)} learners")
        done = Processes().as_completed(partial(warm_learner, live=live), names)
        for count, _ in enumerate(done, 1):
            show("compiling", count / len(names), f"{count} of {len(names)} learners")
