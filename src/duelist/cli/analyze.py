"""`duelist analyze`: who wins in a file of preferences or comparisons, and how surely."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duelist.cli.options import FirstColumn, Format, SecondColumn, WinnerColumn, option, output
from duelist.cli.terminal import console, examples, glossary, heading, table
from duelist.errors import ParameterError
from duelist.text import arms, count, counted, enumeration, number

if TYPE_CHECKING:
    from duelist.problems.findings import Findings, PairedComparisons
    from duelist.ratings import Ratings

EXAMPLES = examples(
    "duelist analyze votes.csv",
    "duelist analyze battles.jsonl --a left_model --b right_model --winner choice",
    "duelist analyze votes.csv.gz --clusters voter --out report",
    "duelist analyze votes.csv --figure heatmap.svg --sort",
    "duelist analyze votes.csv --format json | jq .winners.condorcet",
)
MOST_PAIRS = 20
MOST_ARMS = 50
ENDINGS = (".svg", ".png", ".pdf")


def analyze(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of CSV or JSON lines; see above.")],
    prior: Annotated[
        float,
        option(
            "--prior WINS",
            "Wins granted to either side of every pair beforehand; draws rarely compared pairs to 1/2.",
        ),
    ] = 0.0,
    confidence: Annotated[float, option("--confidence", "Of each pair's interval, by itself.")] = 0.95,
    ridge: Annotated[
        float, option("--ridge WEIGHT", "Draws ratings towards each other, which keeps all of them finite.")
    ] = 0.0,
    clusters: Annotated[
        Literal["voter", "item"] | None,
        option(
            "--clusters COLUMN",
            "Votes of the same voter, or on the same item, may be alike; widens the ratings' intervals.",
            "every vote, or ranking, is independent",
        ),
    ] = None,
    out: Annotated[
        Path | None, output("--out -o FOLDER", "Where to write report.html and leaderboard.svg.")
    ] = None,
    figure: Annotated[
        Path | None, option("--figure PATH", "Draw the preferences there: .svg, .png or .pdf.")
    ] = None,
    a: FirstColumn = None,
    b: SecondColumn = None,
    winner: WinnerColumn = None,
    normalize: Annotated[
        bool, option("--normalize", "Divide a pair's two chances by their sum, where a matrix was rounded.")
    ] = False,
    sort: Annotated[bool, option("--sort", "Draw the arms with the highest Copeland score first.")] = False,
    format: Format = "text",
) -> None:
    """Say who wins in a file of preferences or comparisons, and how surely.

    The file holds either **comparisons**, a line for each (or for many alike), CSV under a header or JSON
    objects: left, right and outcome (left, right or tie); or winner, loser and perhaps count (a tie is half a
    win each way); or model_a, model_b and winner, where winner is a name, a column or tie; or **rankings** of
    several arms, such as a > b = c under ranking, or a column of ranks for each arm, rank:a and so on; or a
    **matrix** whose row i and column j give the chance that arm i beats arm j, or how often it did, with or
    without names above and beside it. Files may be gzipped.

    Comparisons are **rated** by Bradley and Terry's model: log-odds, relative to the mean of all arms.
    """
    from duelist.figures import write_figure
    from duelist.files import require_file
    from duelist.problems.findings import examine
    from duelist.web.analysis import FILES, write_analysis
    from duelist.web.figures import draw_preferences

    if figure is not None and figure.suffix.lower() not in ENDINGS:
        raise ParameterError(f"figure must end in {', '.join(ENDINGS)}; got {str(figure)!r}.")
    if figure is not None:
        require_file(figure)
    if out is not None:
        for name in FILES:
            require_file(out / name)
    findings = examine(
        file, prior, confidence, a=a, b=b, winner=winner, normalize=normalize, ridge=ridge, clusters=clusters
    )
    if figure is not None:
        problem = findings.problem
        write_figure(draw_preferences(problem.matrix, problem.labels, problem.counts, by_score=sort), figure)
    if out is not None:
        written = write_analysis(file.name, findings, out)
    if format == "json":
        typer.echo(json.dumps(findings.to_dict(), indent=2))
        return
    show(file, findings, console())
    if figure is not None:
        console().print(Text(f"Written to {figure}."))
    if out is not None:
        console().print(Text(f"Written to {out}: {', '.join(written)}."))


def show(file: Path, findings: "Findings", terminal: Console) -> None:
    """Print the findings, the most wanted first."""
    pairs = findings.comparisons
    origin = "a preference matrix" if pairs is None else counted(pairs.total, "comparison")
    terminal.print(heading(f"{file}: {origin} of {counted(findings.problem.k, 'arm')}"))
    show_part(terminal, "Winners", winners(findings))
    if findings.ratings is not None:
        leaderboard = findings.ratings
        show_part(
            terminal,
            "Ratings",
            Text(f"{leaderboard.verdict}\n"),
            rated(leaderboard),
            Text(reading(leaderboard)),
        )
    elif findings.unrated:
        show_part(terminal, "Ratings", Text(f"None: {findings.unrated}"))
    facts = str(findings.description).partition("\nGuarantees:")[0]
    given = "" if pairs is None else ", if the shares seen were the truth"
    show_part(terminal, f"Assumptions{given}", Text(facts))
    show_part(terminal, f"Guarantees{given}", guarantees(findings))
    if findings.lower_bound is not None:
        bound = f"In the long run no learner's regret stays below {number(findings.lower_bound)} log T."
        show_part(terminal, "Lower bound", Text(bound))
    if pairs is not None:
        verdict = Text(f"{pairs.verdict}\n", "green" if pairs.settled else "yellow")
        show_part(terminal, "Comparisons", verdict, intervals(pairs), Text(remarks(pairs)))


def show_part(terminal: Console, title: str, *content: RenderableType) -> None:
    """Print a part of the findings under its title, indented."""
    terminal.print()
    terminal.print(heading(title))
    for one in content:
        terminal.print(Padding(one, (0, 0, 0, 2), expand=False))


def winners(findings: "Findings") -> Table:
    """Return every definition's winners and how well they do by it."""
    found = findings.winners
    named = {concept: arms(list(scores)) for concept, scores in found.items()}
    score = {concept: max(scores.values(), default=0.0) for concept, scores in found.items()}
    mixture = [f"{share:.1%} arm {name}" for name, share in found["von_neumann"].items()]
    others = "" if findings.one_mixture else "; it is the centre of several that none beats"
    return glossary(
        {
            "Condorcet": named["condorcet"] if found["condorcet"] else "none: no arm beats all others",
            "Copeland": f"{named['copeland']} ({beaten(findings, score['copeland'])})",
            "Borda": f"{named['borda']} ({score['borda']:.1%} won against another arm at random)",
            "random walk": f"{named['random_walk']} (visited {score['random_walk']:.1%} of the time)",
            "von Neumann": f"{enumeration(mixture)} (no arm beats this mixture{others})",
        }
    )


