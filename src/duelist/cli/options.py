"""Options of commands, written once."""

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from duelist.parallel import Executor


def option(
    written: str,
    help: str,
    default: str | bool = True,
    panel: str | None = None,
    variable: str | None = None,
) -> Any:
    """Return an option by how it is written, such as `--runs -n N`; its default may be put in words.

    Where it is not given, it may be in an environment variable.
    """
    names = [word for word in written.split() if word.startswith("-")]
    metavar = " ".join(written.split()[len(names) :]) or None
    return typer.Option(
        *names, metavar=metavar, help=help, show_default=default, rich_help_panel=panel, envvar=variable
    )


def output(written: str, help: str, panel: str | None = None) -> Any:
    """Return an option for a path to write to; nothing is written by default."""
    return option(written, help, "nothing is written", panel)


def results(files: str, panel: str | None = None) -> Any:
    """Return the option for a folder of results, which also keeps the runs finished before Ctrl-C."""
    kept = "After Ctrl-C, finished runs are kept there and the same command goes on."
    return output("--out -o FOLDER", f"Where to write {files}. {kept}", panel)


def learners(default: str) -> Any:
    """Return the option for learners over arms; `default` says which are played without it."""
    return option(
        "--learner -l SPEC",
        "A learner such as RUCB or RUCB:alpha=0.6 (they are listed by `duelist learners`), or your own, "
        "./mine.py:Mine or module:Mine:width=2. Repeat the option for more.",
        default,
    )


EVERY_CORE = "one for each core"
DatabasePlace: TypeAlias = Annotated[
    str,
    option(
        "--database PATH|URL",
        "A file for SQLite, or postgresql://user@host/name.",
        variable="DUELIST_DATABASE",
    ),
]
FormatName: TypeAlias = Literal["text", "json"]
Format: TypeAlias = Annotated[FormatName, option("--format", "For people, or for programs.")]
Seed: TypeAlias = Annotated[int, option("--seed N", "Equal seeds give equal results.")]
Runs: TypeAlias = Annotated[
    int, option("--runs -n N", "Independent repetitions; in each, all learners meet the same luck.")
]
Workers: TypeAlias = Annotated[int | None, option("--workers N", "Threads to use.", EVERY_CORE)]
FirstColumn: TypeAlias = Annotated[
    str | None,
    option("--a COLUMN", "Where a table of comparisons has one of the two arms.", "such as model_a"),
]
SecondColumn: TypeAlias = Annotated[
    str | None, option("--b COLUMN", "Where it has the other arm.", "such as model_b")
]
WinnerColumn: TypeAlias = Annotated[
    str | None, option("--winner COLUMN", "Where it has the winner: a name, a column or tie.", "winner")
]
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
