"""`duelist optimize`: tune a few parameters by saying which of two settings is better."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from duelist.cli.options import Json, option
from duelist.cli.terminal import console, glossary, heading, print_json, table
from duelist.errors import ParameterError, require_whole
from duelist.text import all_digits, counted

if TYPE_CHECKING:
    from duelist.study import Study
    from duelist.study.parameters import Parameters, Setting

EXAMPLES = (
    "duelist optimize --example > parameters.toml",
    "duelist optimize parameters.toml",
    "duelist optimize parameters.toml --best --json",
)
UNDO, QUIT = "undo", "quit"
MEANINGS = {
    "left": "the left setting is better",
    "right": "the right setting is better",
    "tie": "both are equally good",
    UNDO: "retract the last answer, and answer that question again",
    QUIT: "stop; every answer is saved, and the same command resumes",
}
PROMPT = "Which is better: left, right or tie? (undo, quit, ? for help)"


def optimize(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="PARAMETERS", help="TOML file of parameters; --example prints one."),
    ] = None,
    votes: Annotated[
        Path | None,
        option(
            "--votes FILE", "SQLite file to save the answers in.", "NAME.votes.db in the folder of PARAMETERS"
        ),
    ] = None,
    seed: Annotated[
        int | None,
        option(
            "--seed N",
            "Seed of the random numbers; equal seeds and answers give equal questions.",
            "0, or the seed that the answers began with",
        ),
    ] = None,
    answers: Annotated[
        int | None,
        option("--answers N", "Stop at this number of answers, earlier ones included.", "no limit"),
    ] = None,
    best: Annotated[
        bool, option("--best", "Print the best setting so far, and exit without asking.")
    ] = False,
    example: Annotated[bool, option("--example", "Print an example file of parameters.")] = False,
    as_json: Json = False,
) -> None:
    """Tune a few parameters by saying which of two settings is better.

    It shows two settings; try both, and answer **left**, **right** or **tie**. A few dozen answers usually
    find a good setting, even if nothing can be measured. Every answer is saved before the next question:
    stop whenever you like, and the same command resumes. With `--json`, questions go to stderr.
    """
    from duelist.study.parameters import EXAMPLE, read_parameters

    if example:
        typer.echo(EXAMPLE, nl=False)
        return
    if file is None:
        raise ParameterError(
            "PARAMETERS is missing; give a TOML file. Write one with: duelist optimize --example > FILE"
        )
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
        converse(study, typed(as_json), console(as_json), answers)
    if as_json:
        print_json({"answers": study.answers, "best": best_setting(study)})
        return
    show_best(study, path, command, console())


def open_study(path: Path | None, parameters: "Parameters", seed: int | None) -> "Study":
    """Return the study of these parameters, created or resumed; without a seed, it keeps its own."""
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
                "Change that back, or start a new file with --votes FILE."
            )
        return Study.open(journal, PreferentialOptimization())
    return Study(PreferentialOptimization(), parameters=parameters, seed=seed or 0, journal=journal)


def differences(then: Any, now: Any, name: str = "") -> list[str]:
    if not (isinstance(then, dict) and isinstance(now, dict)):
        return [] if then == now else [f"{name} was {then}, now {now}"]
    changes = []
    for key in dict.fromkeys([*then, *now]):
        inner = f"{name}.{key}" if name else key
        changes += differences(then.get(key, "absent"), now.get(key, "absent"), inner)
    return changes


def best_setting(study: "Study") -> "Setting | None":
    """Return the best setting so far; None before the first answer."""
    setting: Setting | None = study.best() if study.answers else None
    return setting


def typed(as_json: bool = False) -> Iterator[str]:
    """Yield the lines of standard input; those of a pipe are echoed as if typed."""
    # a program that is started without standard input, such as by `<&-`, has no such stream
    if sys.stdin is None:
        return
    for line in iter(sys.stdin.buffer.readline, b""):
        text = line.decode(errors="replace")
        if not sys.stdin.isatty():
            typer.echo(text.rstrip(), err=as_json)
        yield text


def converse(study: "Study", lines: Iterable[str], terminal: Console, most: int | None = None) -> None:
    """Ask and learn until the answer is quit, the lines end, or there are enough answers."""
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
    """Yield the answers; ask again after a line that is not an answer."""
    known = {word[:letters]: word for word in MEANINGS for letters in (1, len(word))}
    prompt = Text(PROMPT, "bold")
    terminal.print(prompt, end=" ", soft_wrap=True)
    for line in lines:
        answer = line.strip().casefold()
        if answer in known:
            yield known[answer]
        elif answer == "?":
            terminal.print(glossary({f"{word[0]}, {word}": MEANINGS[word] for word in MEANINGS}))
        else:
            hint = f"{answer!r} is not an answer; type {', '.join(MEANINGS)} or the first letter."
            terminal.print(Text(hint))
        terminal.print(prompt, end=" ", soft_wrap=True)
    terminal.print()


def side_by_side(left: "Setting", right: "Setting") -> Table:
    """Return a table of two settings, with equal values dimmed."""
    drawn = table("parameter", "left", "right", numbers=("left", "right"))
    for name, value in left.items():
        style = "" if value != right[name] else "dim"
        drawn.add_row(Text(name), all_digits(value), all_digits(right[name]), style=style)
    return drawn


def progress(study: "Study") -> str:
    best = best_setting(study)
    if best is None:
        return "No answers yet."
    setting = ", ".join(f"{name} {all_digits(value)}" for name, value in best.items())
    return f"{counted(study.answers, 'answer')}; best so far: {setting}."


def show_best(study: "Study", path: Path, command: str, terminal: Console) -> None:
    best = best_setting(study)
    if best is None:
        terminal.print(Text(f"There are no answers in {path} yet; give some with: {command}"), soft_wrap=True)
        return
    drawn = table("parameter", "best", numbers=("best",))
    for name, value in best.items():
        drawn.add_row(Text(name), all_digits(value))
    terminal.print(heading(f"Best setting after {counted(study.answers, 'answer')}"), drawn, "", sep="\n")
    terminal.print(Text(f"Saved in {path}. Resume with: {command}"), soft_wrap=True)
