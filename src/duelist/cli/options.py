"""Options that several commands share, and the class that reads the options of every command."""

import csv
import re
from difflib import get_close_matches
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

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
    """Return an option as it is written, such as `--runs -n N`.

    `default` describes the default in words where its value would not help. `variable` names an environment
    variable that is read if the option is not given.
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
    kept = "After Ctrl-C it keeps the finished runs, and the same command resumes them."
    return output("--out -o FOLDER", f"Folder to write {files} to. {kept}", panel)


def learners(default: str) -> Any:
    """Return the option for learners over arms; `default` says which are played without it."""
    return option(
        "--learner -l SPEC",
        "Learner to play, such as RUCB or RUCB:alpha=0.6; `duelist learners` lists them. Your own learner is "
        "./mine.py:Mine or module:Mine:width=2. Repeat the option for more.",
        default,
    )


def wrong_verdicts(panel: str | None = None) -> Any:
    """Return the option for the error probability of a verdict."""
    return option("--delta PROBABILITY", "Accepted probability of a wrong verdict, from 0 to 1.", panel=panel)


def confidence_of(what: str, panel: str | None = None) -> Any:
    """Return the option for a confidence level."""
    return option("--confidence LEVEL", f"Confidence level of {what}, from 0 to 1.", panel=panel)


def json_instead(panel: str | None = None) -> Any:
    """Return the flag for output that programs read."""
    return option("--json", "Print one JSON document instead of text.", panel=panel)


PER_CORE = "one per core"
DatabaseAddress: TypeAlias = Annotated[
    str,
    option(
        "--database FILE|URL",
        "SQLite file, or postgresql://user@host/name.",
        variable="DUELIST_DATABASE",
    ),
]
HostNames: TypeAlias = Annotated[
    list[str] | None,
    option(
        "--name HOST",
        "Host name that clients may use for this server, such as votes.example.org; * allows any. Repeat "
        "the option for more.",
        "this machine",
    ),
]
Json: TypeAlias = Annotated[bool, json_instead()]
Port: TypeAlias = Annotated[int, option("--port NUMBER", "Port to listen on; 0 picks a free one.")]
Seed: TypeAlias = Annotated[
    int, option("--seed N", "Seed of the random numbers; equal seeds give equal results.")
]
Runs: TypeAlias = Annotated[
    int,
    option("--runs -n N", "Number of independent runs; in each run all learners see the same random stream."),
]
Workers: TypeAlias = Annotated[int | None, option("--workers N", "Number of threads.", PER_CORE)]
READING = "Reading the file"
"""The panel of options that say how a file of votes is read."""
Columns: TypeAlias = Annotated[
    list[str] | None,
    option(
        "--columns ROLE=COLUMN,...",
        "Which column has which role, such as left=home,right=away,outcome=result. Roles: left, right, "
        "outcome, winner, "
        "loser, ranking, voter, item, count, time, category, weight, ticket, status, ranking_id.",
        "detected by name",
        READING,
    ),
]
SkipBad: TypeAlias = Annotated[
    bool, option("--skip-bad", "Skip rows that cannot be read, and report how many.", panel=READING)
]
Encoding: TypeAlias = Annotated[
    str | None, option("--encoding NAME", "Text encoding, such as latin-1.", "UTF-8", READING)
]
Sheet: TypeAlias = Annotated[
    str | None, option("--sheet NAME", "Sheet of an Excel workbook.", "the first sheet", READING)
]


class Reading(NamedTuple):
    """How a file of votes is read."""

    columns: dict[str, str]
    """The column of every role that was named."""
    skip_bad: bool
    encoding: str | None
    sheet: str | None

    @classmethod
    def of(
        cls, columns: list[str] | None, skip_bad: bool, encoding: str | None, sheet: str | None
    ) -> "Reading":
        """Parse the options.

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
                    f"--columns must be ROLE=COLUMN; got {part!r}. Write --columns "
                    "left=COLUMN,right=COLUMN,outcome=COLUMN."
                )
            role = role.casefold()
            if role in named:
                raise ParameterError(f"--columns names {role} twice; name it once.")
            named[role] = column
        return cls(named, skip_bad, encoding, sheet)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `load_votes`."""
        return self._asdict()

    @property
    def words(self) -> tuple[str, ...]:
        """The options as words of a command line."""
        words = []
        if self.columns:
            words += [
                "--columns",
                ",".join(quote_comma(f"{role}={name}") for role, name in self.columns.items()),
            ]
        words += ["--skip-bad"] if self.skip_bad else []
        for name, value in (("--encoding", self.encoding), ("--sheet", self.sheet)):
            words += [] if value is None else [name, value]
        return tuple(words)

    def require_file(self, found: bool, remedy: str) -> None:
        """Raise ParameterError if there are options for reading a file, but no file is read."""
        if self.words and not found:
            raise ParameterError(f"{self.words[0]} needs a file of votes; {remedy}.")


def split_commas(text: str) -> list[str]:
    """Return the parts of a text between commas; a part in quotes may contain commas."""
    return next(csv.reader([text], skipinitialspace=True), [])


def quote_comma(text: str) -> str:
    """Return a part as `split_commas` reads it back."""
    return '"{}"'.format(text.replace('"', '""')) if set(text) & {",", '"'} else text


RAY = "--ray"
RAY_HELP = (
    "Distribute the work with Ray: on this machine, or on the cluster at an address such as ray-head:6379; "
    "auto finds the cluster that this machine belongs to. The results do not depend on it."
)
Ray: TypeAlias = Annotated[str | None, option(f"{RAY} [ADDRESS]", RAY_HELP, "this machine, without Ray")]


class PlainCommand(TyperCommand):
    """A command whose flags show no type, and whose option `--ray` may be given without a value."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters without the types of flags."""
        return without_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line, with an address added after each `--ray` without one."""
        # typer has no options whose value may be left out
        if RAY not in args:
            return super().parse_args(ctx, args)
        from duelist.parallel.ray_executor import ADDRESS, LOCAL

        complete = list[str]()
        for argument, following in zip_longest(args, args[1:], fillvalue=""):
            complete.append(argument)
            if argument == RAY and not re.fullmatch(ADDRESS, following):
                complete.append(LOCAL)
        return super().parse_args(ctx, complete)


def without_types(parameters: Any) -> Any:
    """Hide `<bool>` after flags and `<list[Path]>` after arguments in help; return the parameters."""
    for parameter in parameters:
        if parameter.param_type_name == "argument" or parameter.is_flag:
            parameter.display_type_rich = lambda ctx: None
    return parameters


WANTED = {"int_parsing": "a whole number", "float_parsing": "a number"}
"""What an option must be, by the type of pydantic's error."""


