"""What a file of votes says, as one HTML page: a leaderboard, who beats whom, and what follows."""

from math import comb
from pathlib import Path
from typing import Any

from duelist.analysis import Analysis, Leaderboard, words
from duelist.analysis.result import draw_board
from duelist.figures import new_figure, write_figure
from duelist.files import write_whole
from duelist.ratings.figure import figure_size
from duelist.text import counted, short_labels
from duelist.web.figures import draw_preferences, inline_svg
from duelist.web.leaderboard import Rated, RatingChart, rating_chart
from duelist.web.page import render

FILES = ("report.html", "leaderboard.svg", "leaderboard.csv")
"""What `write_analysis` writes: the figure only of arms that are rated, the table only of votes."""
MOST_DRAWN = 30
"""Arms of the chart: the best."""
MOST_PREDICTED = 20
"""Arms of the table of predicted chances: the best."""
MOST_PAIRS = 20
MOST_CATEGORIES = 50
LONGEST_LABEL = 32


def analysis_page(name: str, found: Analysis) -> str:
    """Return the page of a file of that name, as HTML."""
    board = found.leaderboard
    figure = draw_preferences(found.matrix, found.arms, found.counts, by_score=True)
    pairs = comb(len(found.arms), 2)
    categories, hidden = words.category_boards(found, MOST_CATEGORIES)
    return render(
        "analysis.html",
        title=name,
        headline=found.headline,
        size=found.size,
        remarks=found.remarks,
        board=None if board is None else board_part(board),
        chart=None if board is None else chart_of(board),
        first="" if board is None else words.likely_first(board),
        predicted=None if board is None else predicted_of(board),
        effects=[] if board is None or board.ratings is None else effects_of(board),
        effect_headings=words.EFFECT_HEADINGS,
        effect_note=words.EFFECT_NOTE,
        contrasts=[] if board is None else words.contrast_rows(found.contrasts, board.digits),
        contrast_headings=words.CONTRAST_HEADINGS,
        contrast_note=words.CONTRAST_NOTE,
        categories=[(title, board_part(one)) for title, one in categories],
        hidden=hidden,
        winners=words.winner_texts(found),
        pairs=[
            [f"{better} over {worse}", *numbers]
            for better, worse, *numbers in words.pair_rows(found, MOST_PAIRS)
        ],
        pair_headings=("Pair", *words.PAIR_HEADINGS[2:]),
        pair_notes=words.pair_notes(found, MOST_PAIRS) if found.pairs else [],
        preferences=inline_svg(figure, "preferences", "Preferences"),
        never=f"{found.unseen:,} of {counted(pairs, 'pair')}" if found.unseen else "",
    )


def board_part(board: Leaderboard) -> dict[str, Any]:
    """Return what a page shows of a leaderboard."""
    columns = board.columns
    return {
        "headings": [column.heading for column in columns],
        "rows": board.texts(),
        "kind": "board rated" if any(column.needs == "interval" for column in columns) else "board",
        "apart": board.apart,
        "legend": board.legend,
    }


def chart_of(board: Leaderboard) -> RatingChart | None:
    """Return the chart of the best arms; None without ratings."""
    if board.ratings is None:
        return None
    rated = [
        Rated(row.arm, *(row.rating if end is None else end for end in (row.low, row.rating, row.high)))
        for row in board.listed[:MOST_DRAWN]
        if row.rating is not None
    ]
    return rating_chart(rated, finest=1.0 if board.digits == 0 else 0.01)


def predicted_of(board: Leaderboard) -> dict[str, Any] | None:
    """Return the predicted chances of the best arms against each other, in percent; None without ratings."""
    if board.ratings is None:
        return None
    arms = [row.arm for row in board.listed[:MOST_PREDICTED]]
    places = [board.ratings.arms.index(arm) for arm in arms]
    chances = board.ratings.predicted()[places][:, places].tolist()
    return {
        "labels": short_labels(arms, LONGEST_LABEL),
        "chances": chances,
        "more": len(board.listed) > len(arms),
    }


def effects_of(board: Leaderboard) -> list[list[str]]:
    """Return the rows of effects."""
    return [] if board.ratings is None else words.effect_rows(board.ratings.effects, board.digits)


def write_analysis(name: str, found: Analysis, folder: Path) -> tuple[str, ...]:
    """Write the page, the figure and the table of a leaderboard; return the names of the files."""
    # The page is made before the first file is written: if that fails, nothing is left behind.
    page, board = analysis_page(name, found), found.leaderboard
    write_whole(folder / FILES[0], page.encode(errors="backslashreplace"))
    written = [FILES[0]]
    if board is not None and board.ratings is not None:
        figure = new_figure(*figure_size(board.ratings))
        draw_board(board, figure.subplots())
        write_figure(figure, folder / FILES[1])
        written.append(FILES[1])
    if board is not None:
        write_whole(folder / FILES[2], found.to_csv().encode(errors="backslashreplace"))
        written.append(FILES[2])
    return tuple(written)
