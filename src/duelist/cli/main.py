"""The entry point: every command in one place, every expected failure in one line.

A command's module is imported when the command is called, and imports the library when it runs. So help
appears at once.
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
from duelist.cli.options import PlainCommand, explained, without_types
from duelist.cli.terminal import console, examples
from duelist.errors import DuelistError

USAGE_ERROR: Any = typer.BadParameter.__base__  # what options and arguments raise; typer does not export it
WRONG_PATH = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
WRONG_USE = 2  # exit status if a command cannot do what was asked for

# each command is a function of that name in a module of that name; the text is the first line of its help
GROUPS = {
    "Vote": {
        "arena": "Find the best prompt, model or design: people vote on a page, or a judge votes.",
        "optimize": "Tune a few parameters by saying which of two settings is better.",
    },
    "Analyse": {
        "analyze": "Rate the arms in recorded votes: leaderboard, intervals, and a verdict on the winner.",
        "replay": "Replay recorded votes with learners: how many votes each needs to be right and sure.",
        "fit": "Learn from logged, randomised duels which action to take in which context.",
    },
    "Search": {
        "interleave": "Interleave two rankings, or find out from clicks which one people prefer.",
        "rank": "Learn a ranker from simulated clicks, and measure it on held-out queries.",
    },
    "Experiment": {
        "demo": "Take a first look: replay example votes and compare learners, on one page.",
        "simulate": "Simulate learners on a problem, and measure their regret.",
        "reproduce": "Repeat published experiments, and check the papers' claims.",
        "learners": "List the learners: purpose, assumptions, guarantees and hyperparameters.",
        "problems": "List the simulated problems and their parameters.",
        "check": "Check that your own learner keeps the contract of all learners.",
        "warm": "Compile all learners now, instead of at their first use.",
    },
    "Operate": {
        "serve": "Serve studies over HTTP: ask for duels, tell their outcomes, read the results.",
        "db": "Manage a database of studies: create, upgrade, check, back up, export and import.",
        "keys": "Manage API keys, and rotate the ticket key.",
    },
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}
MODULES = dict.fromkeys(("problems", "check", "warm"), "learners")  # of commands that share one
SETTINGS: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "markdown",
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


class Group(TyperGroup):
    """A command with subcommands, whose flags show no type."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters without the types of flags."""
        return without_types(super().get_params(ctx))


class Commands(Group):
    """Commands that are imported when called, and that fail with one line instead of a traceback."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the command, the command, imported only now, and its arguments."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else load(name), rest

    def make_context(self, info_name: str | None, args: list[str], *given: Any, **options: Any) -> Any:
        """Parse the options before the command; typer, which imports much for it, ends silently on Ctrl-C."""
        shows_help = not args  # which parsing empties
        try:
            return super().make_context(info_name, args, *given, **options)
        except KeyboardInterrupt as error:
            raise stopped() from error
        except USAGE_ERROR as error:
            if shows_help:
                raise
            raise misused(error) from error

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except DuelistError as error:
            raise failure(str(error)) from error
        except USAGE_ERROR as error:
            raise misused(error, f"{ctx.command_path} {ctx.invoked_subcommand}") from error
        except MemoryError as error:
            raise failure(f"not enough memory; ask for less. {error}".strip()) from error
        except BrokenPipeError:
            # the reader closed the pipe, which ends a program silently
            raise
        except OSError as error:
            remedy = "; give another path" if isinstance(error, WRONG_PATH) else ""
            message = f"{error.filename}: {error.strerror}" if error.filename else f"{error}"
            raise failure(f"{message}{remedy}.") from error
        except KeyboardInterrupt as error:
            raise stopped() from error


def load(name: str) -> Any:
    """Import and return a command."""
    module = import_module(f"duelist.cli.{MODULES.get(name, name)}")
    alone = typer.Typer(name=name, add_completion=False, **SETTINGS)
    parts: dict[str, Any] = getattr(module, "PARTS", {})  # its subcommands
    lines: tuple[str, ...] = module.EXAMPLES
    if parts:
        alone.callback(cls=Group, invoke_without_command=True, epilog=examples(lines))(getattr(module, name))
    else:
        parts = {name: getattr(module, name)}
    for part, function in parts.items():
        own = examples([line for line in lines if belongs(line, name, part)])
        alone.command(part, cls=PlainCommand, epilog=own)(function)
    return typer.main.get_command(alone)


def belongs(line: str, name: str, part: str) -> bool:
    """Return whether an example runs a command or its subcommand, or prepares files for it."""
    words = line.split()
    return words[0] != "duelist" or (words[1] == name and part in (name, *words[2:3]))


def failure(message: str) -> typer.Exit:
    """Print what went wrong, and return the exit that ends the program."""
    console(stderr=True).print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    return typer.Exit(WRONG_USE)


def misused(error: Any, command: str = "duelist") -> typer.Exit:
    """Print what is wrong with an option or an argument, and return the exit that ends the program."""
    where = error.ctx.command_path if error.ctx else command  # an option without its value has no context
    return failure(f"{explained(error)} Help: {where} --help")


def stopped() -> typer.Exit:
    """Print that the program was stopped, and return the exit that ends it."""
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
        (
            "duelist demo   # a first look, on one page",
            "duelist arena --example   # vote in a browser",
            "duelist analyze votes.csv   # who wins in recorded votes",
            "duelist COMMAND --help   # options and examples of a command",
        )
    ),
    **SETTINGS,
)


@app.callback()
def duelist(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Learn from duels: show two options, ask which is better, find the best with few votes.

    A **learner** chooses the two arms of the next duel; a **problem** simulates who wins it.
    """


for _group, _commands in GROUPS.items():
    for _name, _help in _commands.items():
        # stands for the command in the list of commands, until `load` has imported it
        app.command(_name, help=_help, rich_help_panel=_group)(lambda: None)


def main() -> None:
    """Run the command line; characters that the terminal lacks are printed as their code points."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()
