"""`duelist arena`: from a file of outputs to the best of them."""

import os
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelist.__main__ import STOPPED
from duelist.cli.options import Columns, Encoding, Reading, Sheet, SkipBad, option
from duelist.cli.terminal import examples, say, say_notes
from duelist.defaults import DELTA
from duelist.errors import FileError, ParameterError, needing_extra, require_confidence, require_whole
from duelist.text import counted

if TYPE_CHECKING:
    from duelist.judging.judge import Judge
    from duelist.judging.material import Material
    from duelist.judging.report import JudgeReport
    from duelist.protocols import Learner
    from duelist.service.settings import Settings
    from duelist.study import Study

EXAMPLES = examples(
    "duelist arena --example                        # writes an example and serves it",
    "duelist arena answers.jsonl                    # goes on where it was",
    "duelist arena answers.csv --share --voters 5   # personal links for five people",
    "duelist arena answers.jsonl --leaderboard      # precise ratings of all, not the winner alone",
    'duelist arena answers.jsonl --judge "python judge.py" --budget 500',
    "duelist arena answers.jsonl --judge-url http://127.0.0.1:8000/v1 --model mine",
)
EXAMPLE = "example-arena.jsonl"
CONTENT = (
    'JSON lines ({"item": ..., "arm": ..., "output": ...}), CSV, a folder of images, sounds or texts for '
    "each arm, or a list of texts."
)
LEADERBOARD = "WidestInterval"  # who chooses the pairs for a leaderboard of all arms
UNFINISHED = {"failures": 1, "interrupted": STOPPED}  # exit codes of runs that judges did not finish


def arena(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help=CONTENT)] = None,
    example: Annotated[bool, option("--example", f"Write an example, {EXAMPLE}, and use it.")] = False,
    port: Annotated[int, option("--port", "Where to listen; 0 for any that is free.")] = 8322,
    share: Annotated[
        bool, option("--share", "Let others on the network vote, by links; without TLS.")
    ] = False,
    voters: Annotated[
        int, option("--voters N", "With --share: personal links for N people in place of one for all.")
    ] = 0,
    name: Annotated[
        list[str] | None,
        option("--name HOST", "With --share: a name by which it may be called, such as votes.example.org."),
    ] = None,
    delta: Annotated[float, option("--delta", "How often the verdict may be wrong.")] = DELTA,
    learner: Annotated[
        str | None, option("--learner -l SPEC", "Who chooses the pairs, from now on.", "Auto")
    ] = None,
    leaderboard: Annotated[
        bool,
        option(
            "--leaderboard",
            "Choose pairs so that all ratings become precise, rather than to find the winner, from now on.",
        ),
    ] = False,
    links: Annotated[bool, option("--links", "Let links in outputs be followed.")] = False,
    votes: Annotated[
        Path | None, option("--import FILE", "Votes that were recorded elsewhere; twice counts once.")
    ] = None,
    judge: Annotated[
        str | None,
        option("--judge COMMAND", "A program that votes: it reads item, left and right as JSON, and prints."),
    ] = None,
    judge_url: Annotated[
        str | None, option("--judge-url URL", "A model that votes, by OpenAI's chat-completions protocol.")
    ] = None,
    model: Annotated[str | None, option("--model NAME", "With --judge-url: which model.")] = None,
    judge_prompt: Annotated[
        Path | None,
        option("--judge-prompt FILE", "With --judge-url: what to ask it, with {item}, {left}, {right}."),
    ] = None,
    budget: Annotated[int, option("--budget CALLS", "Calls that a judge may take; two a vote.")] = 500,
    no_browser: Annotated[bool, option("--no-browser", "Open no browser.")] = False,
    columns: Columns = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
) -> None:
    """Find the best of several prompts, models or designs: people vote on a page, or judges do.

    Two outputs are shown side by side, blind; the pairs are chosen so that few votes are needed, and it says
    when they are enough. Votes are kept beside the file, and the same command goes on. Leaderboard and
    dashboard are pages of their own. With `--judge` or `--judge-url` a program votes instead, until it is
    sure or the budget is used up; for a leaderboard, until the budget is used up.
    """
    with needing_extra("duelist arena", "serve"):
        from duelist.arena.content.reading import read_material
        from duelist.arena.running import database_beside, open_study, serve_arena
        from duelist.arena.site import Arena
        from duelist.cli.specs import make_learner, read_arm_kind
        from duelist.database import Database
        from duelist.votes import load_votes
    require_confidence(delta, "--delta", DELTA)
    require_whole("--voters", voters, 0)
    if leaderboard and learner is not None:
        raise ParameterError(f"--leaderboard is short for --learner {LEADERBOARD}: give one of the two.")
    if (voters or name) and not share:
        raise ParameterError("--voters and --name are for an arena that is shared: add --share.")
    if share and (judge is not None or judge_url is not None):
        raise ParameterError("a judge votes without pages; let it vote first, and then --share without it.")
    # what is wrong with an option is said before anything is written
    chooses = LEADERBOARD if leaderboard else learner
    wanted: Learner[Any] | None = None if chooses is None else make_learner(*read_arm_kind(chooses))
    reading = Reading.of(columns, skip_bad, encoding, sheet)
    reading.require_file(votes is not None, "name one by --import FILE, or leave it out")
    rows = None if votes is None else load_votes(votes, **reading.options)
    if rows is not None:
        say_notes(rows, into_study=True)
    with judge_named(judge, judge_url, model, judge_prompt, budget) as named:
        path = chosen(file, example)
        material, place = read_material(path), database_beside(path)
        settings = settings_for(place, port, share, name)
        for notice in material.notices:
            say(f"note: {notice}", stderr=True)
        with Database(place) as database:
            study, changes = open_study(database, material)
            for change in changes:
                say(change)
            if wanted is not None and wanted != study.learner:
                study.change_learner(wanted)
            if rows is not None:
                say(f"{counted(study.import_votes(rows), 'new vote')} from {votes}.")
            if named is not None:
                ask_judge(study, material, path, named, budget, delta)
                return

    def opened(address: str) -> None:
        if not no_browser and has_screen():
            webbrowser.open(address)

    serve_arena(Arena(material=material, delta=delta, links=links), settings, voters, say, opened)


