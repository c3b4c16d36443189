"""`duelist arena`: find the best of the outputs in a file."""

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
from duelist.cli.options import (
    Columns,
    Encoding,
    HostNames,
    Port,
    Reading,
    Sheet,
    SkipBad,
    json_instead,
    option,
    wrong_verdicts,
)
from duelist.cli.terminal import print_json, say, say_notes
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

EXAMPLES = (
    "duelist arena --example                        # writes an example and serves it",
    "duelist arena answers.jsonl                    # serves it; the same command resumes",
    "duelist arena answers.csv --share --voters 5   # personal links for five people",
    "duelist arena answers.jsonl --leaderboard      # precise ratings of all, not the winner alone",
    'duelist arena answers.jsonl --judge "python judge.py" --budget 500',
    "duelist arena answers.jsonl --judge-url http://127.0.0.1:8000/v1 --model mine",
)
EXAMPLE = "example-arena.jsonl"
CONTENT = (
    'Outputs to compare: JSON lines ({"item": ..., "arm": ..., "output": ...}), CSV, a folder of images, '
    "sounds or texts for each arm, or a list of texts."
)
LEADERBOARD = "WidestInterval"  # the learner that makes all ratings precise
UNFINISHED = {"failures": 1, "interrupted": STOPPED}  # exit status of runs that judges did not finish
JUDGES = "Judges instead of people"  # a panel of options


def arena(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help=CONTENT)] = None,
    example: Annotated[
        bool, option("--example", f"Use an example, {EXAMPLE}, which is written if it does not exist.")
    ] = False,
    port: Port = 8322,
    share: Annotated[
        bool, option("--share", "Let others on the network vote through links, without encryption (no TLS).")
    ] = False,
    voters: Annotated[
        int, option("--voters N", "With --share: print N personal links instead of one for everybody.")
    ] = 0,
    name: HostNames = None,
    delta: Annotated[float, wrong_verdicts()] = DELTA,
    learner: Annotated[
        str | None,
        option("--learner -l SPEC", "Learner that selects the pairs from now on, such as RUCB.", "Auto"),
    ] = None,
    leaderboard: Annotated[
        bool,
        option(
            "--leaderboard", "Select pairs that make all ratings precise, not those that find the winner."
        ),
    ] = False,
    links: Annotated[bool, option("--links", "Make links in outputs clickable.")] = False,
    votes: Annotated[
        Path | None,
        option(
            "--import FILE",
            "File of recorded votes to add; votes that the arena already has are skipped.",
            "none",
        ),
    ] = None,
    no_browser: Annotated[bool, option("--no-browser", "Do not open a browser.")] = False,
    judge: Annotated[
        str | None,
        option(
            "--judge COMMAND",
            "Program that votes: it reads item, left and right as JSON, and prints left, right or tie.",
            "people vote",
            JUDGES,
        ),
    ] = None,
    judge_url: Annotated[
        str | None,
        option(
            "--judge-url URL",
            "Model that votes, at an OpenAI chat-completions endpoint.",
            "people vote",
            JUDGES,
        ),
    ] = None,
    model: Annotated[
        str | None, option("--model NAME", "With --judge-url: name of the model.", "none", JUDGES)
    ] = None,
    judge_prompt: Annotated[
        Path | None,
        option(
            "--judge-prompt FILE",
            "With --judge-url: text file with the prompt, which must contain {item}, {left} and {right}.",
            "a built-in prompt",
            JUDGES,
        ),
    ] = None,
    budget: Annotated[
        int, option("--budget CALLS", "Maximum number of calls to the judge; a vote takes two.", panel=JUDGES)
    ] = 500,
    as_json: Annotated[bool, json_instead(JUDGES)] = False,
    columns: Columns = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
) -> None:
    """Find the best prompt, model or design: people vote on a page, or a judge votes.

    The page shows two outputs side by side, blind. Pairs are selected to need few votes, and a verdict says
    when there are enough. Votes are saved next to the file, and the same command resumes. The leaderboard
    and the dashboard are separate pages. With `--judge` or `--judge-url` a judge votes instead, until the
    winner is proven or the budget is used up; for a leaderboard, until the budget is used up.
    """
    with needing_extra("duelist arena", "serve"):
        from duelist.arena.content.reading import read_material
        from duelist.arena.running import open_study, serve_arena, votes_path
        from duelist.arena.site import Arena
        from duelist.cli.specs import make_learner, read_arm_kind
        from duelist.database import Database
        from duelist.votes import load_votes
    require_confidence(delta, "--delta", DELTA)
    require_whole("--voters", voters, 0)
    if leaderboard and learner is not None:
        raise ParameterError(
            f"--leaderboard already means --learner {LEADERBOARD}; give either --leaderboard or --learner."
        )
    if (voters or name) and not share:
        raise ParameterError("--voters and --name need --share; add it, or omit them.")
    if share and (judge is not None or judge_url is not None):
        raise ParameterError(
            "a judge cannot vote in a shared arena; run the judge first, then --share without it."
        )
    if as_json and judge is None and judge_url is None:
        raise ParameterError("--json is only for runs with a judge; add --judge COMMAND or --judge-url URL.")
    # errors in options come before anything is written
    spec = LEADERBOARD if leaderboard else learner
    wanted: Learner[Any] | None = None if spec is None else make_learner(*read_arm_kind(spec))
    reading = Reading.of(columns, skip_bad, encoding, sheet)
    reading.require_file(votes is not None, "add --import FILE, or leave it out")
    rows = None if votes is None else load_votes(votes, **reading.options)
    if rows is not None:
        say_notes(rows, into_study=True)
    with judge_named(judge, judge_url, model, judge_prompt, budget) as named:
        path = chosen(file, example, as_json)
        material, saved = read_material(path), votes_path(path)
        settings = settings_for(saved, port, share, name)
        for notice in material.notices:
            say(f"note: {notice}", stderr=True)
        with Database(saved) as database:
            study, changes = open_study(database, material)
            for change in changes:
                say(change, stderr=as_json)
            if wanted is not None and wanted != study.learner:
                study.change_learner(wanted)
            if rows is not None:
                say(f"{counted(study.import_votes(rows), 'new vote')} from {votes}.", stderr=as_json)
            if named is not None:
                ask_judge(study, material, path, named, budget, delta, as_json)
                return

    def opened(address: str) -> None:
        if not no_browser and has_screen():
            webbrowser.open(address)

    serve_arena(Arena(material=material, delta=delta, links=links), settings, voters, say, opened)


