"""Leaderboards as people publish them: every format can be read back."""

import csv
import io
import re

import numpy as np
import pytest
from page_outline import Outline
from refusals import names

from duelist import Leaderboard, Votes, analyze, load_votes
from duelist.analysis.leaderboard import COLUMNS, LATEX, leaderboard_of
from duelist.files import unguard

NAMES = ("R&D_50%", "a|b*c", "x\\y ~ {z}^2", "=1+1", "<i>$n$</i>", "日本", "#1")
"""Arms with signs that mean something in one of the formats."""


@pytest.fixture(scope="module")
def board() -> Leaderboard:
    rows = []
    for index, one in enumerate(NAMES):
        for other in NAMES[index + 1 :]:
            rows += [(one, other, 6), (other, one, 3)]
    rows += [("champion | _all_", NAMES[0], 2), ("isle 1", "isle 2", 1)]
    return leaderboard_of(load_votes(rows), scale="elo")


def test_the_table_has_rated_arms_and_others_stand_apart(board: Leaderboard) -> None:
    assert tuple(row.arm for row in board.listed) == NAMES
    assert {row.arm for row in board.unrated} == {"champion | _all_", "isle 1", "isle 2"}
    assert board.rows[0].arm == "champion | _all_"
    assert names(board.apart, "champion | _all_", "isle 1, isle 2")
    assert [len(line) for line in board.texts()] == [len(COLUMNS)] * 7
    lines = str(board).splitlines()
    assert (len(lines), lines[-1]) == (9, board.apart)
    assert board.table(2).splitlines()[3:] == ["and 5 more", board.apart]


def test_csv_is_read_back_with_all_digits(board: Leaderboard) -> None:
    header, *rows = csv.reader(io.StringIO(board.to_csv()))
    assert all(len(row) == len(header) for row in rows)
    for row, arm in zip(rows, (*board.listed, *board.unrated), strict=True):
        cells = dict(zip(header, row, strict=True))
        assert unguard(cells["arm"]) == arm.arm
        for name in ("rating", "low", "high", "first", "rank_low", "rank_high", "votes", "share"):
            value = getattr(arm, name)
            assert cells[name] == ("" if value is None else str(value))
        assert cells["unrated"] == arm.unrated
    assert rows[3][0] == "'=1+1", "no spreadsheet computes it"


def plain(text: str) -> str:
    """Return a text of Markdown as it is shown."""
    return re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", text)


def markdown_cells(line: str) -> list[str]:
    """Return the cells of a row of a table of GitHub's Markdown."""
    assert line.startswith("| ")
    assert line.endswith(" |")
    cells = re.split(r"(?<!\\)(?:\\\\)*\|", line[1:-1])
    return [plain(cell.strip()) for cell in cells]


def test_markdown_is_a_table(board: Leaderboard) -> None:
    text = board.to_markdown("Best_of")
    title, empty, header, rule, *rows = text.split("\n")
    assert (title, empty) == (r"### Best\_of", "")
    assert markdown_cells(header) == [column.heading for column in COLUMNS]
    assert re.fullmatch(r"\| --- \|( ---: \|)+", rule)
    assert [markdown_cells(row) for row in rows[:7]] == board.texts()
    assert rows[7] == ""
    assert plain(rows[8]) == board.apart


def test_latex_is_a_table_whose_names_are_escaped(board: Leaderboard) -> None:
    text = board.to_latex("A_1")
    assert text.startswith("\\subsection*{A\\_1}\n\\begin{tabular}{lrrrrrr}\n\\toprule\n")
    body = text.partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    signs = {text: sign for sign, text in LATEX.items()}
    known = re.compile("|".join(map(re.escape, sorted(signs, key=len, reverse=True))))
    rows = [
        [known.sub(lambda found: signs[found[0]], cell) for cell in re.split(r"(?<!\\) & ", line)]
        for line in body.replace(" \\\\\n", "\n").splitlines()
    ]
    assert rows == board.texts()
    # outside of known escapes, no sign of LaTeX is left but the ends of cells and rows
    left = known.sub("", body.replace(" \\\\\n", "\n").replace(" & ", " "))
    assert not set(left) & set("\\&%$#_{}~^<>")


def test_html_is_a_table_whose_names_are_escaped(board: Leaderboard) -> None:
    outline = Outline(board.to_html("<b>"))
    assert outline.open == []
    assert (outline.tags["table"], outline.tags["tr"], outline.tags["i"], outline.tags["b"]) == (1, 8, 0, 0)
    shown = [text.strip() for text in outline.texts if text.strip()]
    cells = [cell for line in board.texts() for cell in line]
    assert shown == ["<b>", *(column.heading for column in COLUMNS), *cells, board.apart]


def test_notebooks_show_the_best_of_many() -> None:
    many = leaderboard_of(Votes.from_counts(2.0 * (1.0 - np.eye(60)) + np.triu(np.ones((60, 60)), 1)))
    outline = Outline(many._repr_html_())
    assert outline.tags["tr"] == 51
    assert "and 10 more" in outline.texts
    assert len(repr(many).splitlines()) == 52
    assert Outline(many.to_html()).tags["tr"] == 61


def test_without_ratings_there_are_votes_alone() -> None:
    board = leaderboard_of(load_votes([("a", "b", 4), ("c", "b", 1)]))
    assert board.ratings is None
    assert [column.name for column in board.columns] == ["arm", "votes", "won"]
    assert board.texts() == [["a", "4", "100%"], ["c", "1", "100%"], ["b", "5", "0%"]]
    assert names(board.apart, "ridge=0.1")
    assert (board.legend, board.unrated) == ("", ())


def test_without_intervals_there_are_ranks_alone() -> None:
    ranking = load_votes([{"ranking": "a = b > c"}, {"ranking": "c > a"}])
    one = Votes(
        ranking.arms, ranking.left, ranking.right, ranking.outcomes, rankings=["only"] * len(ranking.left)
    )
    board = leaderboard_of(one)
    assert [column.name for column in board.columns] == ["arm", "rank", "rating", "votes", "won"]
    assert all(row.low is None and row.first is None for row in board.rows)
    assert names(board.legend, "no intervals", "ranking", "1 cluster")


def test_minimum_votes_and_weights_are_said() -> None:
    rows = [("a", "b", 9), ("b", "a", 6), ("c", "a", 1), ("a", "c", 1)]
    assert names(leaderboard_of(load_votes(rows), minimum_votes=5).apart, "c", "5 votes")
    heavy = Votes(["a", "b"], [0, 1], [1, 0], [1.0, 1.0], weights=[2.0, 1.0])
    assert names(leaderboard_of(heavy).legend, "weights")


def test_csv_of_categories_is_one_table() -> None:
    votes = {
        "left": ["a"] * 6,
        "right": ["b"] * 6,
        "outcome": ["left", "right"] * 3,
        "kind": ["x", "x", "y", "y", None, None],
    }
    rows = list(csv.DictReader(io.StringIO(analyze(votes, by="kind").to_csv())))
    assert [row["category"] for row in rows] == [
        *("all votes", "all votes", "kind: x", "kind: x"),
        *("kind: y", "kind: y", "without kind", "without kind"),
    ]
    assert {row["votes"] for row in rows[2:]} == {"2.0"}


def test_a_ridge_is_said() -> None:
    votes = Votes.from_counts([[0, 3], [0, 0]])
    assert "ridge" in leaderboard_of(votes, ridge=0.1).legend
    assert leaderboard_of(votes).ratings is None
