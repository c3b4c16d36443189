"""Options of commands, written once."""

import csv
import re
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

import typer
from typer.core import TyperCommand

from duelist.errors import ParameterError

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
Format: TypeAlias = Annotated[FormatName, option("--format", "Output format: text or JSON.")]
Seed: TypeAlias = Annotated[int, option("--seed N", "Equal seeds give equal results.")]
Runs: TypeAlias = Annotated[
    int, option("--runs -n N", "Independent repetitions; in each, all learners meet the same luck.")
]
Workers: TypeAlias = Annotated[int | None, option("--workers N", "Threads to use.", EVERY_CORE)]
READING = "Reading the file"
"""The panel of options that say how a file of votes is read."""
Columns: TypeAlias = Annotated[
    list[str] | None,
    option(
        "--columns ROLE=COLUMN,...",
        "Which column says what, such as left=home,right=away,outcome=result. Roles: left, right, outcome, "
        "winner, loser, ranking, voter, item, count, time, category, weight.",
        "found by their names",
        READING,
    ),
]
SkipBad: TypeAlias = Annotated[
    bool, option("--skip-bad", "Leave out rows that cannot be read.", panel=READING)
]
Encoding: TypeAlias = Annotated[
    str | None, option("--encoding NAME", "Encoding of a text, such as latin-1.", "UTF-8", READING)
]
Sheet: TypeAlias = Annotated[
    str | None, option("--sheet NAME", "Sheet of an Excel workbook.", "the first", READING)
]


class Reading(NamedTuple):
    """How a file of votes is to be read."""

    columns: dict[str, str]
    """The column of every role that was named."""
    skip_bad: bool
    encoding: str | None
    sheet: str | None

    @classmethod
    def of(
        cls, columns: list[str] | None, skip_bad: bool, encoding: str | None, sheet: str | None
    ) -> "Reading":
        """Return what the options say.

        Examples
        --------
        >>> Reading.of(["left=home,right=away", '"outcome=result, final"'], False, None, None).columns
        {'left': 'home', 'right': 'away', 'outcome': 'result, final'}
        """
        named: dict[str, str] = {}
        for part in chain.from_iterable(map(split_commas, columns or ())):
            role, equals, column = (piece.strip() for piece in part.partition("="))
            if not (role and equals and column):
                raise ParameterError(
                    f"--columns: {part!r} is not ROLE=COLUMN; write --columns "
                    "left=COLUMN,right=COLUMN,outcome=COLUMN."
                )
            role = role.casefold()
            if role in named:
                raise ParameterError(f"--columns names {role} twice; name it once.")
            named[role] = column
        return cls(named, skip_bad, encoding, sheet)

    @property
    def options(self) -> dict[str, Any]:
        """What `load_votes` takes."""
        return self._asdict()

    @property
    def words(self) -> tuple[str, ...]:
        """The same, as words of a command line."""
        told = []
        if self.columns:
            told += [
                "--columns",
                ",".join(quote_comma(f"{role}={name}") for role, name in self.columns.items()),
            ]
        told += ["--skip-bad"] if self.skip_bad else []
        for name, value in (("--encoding", self.encoding), ("--sheet", self.sheet)):
            told += [] if value is None else [name, value]
        return tuple(told)

    def require_file(self, found: bool, remedy: str) -> None:
        """Refuse options for reading a file where none is read."""
        if self.words and not found:
            raise ParameterError(f"{self.words[0]} is for reading a file of votes; {remedy}.")


def split_commas(text: str) -> list[str]:
    """Return the parts of a text between commas; one in quotes may have commas in it."""
    return next(csv.reader([text], skipinitialspace=True), [])


def quote_comma(text: str) -> str:
    """Return a part as `split_commas` reads it back."""
    return '"{}"'.format(text.replace('"', '""')) if set(text) & {",", '"'} else text


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
