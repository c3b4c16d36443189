"""What a file of votes says, as one HTML page: a leaderboard, and who beats whom."""

from math import comb
from pathlib import Path

from duelist.figures import write_figure
from duelist.files import write_whole
from duelist.problems.findings import Findings
from duelist.ratings.figure import MOST_ARMS
from duelist.text import arms, counted
from duelist.web.figures import draw_preferences, inline_svg
from duelist.web.leaderboard import Rated, draw_ratings, rating_chart
from duelist.web.page import render

FILES = ("report.html", "leaderboard.svg")
"""What `write_analysis` writes; the figure only of arms that are rated."""
COLUMNS = ("arm", "rating", "interval", "ranks", "votes")


def analysis_page(name: str, findings: Findings) -> str:
    """Return the page of a file of that name, as HTML."""
    rated, pairs, problem = findings.ratings, findings.comparisons, findings.problem
    condorcet = next(iter(findings.winners["condorcet"]), None)
    origin = "A preference matrix" if pairs is None else counted(pairs.total, "vote")
    copeland = arms(list(findings.winners["copeland"]))
    return render(
        "analysis.html",
        title=name,
        lead=rated.verdict if rated is not None else f"By most others beaten: {copeland}.",
        size=f"{origin} of {counted(problem.k, 'arm')}",
        winner=f"arm {condorcet}" if condorcet is not None else "none: no arm beats all others",
        settled=None if pairs is None else pairs.verdict,
        unrated=findings.unrated,
        columns=COLUMNS,
        rows=None if rated is None else [line.texts() for line in rated.rows()],
        sure="" if rated is None else f"{100.0 * rated.confidence:g}%",
        left_out=0 if rated is None else max(len(rated.arms) - MOST_ARMS, 0),
        chart=None
        if rated is None
        else rating_chart(
            [Rated(line.arm, line.low, line.rating, line.high) for line in rated.rows()[:MOST_ARMS]],
            finest=0.01,
        ),
        preferences=inline_svg(
            draw_preferences(problem.matrix, problem.labels, problem.counts, by_score=True),
            "preferences",
            "Preferences",
        ),
        never="" if pairs is None or not pairs.unseen else f"{len(pairs.unseen):,} of {comb(problem.k, 2):,}",
    )


def write_analysis(name: str, findings: Findings, folder: Path) -> tuple[str, ...]:
    """Write the page and the figure of a leaderboard into a folder, and return the names of the files."""
    # The page is made before the first file is written: if that fails, nothing is left behind.
    page = analysis_page(name, findings)
    write_whole(folder / FILES[0], page.encode(errors="backslashreplace"))
    if findings.ratings is None:
        return FILES[:1]
    write_figure(draw_ratings(findings.ratings), folder / FILES[1])
    return FILES
