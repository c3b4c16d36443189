"""`duelist analyze`: a leaderboard of recorded votes, and a verdict on the winner."""

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
    confidence_of,
    json_instead,
    option,
    output,
    split_commas,
    wrong_verdicts,
)
from duelist.cli.terminal import print_json, say, show
from duelist.defaults import CONFIDENCE, DELTA
from duelist.errors import ParameterError, require_whole

if TYPE_CHECKING:
    from duelist.analysis import Analysis

EXAMPLES = (
    "duelist analyze votes.csv",
    "duelist analyze votes.csv --scale elo --out report   # a page, a figure, a table",
    "duelist analyze matches.csv --columns left=home,right=away,outcome=result --side-effect",
    "duelist analyze battles.jsonl --by language --since 2026-01-01 --min-votes 100",
    "duelist analyze battles.parquet --covariates length,markdown --clusters session --contrast gpt,claude",
    "duelist analyze votes.csv --table markdown   # or csv, latex, html",
    "duelist analyze votes.csv --json | jq .winners.condorcet",
)
RATING, VERDICT, OUTPUT = "Leaderboard", "Verdict and winners", "Output"
ENDINGS = (".svg", ".png", ".pdf")
TableFormat = Literal["csv", "markdown", "latex", "html"]


def analyze(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File of votes or preferences, described above.")
    ],
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
            "Only votes up to this day, included, or up to this time.",
            "the last",
            READING,
        ),
    ] = None,
    repeats: Annotated[
        Literal["first", "all"],
        option(
            "--repeats first|all",
            "Which votes count if a voter votes more than once on the same pair and item.",
            panel=READING,
        ),
    ] = "first",
    unranked: Annotated[
        Literal["unknown", "last"],
        option(
            "--unranked unknown|last",
            "Treat arms that a ranking leaves out as unknown, or as tied for last.",
            panel=READING,
        ),
    ] = "unknown",
    normalize: Annotated[
        bool,
        option(
            "--normalize",
            "In a matrix of probabilities, divide both of a pair by their sum, so that they add up to 1.",
            panel=READING,
        ),
    ] = False,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
    by: Annotated[
        str | None,
        option(
            "--by COLUMN", "Add a leaderboard for each value of this column.", "a single leaderboard", RATING
        ),
    ] = None,
    scale: Annotated[
        Literal["log-odds", "elo"],
        option(
            "--scale log-odds|elo",
            "Scale of the ratings: natural log-odds around 0, or Elo points around 1000.",
            panel=RATING,
        ),
    ] = "log-odds",
    anchor: Annotated[
        str | None,
        option(
            "--anchor ARM",
            "Arm whose rating is fixed at 0, or at 1000 Elo points.",
            "the mean is fixed",
            RATING,
        ),
    ] = None,
    min_votes: Annotated[
        int,
        option(
            "--min-votes N", "Minimum number of votes of an arm; arms with fewer are not rated.", panel=RATING
        ),
    ] = 0,
    clusters: Annotated[
        str,
        option(
            "--clusters COLUMN",
            "Treat votes with equal values in this column as dependent, which widens the intervals: voter, "
            "item, "
            "another column, or none.",
            "auto: rankings, or voters if there are 5 or more",
            RATING,
        ),
    ] = "auto",
    covariates: Annotated[
        str | None,
        option(
            "--covariates NAME,...",
            "Covariates to control for. NAME is a column of differences (left minus right), or stands for "
            "two "
            "columns: NAME_left and NAME_right, or NAME_a and NAME_b.",
            "none",
            RATING,
        ),
    ] = None,
    side_effect: Annotated[
        bool,
        option(
            "--side-effect", "Estimate the advantage of the left side, or of playing at home.", panel=RATING
        ),
    ] = False,
    contrast: Annotated[
        list[str] | None,
        option(
            "--contrast A,B",
            "Estimate the difference between the ratings of two arms, A minus B. Repeat the option for more.",
            "none",
            RATING,
        ),
    ] = None,
    ridge: Annotated[
        float,
        option(
            "--ridge WEIGHT",
            "Weight of a penalty that shrinks the ratings towards each other and keeps them finite; 0 for "
            "none.",
            panel=RATING,
        ),
    ] = 0.0,
    confidence: Annotated[float, confidence_of("intervals and rank ranges", RATING)] = CONFIDENCE,
    delta: Annotated[float, wrong_verdicts(VERDICT)] = DELTA,
    prior: Annotated[
        float,
        option(
            "--prior WINS",
            "Number of wins to add to both sides of every pair before the winners are computed.",
            panel=VERDICT,
        ),
    ] = 0.0,
    as_json: Annotated[bool, json_instead(OUTPUT)] = False,
    table: Annotated[
        TableFormat | None,
        option(
            "--table csv|markdown|latex|html",
            "Print only the leaderboard, in this format.",
            "the whole report as text",
            OUTPUT,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        output(
            "--out -o FOLDER", "Folder to write report.html, leaderboard.svg and leaderboard.csv to.", OUTPUT
        ),
    ] = None,
    figure: Annotated[
        Path | None,
        output("--figure FILE", "File to draw a graph of who beats whom to: .svg, .png or .pdf.", OUTPUT),
    ] = None,
    sort: Annotated[
        bool, option("--sort", "In the figure, put the arms that beat the most others first.", panel=OUTPUT)
    ] = False,
) -> None:
    """Rate the arms in recorded votes: leaderboard, intervals, and a verdict on the winner.

    The file is CSV, JSON, JSON lines, Parquet, Arrow or Excel, gzipped or not, with a row for each **vote**:

    - left, right and outcome: left, right or tie; model_a, model_b and winner; home, away and result; or

    - winner and loser, and optionally count; or

    - a **ranking**, such as a > b = c, or a column of ranks for each arm: rank:a, rank:b.

    Columns voter, item, time, category and weight are used if present; name others with --columns. The file
    may hold a **matrix** instead: row i and column j say how often, or with which probability, i beats j.
    """
    from duelist.analysis import analyze
    from duelist.files import require_file
    from duelist.web.analysis import FILES, analysis_document

    if as_json and table is not None:
        raise ParameterError(f"--json and --table {table} cannot be combined; give only one of them.")
    if figure is not None and figure.suffix.lower() not in ENDINGS:
        raise ParameterError(f"--figure must end in {', '.join(ENDINGS)}; got {str(figure)!r}.")
    require_whole("--min-votes", min_votes, 0)
    for path in (figure, *(out / name for name in FILES if out is not None)):
        if path is not None:
            require_file(path)
    pairs = [split_commas(text) for text in contrast or ()]
    for pair, text in zip(pairs, contrast or (), strict=True):
        if len(pair) != 2:
            raise ParameterError(
                f"--contrast must be two arms separated by a comma; got {text!r}. Write --contrast A,B."
            )
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
    printed = "" if table is None else as_table(found, table)
    written = write_files(file, found, out, figure, sort)
    if as_json:
        print_json(found.to_dict())
    elif table is not None:
        typer.echo(printed, nl=False)
    else:
        show(analysis_document(str(file), found, brief=True))
    for line in written:
        say(line, stderr=as_json or table is not None)


def write_files(
    file: Path, found: "Analysis", out: Path | None, figure: Path | None, sort: bool
) -> list[str]:
    """Write the figure and the report that were asked for; return a line for each."""
    from duelist.figures import write_figure
    from duelist.web.analysis import write_analysis
    from duelist.web.figures import draw_preferences

    lines = []
    if figure is not None:
        write_figure(draw_preferences(found.matrix, found.arms, found.counts, by_score=sort), figure)
        lines.append(f"Written to {figure}.")
    if out is not None:
        lines.append(f"Written to {out}: {', '.join(write_analysis(file.name, found, out))}.")
    return lines


def as_table(found: "Analysis", table: TableFormat) -> str:
    """Return the leaderboards in a format, one after the other."""
    board = found.leaderboard
    if board is None:
        raise ParameterError(
            f"--table {table} prints a leaderboard, and a matrix of probabilities has none; leave it out, or "
            "use --json."
        )
    if table == "csv":
        return found.to_csv()
    boards = [("", board), *((found.titled(name), one) for name, one in found.categories.items())]
    return "\n".join(getattr(one, f"to_{table}")(title) for title, one in boards)