def beaten(findings: "Findings", score: float) -> str:
    """Return what the largest Copeland score says: how many arms are beaten, or points where arms tie."""
    others = findings.problem.k - 1
    if score == others or findings.description.tied_pairs == 0:
        return f"{score:.0f} of {others} beaten"
    pairs = findings.comparisons
    half = "a tie" if pairs is None or not pairs.unseen else "a tie or a pair never compared"
    return f"{score:g} of {counted(others, 'point')}: 1 for an arm beaten, 1/2 for {half}"


def rated(ratings: "Ratings") -> Table:
    """Return the best arms with their ratings, the best first."""
    numbers = ("rating", "interval", "ranks", "votes")
    drawn = table("arm", *numbers, numbers=numbers)
    for line in ratings.rows()[:MOST_ARMS]:
        drawn.add_row(*map(Text, line.texts()))
    return drawn


def reading(ratings: "Ratings") -> str:
    """Return how to read ratings, and how many are not shown."""
    text = (
        "\nLog-odds, relative to the mean of all arms. Each interval by itself holds the truth with "
        f"{100.0 * ratings.confidence:g}% confidence, and all ranges of ranks do so together."
    )
    more = len(ratings.arms) - MOST_ARMS
    if more > 0:
        are = "is" if more == 1 else "are"
        text += f"\n{counted(more, 'more arm')} of lower ratings {are} left out."
    return text


def guarantees(findings: "Findings") -> Table:
    """Return whose guarantees hold; learners of whom the same is true stand together."""
    together: dict[str, list[str]] = {}
    for learner, sentence in findings.description.guarantees.items():
        together.setdefault(sentence, []).append(learner)
    return glossary({"\n".join(learners): sentence for sentence, learners in together.items()})


def intervals(pairs: "PairedComparisons") -> Table:
    """Return the pairs that matter most, with their intervals."""
    numbers = ("won", "of", "share", "interval")
    drawn = table("ahead", "behind", *numbers, numbers=numbers)
    for pair in pairs.pairs[:MOST_PAIRS]:
        drawn.add_row(
            Text(pair.better),
            Text(pair.worse),
            count(pair.wins),
            count(pair.duels),
            f"{pair.wins / pair.duels:.1%}",
            f"{pair.lower:.1%} to {pair.upper:.1%}",
            style="" if pair.settled else "yellow",
        )
    return drawn


def remarks(pairs: "PairedComparisons") -> str:
    """Return how to read the table of pairs, and what it does not show."""
    lines = ["", f"Each interval by itself holds the truth with {100.0 * pairs.confidence:g}% confidence."]
    more = len(pairs.pairs) - MOST_PAIRS
    if more > 0:
        are = "is left out: it matters less to who wins, or is surer"
        if more > 1:
            are = "are left out: they matter less to who wins, or are surer"
        lines.append(f"{counted(more, 'more pair')} {are}.")
    if pairs.unseen:
        unseen = enumeration([f"{one} and {other}" for one, other in pairs.unseen], limit=5)
        lines.append(f"Never compared, {len(pairs.unseen):,} in all: {unseen}.")
    return "\n".join(lines)
