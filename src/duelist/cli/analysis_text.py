"""An analysis on a terminal: verdict, leaderboard, winners and pairs, the most wanted first."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duelist.analysis import Analysis, Leaderboard, words
from duelist.cli.terminal import console, glossary, heading, table
from duelist.text import counted, number, short_labels

MOST_ARMS = 50
"""Arms of a leaderboard on a terminal."""
MOST_CATEGORIES, MOST_OF_CATEGORY = 20, 20
MOST_PAIRS = 20
INDENT, GAP = 2, 2
"""Columns of the terminal before each part, and between two columns of a table."""
SHORTEST = 6
"""Letters of a name that are left however narrow the terminal is."""


def show(file: Path, found: Analysis) -> None:
    """Print an analysis."""
    terminal, board = console(), found.leaderboard
    terminal.print(heading(f"{file}: {found.size}"), soft_wrap=True)
    for remark in found.remarks:
        terminal.print(Text(remark), soft_wrap=True)
    terminal.print()
    terminal.print(Text(found.headline, "bold"), soft_wrap=True)
    if board is not None:
        show_part(terminal, "Leaderboard", *leaderboard(board, MOST_ARMS), *paragraph(board.legend))
        show_comparisons(terminal, found, board)
    boards, hidden = words.category_boards(found, MOST_CATEGORIES)
    for title, part in boards:
        show_part(terminal, title, *leaderboard(part, MOST_OF_CATEGORY))
    if hidden:
        terminal.print(Text(f"\n{hidden}"))
    show_part(terminal, "Winners by every definition", glossary(words.winner_texts(found)))
    if found.pairs:
        drawn = filled(words.PAIR_HEADINGS, words.pair_rows(found, MOST_PAIRS), names=2)
        show_part(terminal, "Pairs", drawn, *paragraph(*words.pair_notes(found, MOST_PAIRS)))
    given = ", if the shares seen were the truth" if found.counts is not None else ""
    facts = str(found.description).partition("\nGuarantees:")[0]
    show_part(terminal, f"Assumptions{given}", Text(facts))
    show_part(terminal, f"Guarantees{given}", guarantees(found))
    if found.lower_bound is not None:
        bound = f"In the long run no learner's regret stays below {number(found.lower_bound)} log T."
        show_part(terminal, "Lower bound", Text(bound))


def show_comparisons(terminal: Console, found: Analysis, board: Leaderboard) -> None:
    """Print effects and contrasts, where there are any."""
    if board.ratings is not None and board.ratings.effects:
        rows = words.effect_rows(board.ratings.effects, board.digits)
        show_part(terminal, "Effects", filled(words.EFFECT_HEADINGS, rows), *paragraph(words.EFFECT_NOTE))
    if found.contrasts:
        rows = words.contrast_rows(found.contrasts, board.digits)
        show_part(
            terminal, "Contrasts", filled(words.CONTRAST_HEADINGS, rows), *paragraph(words.CONTRAST_NOTE)
        )


def show_part(terminal: Console, title: str, *content: RenderableType) -> None:
    """Print a part under its title, indented."""
    terminal.print()
    terminal.print(heading(title))
    for one in content:
        terminal.print(Padding(one, (0, 0, 0, INDENT), expand=False))


def paragraph(*lines: str) -> list[Text]:
    """Return lines after an empty one; nothing if there are none."""
    told = [line for line in lines if line]
    return [Text("\n".join(["", *told]))] if told else []


def filled(headings: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> Table:
    """Return a table whose first columns are names and whose others are numbers.

    Names are shortened where numbers would have no room.
    """
    numbers = [max(len(row[place]) for row in (headings, *rows)) for place in range(names, len(headings))]
    room = (console().width - INDENT - sum(numbers) - GAP * len(numbers)) // names - GAP
    labels = short_labels([row[place] for place in range(names) for row in rows], max(room, SHORTEST))
    drawn = table(*headings, numbers=headings[names:])
    for place, row in enumerate(rows):
        drawn.add_row(*map(Text, labels[place :: len(rows)]), *map(Text, row[names:]))
    return drawn


def leaderboard(board: Leaderboard, limit: int) -> list[RenderableType]:
    """Return the best arms as a table, and which arms are not in it."""
    drawn = filled([column.heading for column in board.columns], board.texts(limit))
    more, hidden = len(board.listed) - limit, ""
    if more > 0:
        hidden = (
            f"{counted(more, 'more arm')} {'is' if more == 1 else 'are'} not shown; --format csv has all."
        )
    return [drawn, *paragraph(hidden, board.apart)]


def guarantees(found: Analysis) -> Table:
    """Return whose guarantees hold; learners of whom the same is true stand together."""
    together: dict[str, list[str]] = {}
    for learner, sentence in found.description.guarantees.items():
        together.setdefault(sentence, []).append(learner)
    return glossary({"\n".join(learners): sentence for sentence, learners in together.items()})
