"""Where a command's work is done: the option `--ray`, whose value may be left out."""

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from duelist.parallel import Executor

OPTION = "--ray"

Ray: TypeAlias = Annotated[
    str | None,
    typer.Option(
        OPTION,
        metavar="[ADDRESS]",
        help="Spread the work with Ray: over this machine, or over the cluster at an address such as "
        "ray-head:6379; auto finds the cluster that this machine is part of. Results stay the same.",
        show_default="this machine, without Ray",
    ),
]


class RayCommand(TyperCommand):
    """A command that may have the option `--ray`; typer has no options whose value may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line, with the value that was left out."""
        return super().parse_args(ctx, with_address(args) if OPTION in args else args)


def with_address(args: list[str]) -> list[str]:
    """Return the arguments with an address after every `--ray` that has none.

    Examples
    --------
    >>> with_address(["--ray", "zoghi2014"]), with_address(["--ray", "head:6379"])
    (['--ray', 'local', 'zoghi2014'], ['--ray', 'head:6379'])
    >>> with_address([]), with_address(["--ray"])
    ([], ['--ray', 'local'])
    """
    from duelist.parallel.ray_executor import ADDRESS, LOCAL

    complete = list[str]()
    for argument, following in zip_longest(args, args[1:], fillvalue=""):
        complete.append(argument)
        if argument == OPTION and not re.fullmatch(ADDRESS, following):
            complete.append(LOCAL)
    return complete


def executor_for(ray: str | None, workers: int | None) -> "Executor | None":
    """Return an executor on Ray with at most that many workers, if Ray was asked for."""
    from duelist.parallel import RayExecutor

    return None if ray is None else RayExecutor(ray, workers)
