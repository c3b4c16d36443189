"""How commands take options, and how things look on a terminal: one console, one kind of table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand

if TYPE_CHECKING:
    from duelist.parallel import Executor


def option(
    written: str, help: str, default: str | bool = True, panel: str | None = None, variable: str | None = None
) -> Any:
    """Return an option, such as `--runs -n N`; its default may be words, or an environment variable."""
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


EVERY_CORE = "one for each core"
LEARNER_HELP = (
    "A learner such as RUCB or RUCB:alpha=0.6 (see `duelist learners`), or your own: ./mine.py:Mine, "
    "module:Mine:width=2. Repeat the option for more."
)
PLACE = "A file for SQLite, or postgresql://user@host/name."
DatabasePlace: TypeAlias = Annotated[str, option("--database PATH|URL", PLACE, variable="DUELIST_DATABASE")]
FormatName: TypeAlias = Literal["text", "json"]
Format: TypeAlias = Annotated[FormatName, option("--format", "For people, or for programs.")]
Seed: TypeAlias = Annotated[int, option("--seed N", "Equal seeds give equal results.")]
Runs: TypeAlias = Annotated[
    int, option("--runs -n N", "Independent repetitions; in each, all learners meet the same luck.")
]
Workers: TypeAlias = Annotated[int | None, option("--workers N", "Threads to use.", EVERY_CORE)]
FirstColumn: TypeAlias = Annotated[
    str | None, option("--a COLUMN", "Where a table of comparisons has one of the arms.", "such as model_a")
]
SecondColumn: TypeAlias = Annotated[
    str | None, option("--b COLUMN", "Where it has the other arm.", "such as model_b")
]
WinnerColumn: TypeAlias = Annotated[
    str | None, option("--winner COLUMN", "Where it has the winner: a name, a column or tie.", "winner")
]
KEPT = "unfinished.npz"  # the file of runs that were finished when a command was stopped
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


@contextmanager
def going_on(out: Path | None, files: Sequence[str]) -> Iterator[Path | None]:
    """Yield the file in which finished runs are kept if the block, which writes files, is stopped."""
    if out is None:
        yield None
        return
    kept = out / KEPT
    taken_up = kept.exists()
    try:
        yield kept
    except KeyboardInterrupt:
        if kept.exists():
            say(f"note: finished runs are kept in {kept}; the same command goes on.", stderr=True)
        raise
    if taken_up:
        say(f"note: the finished runs in {kept} were taken up.", stderr=True)
    kept.unlink(missing_ok=True)
    console().print(Text(f"Written to {out}: {', '.join(files)}."))


def console(stderr: bool = False) -> Console:
    """Return the console to print on; colours only what it is told to."""
    return Console(stderr=stderr, highlight=False)


def say(text: object, style: str = "", stderr: bool = False) -> None:
    """Print a text as it is, without markup; the terminal, not we, breaks its lines."""
    console(stderr).print(Text(str(text), style), soft_wrap=True)


def table(*headings: str, numbers: Sequence[str] = ()) -> Table:
    """Return an empty table; the first column is never broken, and columns of numbers are set right."""
    drawn = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold", padding=(0, 1, 0, 0)
    )
    for place, heading in enumerate(headings):
        if heading in numbers:
            drawn.add_column(heading.replace(" ", "\n"), justify="right", no_wrap=True)
        else:
            drawn.add_column(heading, no_wrap=place == 0, overflow="fold")
    return drawn


def heading(text: str) -> Text:
    """Return a line that begins a part of the output."""
    return Text(text, style="bold cyan")


def glossary(entries: Mapping[str, str]) -> Table:
    """Return terms beside what there is to say about each."""
    drawn = Table.grid(padding=(0, 2, 0, 0))
    drawn.add_column(no_wrap=True)
    drawn.add_column(overflow="fold")
    for term, text in entries.items():
        drawn.add_row(Text(term), Text(text))
    return drawn


def examples(*commands: str) -> str:
    """Return commands as the end of a help text, which is Markdown."""
    return "\n".join(["**Examples**", "", *(f"- `{command}`" for command in commands)])
