"""How options are declared, and those that several commands have."""

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from duelist.parallel import Executor


def option(written: str, help: str, default: str | bool = True, panel: str | None = None) -> Any:
    """Return an option by how it is written, such as `--runs -n N`; its default may be put in words."""
    names = [word for word in written.split() if word.startswith("-")]
    metavar = " ".join(written.split()[len(names) :]) or None
    return typer.Option(*names, metavar=metavar, help=help, show_default=default, rich_help_panel=panel)


FormatName: TypeAlias = Literal["text", "json"]
Format: TypeAlias = Annotated[FormatName, option("--format", "For people, or for programs.")]
Seed: TypeAlias = Annotated[int, option("--seed N", "Equal seeds give equal results.")]
RAY = "--ray"
RAY_HELP = (
    "Spread the work with Ray: over this machine, or over the cluster at an address such as ray-head:6379; "
    "auto finds the cluster that this machine is part of. Results stay the same."
)
Ray: TypeAlias = Annotated[str | None, option(f"{RAY} [ADDRESS]", RAY_HELP, "this machine, without Ray")]


class RayCommand(TyperCommand):
    """A command that may have the option `--ray`; typer has no options whose value may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line, with an address after every `--ray` that has none."""
        if RAY not in args:
            return super().parse_args(ctx, args)
        from duelist.parallel.ray_executor import ADDRESS, LOCAL

        complete = list[str]()
        for argument, following in zip_longest(args, args[1:], fillvalue=""):
            complete.append(argument)
            if argument == RAY and not re.fullmatch(ADDRESS, following):
                complete.append(LOCAL)
        return super().parse_args(ctx, complete)


def executor_for(ray: str | None, workers: int | None) -> "Executor | None":
    """Return an executor on Ray with at most that many workers, if Ray was asked for."""
    from duelist.parallel import RayExecutor

    return None if ray is None else RayExecutor(ray, workers)
