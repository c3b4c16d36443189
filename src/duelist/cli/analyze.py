"""`duelist analyze`: a leaderboard of recorded votes, who wins, and how surely."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from duelist.cli.options import (
    READING,
    Columns,
    Encoding,
    Reading,
    Sheet,
    SkipBad,
    option,
    output,
    split_commas,
)
from duelist.cli.terminal import examples, say, show
from duelist.defaults import CONFIDENCE, DELTA
from duelist.errors import ParameterError

if TYPE_CHECKING:
    from duelist.analysis import Analysis

EXAMPLES = examples(
    "duelist analyze votes.csv",
    "duelist analyze votes.csv --scale elo --out report   # a page, a figure, a table",
    "duelist analyze matches.csv --columns left=home,right=away,outcome=result --side-effect",
    "duelist analyze battles.jsonl --by language --since 2026-01-01 --min-votes 100",
    "duelist analyze battles.parquet --covariates length,markdown --clusters session --contrast gpt,claude",
    "duelist analyze votes.csv --format markdown   # or csv, latex, html, json",
    "duelist analyze votes.csv --format json | jq .winners.condorcet",
)
RATING, SURENESS, OUTPUT = "Leaderboard", "Verdict and winners", "Output"
ENDINGS = (".svg", ".png", ".pdf")
TableFormat = Literal["text", "json", "csv", "markdown", "latex", "html"]


def analyze(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of votes or preferences; see above.")],
    columns: Columns = None,
    since: Annotated[
        str | None,
        option(
            "--since DATE", "Only votes from this day or time on: 2026-11-16T10:00.", "the first", READING
        ),
    ] = None,
    until: Annotated[
        str | None,
        option(
            "--until DATE",
            "Only votes up to this time; a day without a time is included.",
            "the last",
            READING,
        ),
    ] = None,
    repeats: Annotated[
        Literal["first", "all"],
        option(
            "--repeats", "Of a voter's votes on one pair and item, count the first or all.", panel=READING
        ),
    ] = "first",
    unranked: Annotated[
        Literal["unknown", "last"],
        option("--unranked", "Arms that a ranking leaves out are unknown, or come last.", panel=READING),
    ] = "unknown",
    normalize: Annotated[
        bool, option("--normalize", "Divide a pair's two chances by their sum, in a matrix.", panel=READING)
    ] = False,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
    by: Annotated[
        str | None,
        option("--by COLUMN", "Also a leaderboard for each value of a column.", "one for all votes", RATING),
    ] = None,
    scale: Annotated[
        Literal["log-odds", "elo"],
        option("--scale", "Of ratings: natural log-odds around 0, or Elo points around 1000.", panel=RATING),
    ] = "log-odds",
    anchor: Annotated[
        str | None,
        option("--anchor ARM", "Fix the rating of an arm: 0, or 1000 points.", "the mean is fixed", RATING),
    ] = None,
    min_votes: Annotated[
        int, option("--min-votes N", "Do not rate arms with fewer votes.", panel=RATING)
    ] = 0,
    clusters: Annotated[
        str,
        option(
            "--clusters COLUMN",
            "Votes with equal values may be alike, which widens intervals: any column, voter, item or none.",
            "auto: rankings, or voters if there are 5 or more",
            RATING,
        ),
    ] = "auto",
    covariates: Annotated[
        str | None,
        option(
            "--covariates NAME,...",
            "Effects to control for. NAME is a column of differences, or two columns: NAME_left and "
            "NAME_right, or NAME_a and NAME_b.",
            "none",
            RATING,
        ),
    ] = None,
    side_effect: Annotated[
        bool, option("--side-effect", "Estimate what being on the left, or at home, adds.", panel=RATING)
    ] = False,
    contrast: Annotated[
        list[str] | None,
        option(
            "--contrast A,B", "The difference of two ratings. Repeat the option for more.", "none", RATING
        ),
    ] = None,
    ridge: Annotated[
        float, option("--ridge WEIGHT", "Draw ratings towards each other; all become finite.", panel=RATING)
    ] = 0.0,
    confidence: Annotated[
        float, option("--confidence LEVEL", "Of intervals and ranges of ranks.", panel=RATING)
    ] = CONFIDENCE,
    delta: Annotated[
        float,
        option("--delta SHARE", "The share of studies in which the verdict may be wrong.", panel=SURENESS),
    ] = DELTA,
    prior: Annotated[
        float,
        option("--prior WINS", "Wins added to both sides of every pair, for winners.", panel=SURENESS),
    ] = 0.0,
    format: Annotated[
        TableFormat,
        option(
            "--format", "Everything as text or JSON, or the leaderboard as a table to publish.", panel=OUTPUT
        ),
    ] = "text",
    out: Annotated[
        Path | None,
        output("--out -o FOLDER", "Where to write report.html, leaderboard.svg and leaderboard.csv.", OUTPUT),
    ] = None,
    figure: Annotated[
        Path | None, option("--figure PATH", "Draw who beats whom: .svg, .png or .pdf.", "none", OUTPUT)
    ] = None,
    sort: Annotated[
        bool, option("--sort", "In the figure, put the arms that beat the most others first.", panel=OUTPUT)
    ] = False,
) -> None:
    """Rate the arms of a file of votes: a leaderboard with intervals, who wins, and how surely.

    The file is CSV, JSON, JSON lines, Parquet, Arrow or Excel, gzipped or not, with a row for each **vote**:

    - left, right and outcome: left, right or tie; model_a, model_b and winner; home, away and result; or

    - winner and loser, and perhaps count; or

    - a **ranking**, such as a > b = c, or a column of ranks for each arm: rank:a, rank:b.

    Columns voter, item, time, category and weight are used where they are there; name others by --columns. A
    file may hold a **matrix** instead: row i and column j say how often, or with which chance, i beats j.
    """
    from duelist.analysis import analyze
    from duelist.files import require_file
    from duelist.web.analysis import FILES, analysis_document

    if figure is not None and figure.suffix.lower() not in ENDINGS:
        raise ParameterError(f"figure must end in {', '.join(ENDINGS)}; got {str(figure)!r}.")
    for path in (figure, *(out / name for name in FILES if out is not None)):
        if path is not None:
            require_file(path)
    pairs = [split_commas(text) for text in contrast or ()]
    for pair, text in zip(pairs, contrast or (), strict=True):
        if len(pair) != 2:
            raise ParameterError(f"--contrast takes two arms with a comma between them; got {text!r}.")
    found = analyze(
        file,
        **Reading.of(columns, skip_bad, encoding, sheet).options,
        by=by,
        since=since,
        until=until,
        repeats=repeats,
        unranked=unranked,
        clusters=clusters,
        covariates=[name for name in split_commas(covariates or "") if name],
        side_effect=side_effect,
        minimum_votes=min_votes,
        ridge=ridge,
        prior=prior,
        scale=scale,
        anchor=anchor,
        contrasts=[(one, other) for one, other in pairs],
        confidence=confidence,
        delta=delta,
        normalize=normalize,
    )
    content = "" if format == "text" else written_as(found, format)
    written = write_files(file, found, out, figure, sort)
    if format != "text":
        typer.echo(content, nl=False)
        return
    show(analysis_document(str(file), found, brief=True))
    for line in written:
        say(line)


def write_files(
    file: Path, found: "Analysis", out: Path | None, figure: Path | None, sort: bool
) -> list[str]:
    """Write the figure and the report that were asked for; return what to say of them."""
    from duelist.figures import write_figure
    from duelist.web.analysis import write_analysis
    from duelist.web.figures import draw_preferences

    told = []
    if figure is not None:
        write_figure(draw_preferences(found.matrix, found.arms, found.counts, by_score=sort), figure)
        told.append(f"Written to {figure}.")
    if out is not None:
        told.append(f"Written to {out}: {', '.join(write_analysis(file.name, found, out))}.")
    return told


def written_as(found: "Analysis", format: TableFormat) -> str:
    """Return everything as JSON, or the leaderboards as tables of a format."""
    if format == "json":
        return json.dumps(found.to_dict(), indent=2, allow_nan=False) + "\n"
    board = found.leaderboard
    if board is None:
        raise ParameterError(
            f"--format {format} writes a leaderboard, and a matrix of chances has none; use text or json."
        )
    if format == "csv":
        return found.to_csv()
    boards = [("", board), *((found.titled(name), one) for name, one in found.categories.items())]
    return "\n".join(getattr(one, f"to_{format}")(title) for title, one in boards)