def chosen(file: Path | None, example: bool, as_json: bool) -> Path:
    """Return the file to use; write the example unless it is there."""
    from duelist.arena.content.reading import write_example

    if example:
        path = file or Path(EXAMPLE)
        if not path.exists():
            say(f"Wrote {write_example(path)}: replace it with your own, in the same format.", stderr=as_json)
        return path
    if file is None:
        raise ParameterError("FILE is missing; name a file of outputs, or try `duelist arena --example`.")
    if not file.exists():
        raise FileError(f"{file}: no such file or folder; try `duelist arena --example` for an example.")
    return file


def ask_judge(
    study: "Study",
    material: "Material",
    path: Path,
    judge: "Judge",
    budget: int,
    delta: float,
    as_json: bool,
) -> None:
    """Let a judge vote until the winner is proven, or for a leaderboard up to the budget, and report."""
    from duelist.arena.running import judged_path
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
            cache=judged_path(path),
            progress=show,
        )
    compared = [one for one in agreements(study.votes()) if one.compared or one.judge_ties or one.people_ties]
    if as_json:
        print_json({"report": report.to_dict(), "agreements": [one.to_dict() for one in compared]})
    else:
        for lines in (report, *compared):
            say(lines)
    say(f"Leaderboard and dashboard: duelist arena {quote(str(path))}", stderr=as_json)
    if report.ended in UNFINISHED:
        raise typer.Exit(UNFINISHED[report.ended])


@contextmanager
def judge_named(
    command: str | None, url: str | None, model: str | None, prompt: Path | None, budget: int
) -> Iterator["Judge | None"]:
    """Yield the judge of the options; None if people vote."""
    from duelist.judging.command import CommandJudge

    if command is not None and url is not None:
        raise ParameterError("give either --judge COMMAND or --judge-url URL, not both.")
    if url is None and (model is not None or prompt is not None):
        raise ParameterError("--model and --judge-prompt need --judge-url URL; add it, or leave them out.")
    if budget < 2:
        raise ParameterError(f"--budget must be at least 2, because a vote takes two calls; got {budget}.")
    if url is None:
        yield None if command is None else CommandJudge(command)
        return
    from duelist.judging.endpoint import EndpointJudge, read_prompt

    if model is None:
        raise ParameterError("--judge-url needs the name of a model; add --model NAME.")
    with EndpointJudge(url, model, None if prompt is None else read_prompt(prompt)) as judge:
        yield judge


def settings_for(saved: Path, port: int, share: bool, names: list[str] | None) -> "Settings":
    """Return settings for a server that only this machine reaches, unless the arena is shared."""
    from duelist.arena.running import EVERYWHERE, own_names
    from duelist.service.settings import Settings

    return Settings(
        database=str(saved),
        host=EVERYWHERE if share else "127.0.0.1",
        port=port,
        is_open=not share,
        names=(*own_names(), *(names or ())) if share else (),
        logs=False,
    )


def has_screen() -> bool:
    """Return whether a browser can be opened."""
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
