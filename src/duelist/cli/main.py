"""The entry point: every command in one place, every expected failure one clear line.

A command's module is imported when the command is called, and imports the library when it runs, so that help
texts appear at once.
"""

import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperGroup

from duelist import __version__
from duelist.__main__ import STOPPED
from duelist.cli.options import RayCommand
from duelist.cli.terminal import console, examples
from duelist.errors import DuelistError

USAGE_ERROR: Any = typer.BadParameter.__base__  # what options and arguments raise; typer does not export it
WRONG_USE = 2  # exit code: what was asked for cannot be done

COMMANDS = {  # each is a function of that name in a module of that name; the text is its help's first line
    "demo": "Take a first look: votes saved on a small example, and learners compared, on one page.",
    "simulate": "Play learners on a problem and measure their regret.",
    "replay": "Play recorded votes with learners: how many they need to be right, and to be sure.",
    "analyze": "Rate the arms of a file of votes: a leaderboard with intervals, who wins, and how surely.",
    "optimize": "Find the best setting of a few parameters by telling which of two is better.",
    "rank": "Learn a ranker from simulated clicks, and measure it on queries held out.",
    "interleave": "Interleave two rankings, or tell from clicks which one is preferred.",
    "fit": "Learn from logged, randomised duels what to do in which context.",
    "arena": "Find the best of several prompts, models or designs: people vote on a page, or judges do.",
    "db": "Set up and look after a database of studies: upgrade, check, back up, export and import.",
    "keys": "Make and revoke the keys of the API, and change the key of tickets.",
    "serve": "Serve studies over HTTP: ask for duels, tell what was preferred, read who wins.",
    "reproduce": "Play published experiments again, and judge the papers' claims.",
    "warm": "Compile all learners now, so that nothing has to be compiled when it is first used.",
    "check": "Check that a learner of your own keeps the contract that all learners keep.",
    "learners": "List the learners: what they do, what they assume and promise, and their hyperparameters.",
    "problems": "List the problems: who beats whom in them, and their parameters.",
}
MODULES = dict.fromkeys(("problems", "check", "warm"), "learners")  # of commands that share one
SETTINGS: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "markdown",
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


class Commands(TyperGroup):
    """Commands that are imported when called, and that fail with one line instead of a traceback."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that was asked for, imported, and the arguments that are left for it."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else load(name), rest

    def make_context(self, info_name: str | None, args: list[str], *given: Any, **options: Any) -> Any:
        """Read the options before the command; typer, which imports much for it, ends silently on Ctrl-C."""
        shows_help = not args  # which are taken out of the list as they are read
        try:
            return super().make_context(info_name, args, *given, **options)
        except KeyboardInterrupt as error:
            raise stopped() from error
        except USAGE_ERROR as error:
            if shows_help:
                raise
            raise misused(error) from error

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except DuelistError as error:
            raise failure(str(error)) from error
        except USAGE_ERROR as error:
            raise misused(error) from error
        except MemoryError as error:
            raise failure(f"there is not enough memory for this; ask for less. {error}".strip()) from error
        except BrokenPipeError:
            # the reader went away, which ends a program silently
            raise
        except OSError as error:
            raise failure(
                f"{error.filename}: {error.strerror}." if error.filename else f"{error}."
            ) from error
        except KeyboardInterrupt as error:
            raise stopped() from error


def load(name: str) -> Any:
    """Return a command, whose module is imported only now."""
    module = import_module(f"duelist.cli.{MODULES.get(name, name)}")
    alone = typer.Typer(name=name, add_completion=False, **SETTINGS)
    parts: dict[str, Any] = getattr(module, "PARTS", {})  # commands of the command
    if parts:
        alone.callback(invoke_without_command=True, epilog=module.EXAMPLES)(getattr(module, name))
        for part, function in parts.items():
            alone.command(part)(function)
    else:
        alone.command(name, cls=RayCommand, epilog=getattr(module, "EXAMPLES", None))(getattr(module, name))
    command: Any = typer.main.get_command(alone)
    for one in (command, *getattr(command, "commands", {}).values()):
        for parameter in one.params:
            if parameter.param_type_name == "argument" or parameter.is_flag:
                # its name says what it is, where typer would add <list[Path]> or <bool>
                parameter.display_type_rich = lambda ctx: None
    return command


def failure(message: str) -> typer.Exit:
    """Print what went wrong, and return the exit that ends the program."""
    console(stderr=True).print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    return typer.Exit(WRONG_USE)


def misused(error: Any) -> typer.Exit:
    """Print what is wrong with an option or an argument, and return the exit that ends the program."""
    where = error.ctx.command_path if error.ctx else "duelist"
    return failure(f"{error.format_message()} Help: {where} --help")


def stopped() -> typer.Exit:
    """Say that the program was stopped, and return the exit that ends it."""
    console(stderr=True).print("stopped")
    return typer.Exit(STOPPED)


def print_version(wanted: bool) -> None:
    """Print the version and stop, if that was asked for."""
    if wanted:
        typer.echo(f"duelist {__version__}")
        raise typer.Exit


app = typer.Typer(
    name="duelist",
    cls=Commands,
    no_args_is_help=True,
    epilog=examples(
        "duelist demo",
        "duelist simulate",
        "duelist replay votes.csv",
        "duelist analyze votes.csv",
        "duelist optimize parameters.toml",
        "duelist rank train.txt --held-out test.txt",
        "duelist interleave bm25.txt dense.txt",
        "duelist fit duels.csv --save policy.json",
        "duelist reproduce yue2012/figure1",
        "duelist db check --database studies.db",
        "duelist simulate --help",
    ),
    **SETTINGS,
)


@app.callback()
def duelist(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Learn from duels: show two options, see which is preferred, find the best.

    A **learner** chooses which two arms meet next; a **problem** says who wins. Simulate learners
    on problems whose truth is known, replay and analyze votes you have recorded, tune parameters by
    comparing two settings at a time, learn a ranker from clicks, interleave two rankings, fit policies to
    logged duels, or reproduce published experiments.
    """


for _name, _help in COMMANDS.items():
    # stands for the command in the list of commands, until `load` has imported it
    app.command(_name, help=_help)(lambda: None)


def main() -> None:
    """Run the command line; what the terminal has no letters for is printed as their numbers."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()
