"""The analysis of a file of votes as a document for terminal and page, and the files of a report."""

from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from duelist.analysis import Analysis, Leaderboard
from duelist.analysis.result import draw_board
from duelist.figures import new_figure, write_figure
from duelist.files import write_whole
from duelist.ratings import Ratings
from duelist.ratings.figure import figure_size
from duelist.text import arms, count, counted, enumeration, number, short_labels
from duelist.web.figures import draw_preferences
from duelist.web.page import (
    MOST_DRAWN,
    Chances,
    Chart,
    Document,
    Figure,
    Part,
    Section,
    TextTable,
    rating_chart,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

FILES = ("report.html", "leaderboard.svg", "leaderboard.csv")
"""Files that `write_analysis` writes: the figure only with ratings, the table only for votes."""
MOST_PREDICTED = 20
"""Number of arms, the best first, in the table of predicted chances."""
MOST_PAIRS = 20
MOST_CATEGORIES = 20
MOST_ARMS, MOST_OF_CATEGORY = 50, 20
"""Number of arms in a brief leaderboard, overall and per category."""
MOST_LIKELY = 5
"""Number of arms named as candidates for first."""
LONGEST_LABEL = 32


def analysis_document(name: str, found: Analysis, brief: bool = False) -> Document:
    """Return the document of an analysis of the file `name`; brief leaderboards list only the best arms."""
    board = found.leaderboard
    given = ", if the observed shares are the true ones" if found.counts is not None else ""
    sections = [] if board is None else [*_ratings(found, board, brief), *_categories(found, brief)]
    sections += [Section("Winners by every definition", [_winners(found)]), Section("Pairs", _pairs(found))]
    if board is not None and board.ratings is not None and not brief:
        sections.append(Section("Predicted wins", _predicted(board, board.ratings)))
    facts = str(found.description).partition("\nGuarantees:")[0]
    sections.append(Section(f"Assumptions{given}", facts.split("\n")))
    sections.append(Section(f"Guarantees{given}", [_guarantees(found.description.guarantees)]))
    if found.lower_bound is not None:
        bound = f"In the long run no learner's regret stays below {number(found.lower_bound)} log T."
        sections.append(Section("Lower bound", [bound]))
    return Document(f"{name}: {found.size}", found.headline, sections, remarks=found.remarks)


def _ratings(found: Analysis, board: Leaderboard, brief: bool) -> list[Section]:
    """Return the sections of leaderboard, effects and contrasts, without empty ones."""
    parts: list[Part] = []
    if board.ratings is not None:
        chart = rating_chart(board.listed, finest=1.0 if board.digits == 0 else 0.01)
        few = f" Only the {MOST_DRAWN} best of {len(board.listed)} arms are drawn."
        caption = "Each dot is a rating; the line is its interval."
        parts = [Chart(chart, caption + (few if len(board.listed) > MOST_DRAWN else ""))]
    first = _likely_first(board)
    parts += _board(board, MOST_ARMS if brief else None)
    parts += [board.legend] if board.legend else []
    parts += [f"Chance to be first: {first}."] if first else []
    sections = [Section("Leaderboard", parts)]
    effects = () if board.ratings is None else board.ratings.effects
    if effects:
        rows = [
            [one.name, _points(one.value, board.digits), _interval(one.low, one.high, board.digits)]
            for one in effects
        ]
        note = (
            "Change of the left arm's rating. For a covariate: per standard deviation of its difference, "
            "left minus right."
        )
        sections.append(Section("Effects", [_numbers(("Effect", "Value", "Interval"), rows), note]))
    if found.contrasts:
        rows = [
            [
                f"{one.one} minus {one.other}",
                _points(one.difference, board.digits),
                _interval(one.low, one.high, board.digits),
                f"{one.chance:.1%}",
            ]
            for one in found.contrasts
        ]
        note = "Chance: predicted probability that the first arm wins a vote against the second."
        table = _numbers(("Contrast", "Difference", "Interval", "Chance"), rows)
        sections.append(Section("Contrasts", [table, note]))
    return sections


def _board(board: Leaderboard, limit: int | None) -> list[Part]:
    style = "board rated" if any(column.needs == "interval" for column in board.columns) else "board"
    headings = [column.heading for column in board.columns]
    more, hidden = 0 if limit is None else len(board.listed) - limit, ""
    if more > 0:
        are = "is" if more == 1 else "are"
        hidden = f"{counted(more, 'more arm')} {are} not shown; --table csv has all."
    table = TextTable(headings, board.texts(limit), "Best arm first", style)
    return [table, *filter(None, (hidden, board.apart))]


def _categories(found: Analysis, brief: bool) -> list[Section]:
    """Return the leaderboards of the categories with the most votes, and the number of others."""
    names, limit = list(found.categories), MOST_OF_CATEGORY if brief else None
    shown = {*sorted(names, key=lambda name: -found.categories[name].answers)[:MOST_CATEGORIES]}
    sections = [
        Section(f"{found.titled(name)} ({counted(board.answers, 'vote')})", _board(board, limit))
        for name, board in found.categories.items()
        if name in shown
    ]
    if (more := len(names) - len(shown)) > 0:
        are = "value of" if more == 1 else "values of"
        hidden = f"{count(more)} more {are} {found.by} not shown; --json has all."
        sections[-1] = Section(sections[-1].title, [*sections[-1].parts, hidden])
    return sections


def _likely_first(board: Leaderboard) -> str:
    """Name the likeliest first arms with their chances; empty without intervals."""
    likely = sorted(((row.first or 0.0, row.arm) for row in board.listed), key=lambda one: -one[0])
    return enumeration([f"{arm} ({first:.0%})" for first, arm in likely if first >= 0.005], MOST_LIKELY)


def _winners(found: Analysis) -> dict[str, str]:
    named = {concept: arms(list(scores)) for concept, scores in found.winners.items()}
    score = {concept: max(scores.values(), default=0.0) for concept, scores in found.winners.items()}
    mixture = [f"{share:.1%} arm {name}" for name, share in found.winners["von_neumann"].items()]
    others = "" if found.one_mixture else "; it is the centre of several unbeaten mixtures"
    texts = {
        "Condorcet": named["condorcet"] if found.winners["condorcet"] else "none: no arm beats all others",
        "Copeland": f"{named['copeland']} ({_beaten(found, score['copeland'])})",
        "Borda": f"{named['borda']} (wins {score['borda']:.1%} against a random other arm)",
        "Schulze": named["schulze"],
        "ranked pairs": named["ranked_pairs"],
        "Kemeny": named.get("kemeny", ""),
        "random walk": f"{named['random_walk']} (visited {score['random_walk']:.1%} of the time)",
        "von Neumann": f"{enumeration(mixture)} (no arm beats this mixture{others})",
    }
    if found.unseen:
        texts["never compared"] = f"{counted(found.unseen, 'pair')}, counted as ties"
    return {definition: text for definition, text in texts.items() if text}


def _beaten(found: Analysis, score: float) -> str:
    """Describe the largest Copeland score: the number of beaten arms, or points if arms tie."""
    others = len(found.arms) - 1
    if score == others or found.description.tied_pairs == 0:
        return f"{score:.0f} of {others} beaten"
    half = "a tie or a pair never compared" if found.unseen else "a tie"
    return f"{score:g} of {counted(others, 'point')}: 1 for each beaten arm, 1/2 for {half}"


def _pairs(found: Analysis) -> list[Part]:
    """Return the figure of all shares of wins, and a table of the pairs that decide the winner."""
    caption = (
        "Shares of wins: blue where the row's arm wins more often, red where it loses more often. Arms that "
        "beat the most others come first."
    )
    if found.unseen:
        k = len(found.arms)
        caption += f" Hatched: {found.unseen:,} of {counted(k * (k - 1) // 2, 'pair')} never compared."

    def draw() -> "list[Drawing]":
        return [draw_preferences(found.matrix, found.arms, found.counts, by_score=True)]

    parts: list[Part] = [Figure(draw, ["Who beats whom"], caption)]
    if not found.pairs:
        return parts
    rows = [
        [
            f"{pair.better} over {pair.worse}",
            count(pair.wins),
            count(pair.votes),
            f"{pair.wins / pair.votes:.1%}",
            f"{pair.lower:.1%} to {pair.upper:.1%}",
        ]
        for pair in found.pairs[:MOST_PAIRS]
    ]
    parts.append(_numbers(("Pair", "Won", "Of", "Share", "Interval"), rows))
    parts.append(
        f"Each interval has {100.0 * found.confidence:g}% confidence on its own (the intervals are not "
        "simultaneous), if votes are independent."
    )
    if (more := len(found.pairs) - MOST_PAIRS) > 0:
        are = "is" if more == 1 else "are"
        parts.append(f"{counted(more, 'more pair')} {are} not shown; --json has all.")
    if found.unseen:
        some = [f"{one} and {other}" for one, other in found.some_unseen()]
        rest = f" and {count(found.unseen - len(some))} more" if found.unseen > len(some) else ""
        parts.append(f"{counted(found.unseen, 'pair')} never compared: {', '.join(some)}{rest}.")
    return parts


def _predicted(board: Leaderboard, ratings: Ratings) -> list[Part]:
    best = [row.arm for row in board.listed[:MOST_PREDICTED]]
    rows = [ratings.arms.index(arm) for arm in best]
    chances = ratings.predicted()[rows][:, rows].tolist()
    note = (
        "Predicted by the ratings: the chance, in percent, that the row's arm wins a vote against the "
        "column's arm, counting a tie as half a win."
    )
    more = f" Only the {len(best)} best arms are listed." if len(board.listed) > len(best) else ""
    return [Chances("Predicted wins", short_labels(best, LONGEST_LABEL), chances, note + more)]


def _guarantees(guarantees: Mapping[str, str]) -> dict[str, str]:
    """Return the guarantees, with learners that share a sentence grouped together."""
    together: dict[str, list[str]] = {}
    for learner, sentence in guarantees.items():
        together.setdefault(sentence, []).append(learner)
    return {"\n".join(learners): sentence for sentence, learners in together.items()}


def _numbers(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> TextTable:
    return TextTable(headings, rows, f"{headings[0]}s with intervals", f"rated numbers-{len(headings) - 1}")


def _points(value: float, digits: int) -> str:
    # adding 0.0 turns -0.00 into 0.00
    return f"{round(value, digits) + 0.0:+,.{digits}f}"


def _interval(low: float, high: float, digits: int) -> str:
    return "" if isnan(low) else f"{_points(low, digits)} to {_points(high, digits)}"


def write_analysis(name: str, found: Analysis, folder: Path) -> tuple[str, ...]:
    """Write the page, figure and table of an analysis into a folder; return the file names."""
    # rendered before the first file is written: if that fails, no file is left behind
    page, board = analysis_document(name, found).page(), found.leaderboard
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
