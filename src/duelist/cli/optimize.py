"""`duelist optimize`: find the best setting of a few parameters by telling which of two is better."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from duelist.cli.options import FormatName, option
from duelist.cli.terminal import console, examples, glossary, heading, table
from duelist.errors import ParameterError, require_whole
from duelist.text import all_digits, counted

if TYPE_CHECKING:
    from duelist.study import Study
    from duelist.study.parameters import Parameters, Setting

EXAMPLES = examples(
    "duelist optimize --example > parameters.toml",
    "duelist optimize parameters.toml",
    "duelist optimize parameters.toml --best --format json",
)
UNDO, QUIT = "undo", "quit"
MEANINGS = {
    "left": "the left setting is better",
    "right": "the right setting is better",
    "tie": "they are equally good",
    UNDO: "take back the last answer, and answer that question again",
    QUIT: "stop; everything is kept, and the same command goes on",
}
PROMPT = "Which is better: left, right or tie? (undo, quit, ? for help)"


def optimize(
    file: Annotated[
        Path | None, typer.Argument(metavar="PARAMETERS", help="A TOML file of parameters; see --example.")
    ] = None,
    votes: Annotated[
        Path | None, option("--votes PATH", "Where answers are kept.", "beside PARAMETERS, as NAME.votes.db")
    ] = None,
    seed: Annotated[
        int | None,
        option(
            "--seed N",
            "Equal seeds and equal answers give equal questions.",
            "the one it was begun with, at first 0",
        ),
    ] = None,
    answers: Annotated[
        int | None, option("--answers N", "Stop after that many answers in all.", "on quit")
    ] = None,
    best: Annotated[bool, option("--best", "Print the best setting so far, ask nothing.")] = False,
    format: Annotated[
        FormatName, option("--format", "How --best is printed: for people, or for programs.")
    ] = "text",
    example: Annotated[bool, option("--example", "Print a file of parameters to begin with.")] = False,
) -> None:
    """Find the best setting of a few parameters by telling which of two is better.

    Two settings are shown; try both, and answer **left**, **right** or **tie**. From a few dozen answers the
    best setting is found, where nothing can be measured but people can compare. Every answer is on disk
    before the next question: stop whenever you like, and the same command goes on where you were.
    """
    from duelist.study.parameters import EXAMPLE, read_parameters

    if example:
        typer.echo(EXAMPLE, nl=False)
        return
    if file is None:
        raise ParameterError(
            "give a file of parameters; `duelist optimize --example > parameters.toml` writes one."
        )
    if format != "text" and not best:
        raise ParameterError(f"format {format} is for --best only; add it, or drop --format.")
    if answers is not None:
        require_whole("answers", answers, 1)
    if seed is not None:
        require_whole("seed", seed, 0)
    parameters = read_parameters(file)
    path = file.with_suffix(".votes.db") if votes is None else votes
    named = [] if votes is None else ["--votes", str(votes)]
    command = " ".join(map(quote, ["duelist", "optimize", str(file), *named]))
    study = open_study(path if path.exists() or not best else None, parameters, seed)
    if not best:
        converse(study, typed(), console(), answers)
    if format == "json":
        typer.echo(json.dumps({"answers": study.answers, "best": best_setting(study)}, indent=2))
        return
    show_best(study, path, command, console())


def open_study(path: Path | None, parameters: "Parameters", seed: int | None) -> "Study":
    """Return the study of these parameters, begun or gone on with; the seed is its own unless given."""
    from duelist.learners.continuous import PreferentialOptimization
    from duelist.study import Study
    from duelist.study.storage import as_journal, created_in

    journal = as_journal(path)
    created = created_in(journal)
    if created is not None:
        changes = differences(created.choices.get("knobs"), parameters.as_json()["knobs"], "parameters")
        if seed is not None and seed != created.seed:
            changes.append(f"seed was {created.seed}, now {seed}")
        if changes:
            raise ParameterError(
                f"{path} holds answers to other questions: {'; '.join(changes)}. "
                "Change that back, or begin a new file with --votes."
            )
        return Study.open(journal, PreferentialOptimization())
    return Study(PreferentialOptimization(), parameters=parameters, seed=seed or 0, journal=journal)


def differences(then: Any, now: Any, name: str = "") -> list[str]:
    """Return what has changed, in words."""
    if not (isinstance(then, dict) and isinstance(now, dict)):
        return [] if then == now else [f"{name} was {then}, now {now}"]
    changes = []
    for key in dict.fromkeys([*then, *now]):
        inner = f"{name}.{key}" if name else key
        changes += differences(then.get(key, "absent"), now.get(key, "absent"), inner)
    return changes


def best_setting(study: "Study") -> "Setting | None":
    """Return the setting believed to be best; without answers there is none."""
    setting: Setting | None = study.best() if study.answers else None
    return setting


def typed() -> Iterator[str]:
    """Return the lines of standard input as they come; of a pipe, they are shown as if typed."""
    # A program that is started without standard input, such as by `<&-`, has none at all.
    if sys.stdin is None:
        return
    for line in iter(sys.stdin.buffer.readline, b""):
        text = line.decode(errors="replace")
        if not sys.stdin.isatty():
            typer.echo(text.rstrip())
        yield text


def converse(study: "Study", lines: Iterable[str], terminal: Console, most: int | None = None) -> None:
    """Ask and learn until told to quit, out of lines, or at the given number of answers."""
    from duelist.duel import Duel

    words, undone = listen(lines, terminal), list[Duel]()
    while most is None or study.answers < most:
        duel = undone.pop() if undone else study.ask()
        shown = side_by_side(duel.left, duel.right)
        terminal.print(heading(f"Question {study.answers + 1}"), shown, "", sep="\n")
        word = next(words, QUIT)
        if word == QUIT:
            return
        if word != UNDO:
            study.tell(duel, word)
        elif votes := study.votes():
            undone = [*undone, Duel(duel.left, duel.right), Duel(votes[-1].left, votes[-1].right)]
            study.retract(votes[-1].ticket)
        else:
            undone.append(duel)
        terminal.print(Text(progress(study)), "", sep="\n")


def listen(lines: Iterable[str], terminal: Console) -> Iterator[str]:
    """Return what is answered, word by word; what is not understood is asked again."""
    known = {word[:letters]: word for word in MEANINGS for letters in (1, len(word))}
    prompt = Text(PROMPT, "bold")
    terminal.print(prompt, end=" ", soft_wrap=True)
    for line in lines:
        said = line.strip().casefold()
        if said in known:
            yield known[said]
        elif said == "?":
            terminal.print(glossary({f"{word[0]}, {word}": MEANINGS[word] for word in MEANINGS}))
        else:
            hint = f"{said!r} is not an answer; type {', '.join(MEANINGS)} or the first letter."
            terminal.print(Text(hint))
        terminal.print(prompt, end=" ", soft_wrap=True)
    terminal.print()


def side_by_side(left: "Setting", right: "Setting") -> Table:
    """Return two settings, parameter by parameter; where they differ is easily seen."""
    drawn = table("parameter", "left", "right", numbers=("left", "right"))
    for name, value in left.items():
        style = "" if value != right[name] else "dim"
        drawn.add_row(Text(name), all_digits(value), all_digits(right[name]), style=style)
    return drawn


def progress(study: "Study") -> str:
    """Return how far the search is, in a line."""
    best = best_setting(study)
    if best is None:
        return "No answers yet."
    setting = ", ".join(f"{name} {all_digits(value)}" for name, value in best.items())
    return f"{counted(study.answers, 'answer')}; best so far: {setting}."


def show_best(study: "Study", path: Path, command: str, terminal: Console) -> None:
    """Print the best setting so far, and how to go on."""
    best = best_setting(study)
    if best is None:
        terminal.print(Text(f"No answers in {path} yet. Answer with: {command}"), soft_wrap=True)
        return
    drawn = table("parameter", "best", numbers=("best",))
    for name, value in best.items():
        drawn.add_row(Text(name), all_digits(value))
    terminal.print(heading(f"Best setting after {counted(study.answers, 'answer')}"), drawn, "", sep="\n")
    terminal.print(Text(f"Kept in {path}. Go on with: {command}"), soft_wrap=True)