def explained(error: Any) -> str:
    """Return what is wrong with an option or an argument, with the value and the nearest right spelling."""
    if hasattr(error, "possibilities"):
        known = [name for one in error.ctx.command.get_params(error.ctx) for name in one.opts]
        return f"No such option: {error.option_name}.{did_you_mean(error.option_name, known)}"
    if not hasattr(error.__cause__, "errors"):
        message: str = error.format_message().replace("argument(s)", "argument")
        return message if message.endswith((".", "?")) else f"{message}."
    [fault, *_] = error.__cause__.errors()
    name, value = max(error.param.opts, key=len), fault["input"]
    if error.param.metavar and "|" in error.param.metavar:
        choices = error.param.metavar.split("|")
        hint = did_you_mean(value, choices)
        return f"{name} must be one of {', '.join(choices)}; got {value!r}.{hint}"
    return f"{name} must be {WANTED.get(fault['type'], fault['msg'])}; got {value!r}."


def did_you_mean(name: str, known: list[str]) -> str:
    """Return a question with the nearest known name; nothing if none is near."""
    # without their hyphens, which would make all options alike
    bare = {one.lstrip("-"): one for one in known}
    close = get_close_matches(name.lstrip("-"), bare, n=1, cutoff=0.65)
    return f" Did you mean {bare[close[0]]}?" if close else ""


def executor_for(ray: str | None, workers: int | None) -> "Executor | None":
    """Return an executor on Ray with at most that many workers, if Ray was asked for."""
    from duelist.parallel import RayExecutor

    return None if ray is None else RayExecutor(ray, workers)