def chosen(file: Path | None, example: bool) -> Path:
    """Return the file to use; an example is written once."""
    from duelist.arena.content.reading import write_example

    if example:
        path = file or Path(EXAMPLE)
        if not path.exists():
            say(f"Wrote {write_example(path)}: replace it by your own, in the same form.")
        return path
    if file is None:
        raise ParameterError("name a file of outputs, or try `duelist arena --example`.")
    if not file.exists():
        raise FileError(f"{file}: there is no such file or folder.")
    return file


def ask_judge(
    study: "Study", material: "Material", path: Path, judge: "Judge", budget: int, delta: float
) -> None:
    """Let a judge vote until it is sure, for a leaderboard as long as it may, and say what came out."""
    from duelist.arena.running import judged_beside
    from duelist.judging.judging import judge_arena
    from duelist.judging.report import agreements
    from duelist.parallel import progress_bar

    with progress_bar(None) as update:

        def show(report: "JudgeReport") -> None:
            standing = f"{report.calls} of {budget} calls, {counted(report.votes, 'vote')}"
            update(judge.name[:40], report.calls / budget, standing)

        report = judge_arena(
            study,
            material,
            judge,
            budget=budget,
            delta=delta,
            until_sure=type(study.learner).__name__ != LEADERBOARD,
            cache=judged_beside(path),
            progress=show,
        )
    say(report)
    for one in agreements(study.votes()):
        if one.compared or one.judge_ties or one.people_ties:
            say(one)
    say(f"Leaderboard and dashboard: duelist arena {quote(str(path))}")
    if report.ended in UNFINISHED:
        raise typer.Exit(UNFINISHED[report.ended])


@contextmanager
def judge_named(
    command: str | None, url: str | None, model: str | None, prompt: Path | None, budget: int
) -> Iterator["Judge | None"]:
    """Yield the judge that was asked for; None where people vote."""
    from duelist.judging.command import CommandJudge

    if command is not None and url is not None:
        raise ParameterError("give either --judge COMMAND or --judge-url URL, not both.")
    if url is None and (model is not None or prompt is not None):
        raise ParameterError("--model and --judge-prompt go with --judge-url URL; add it, or leave them out.")
    if budget < 2:
        raise ParameterError(f"--budget must be at least 2, because a vote takes two calls; got {budget}.")
    if url is None:
        yield None if command is None else CommandJudge(command)
        return
    from duelist.judging.endpoint import EndpointJudge, read_prompt

    if model is None:
        raise ParameterError("--judge-url needs the name of a model: --model NAME.")
    with EndpointJudge(url, model, None if prompt is None else read_prompt(prompt)) as judge:
        yield judge


def settings_for(place: Path, port: int, share: bool, names: list[str] | None) -> "Settings":
    """Return how the pages are served: to this machine alone, unless they are shared."""
    from duelist.arena.running import EVERYWHERE, own_names
    from duelist.service.settings import Settings

    return Settings(
        database=str(place),
        host=EVERYWHERE if share else "127.0.0.1",
        port=port,
        is_open=not share,
        names=(*own_names(), *(names or ())) if share else (),
        logs=False,
    )


def has_screen() -> bool:
    """Return whether there is a screen to open a browser on."""
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
