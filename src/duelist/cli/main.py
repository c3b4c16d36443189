"""The entry point: every command in one place, every expected failure one clear line."""

from typing import Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperGroup

from duelist import __version__
from duelist.cli.analyze import EXAMPLES as ANALYZE_EXAMPLES
from duelist.cli.analyze import analyze
from duelist.cli.catalogue import learners, problems
from duelist.cli.executors import RayCommand
from duelist.cli.fit import EXAMPLES as FIT_EXAMPLES
from duelist.cli.fit import fit
from duelist.cli.interleave import EXAMPLES as INTERLEAVE_EXAMPLES
from duelist.cli.interleave import interleave
from duelist.cli.optimize import EXAMPLES as OPTIMIZE_EXAMPLES
from duelist.cli.optimize import optimize
from duelist.cli.rank import EXAMPLES as RANK_EXAMPLES
from duelist.cli.rank import rank
from duelist.cli.reproduce import EXAMPLES as REPRODUCE_EXAMPLES
from duelist.cli.reproduce import reproduce
from duelist.cli.simulate import EXAMPLES as SIMULATE_EXAMPLES
from duelist.cli.simulate import simulate
from duelist.cli.terminal import console, examples
from duelist.cli.warm import EXAMPLES as WARM_EXAMPLES
from duelist.cli.warm import warm
from duelist.errors import DuelistError

WRONG_USE, STOPPED = 2, 130
"""Exit codes, as shells know them: what was asked for cannot be done, and Ctrl-C."""


class Commands(TyperGroup):
    """Ends a command that fails as expected with one line on standard error, not with a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except DuelistError as error:
            raise failure(str(error)) from error
        except BrokenPipeError:
            # the reader went away, which ends a program silently
            raise
        except OSError as error:
            raise failure(
                f"{error.filename}: {error.strerror}." if error.filename else f"{error}."
            ) from error
        except KeyboardInterrupt as error:
            console(stderr=True).print("stopped")
            raise typer.Exit(STOPPED) from error


def failure(message: str) -> typer.Exit:
    """Print what went wrong, and return the way out."""
    console(stderr=True).print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    return typer.Exit(WRONG_USE)


app = typer.Typer(
    name="duelist",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "duelist simulate",
        "duelist analyze votes.csv",
        "duelist optimize knobs.toml",
        "duelist rank train.txt --held-out test.txt",
        "duelist interleave bm25.txt dense.txt",
        "duelist fit duels.csv --save policy.json",
        "duelist reproduce yue2012/figure1",
        "duelist simulate --help",
    ),
)
app.command(epilog=SIMULATE_EXAMPLES, cls=RayCommand)(simulate)
app.command(epilog=ANALYZE_EXAMPLES)(analyze)
app.command(epilog=OPTIMIZE_EXAMPLES)(optimize)
app.command(epilog=RANK_EXAMPLES)(rank)
app.command(epilog=INTERLEAVE_EXAMPLES)(interleave)
app.command(epilog=FIT_EXAMPLES)(fit)
app.command(epilog=REPRODUCE_EXAMPLES, cls=RayCommand)(reproduce)
app.command()(learners)
app.command()(problems)
app.command(epilog=WARM_EXAMPLES)(warm)


def print_version(wanted: bool) -> None:
    """Print the version and stop, if that was asked for."""
    if wanted:
        typer.echo(f"duelist {__version__}")
        raise typer.Exit


@app.callback()
def duelist(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Learn from duels: show two options, see which is preferred, find the best.

    A **learner** chooses which two arms meet next; a **problem** says who wins. Simulate learners
    on problems whose truth is known, analyze comparisons you have recorded, turn knobs by comparing two
    settings at a time, learn a ranker from clicks, interleave two rankings, fit policies to logged
    duels, or reproduce published experiments.
    """


def main() -> None:
    """Run the command line."""
    app()
