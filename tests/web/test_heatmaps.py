import re
import xml.etree.ElementTree as ET
from io import BytesIO

import numpy as np
import pytest
from contrast import contrast
from figure_texts import unreadable
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from playwright.sync_api import Browser, Page

from duelist import RUCB, MatrixProblem, Uniform, simulate
from duelist.duel import BoolArray, FloatArray
from duelist.figures import texts_as_texts
from duelist.problems import bradley_terry, worst_case
from duelist.web.figures import draw_preferences, draw_shares, inline_svg

pytest.importorskip("matplotlib", reason="figures need an extra")


def figure_of(problem: MatrixProblem, by_score: bool = False) -> Figure:
    return draw_preferences(problem.matrix, problem.labels, problem.counts, by_score)


def drawn(problem: MatrixProblem, by_score: bool = False) -> tuple[FloatArray, list[str], list[str]]:
    axes = figure_of(problem, by_score).axes[0]
    values = np.asarray(axes.images[0].get_array())
    rows = [label.get_text() for label in axes.get_yticklabels()]
    columns = [label.get_text() for label in axes.get_xticklabels()]
    assert rows == columns
    return values, rows, [text.get_text() for text in axes.texts]


def test_matrix_is_drawn_with_its_values() -> None:
    problem = bradley_terry([1, 3], labels=["bm25", "dense"])
    values, rows, texts = drawn(problem)
    np.testing.assert_array_equal(values, problem.matrix)
    assert rows == ["bm25", "dense"]
    assert texts == ["0.50", "0.25", "0.75", "0.50"]


def test_colours_are_centred_at_one_half() -> None:
    image = figure_of(worst_case(3, 0.1)).axes[0].images[0]
    assert image.get_clim() == (0.0, 1.0)
    red, green, blue, _ = image.to_rgba(np.array([0.5]))[0]
    assert red == pytest.approx(green, abs=0.02)
    assert green == pytest.approx(blue, abs=0.02)


@pytest.mark.parametrize(("k", "written"), [(12, 144), (13, 0)])
def test_values_are_written_where_there_is_room(k: int, written: int) -> None:
    assert len(drawn(worst_case(k))[2]) == written


def test_values_can_be_read_on_every_colour() -> None:
    from matplotlib.colors import to_hex

    problem = bradley_terry([1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233])
    axes = figure_of(problem).axes[0]
    cells = axes.images[0].to_rgba(problem.matrix).reshape(-1, 4).tolist()
    for text, cell in zip(axes.texts, cells, strict=True):
        assert contrast(to_hex(text.get_color()), to_hex(tuple(cell))) >= 4.5


@pytest.mark.parametrize(("k", "step"), [(60, 1), (100, 2)])
def test_only_some_of_very_many_labels_are_written(k: int, step: int) -> None:
    assert drawn(worst_case(k))[1] == [str(arm) for arm in range(0, k, step)]


def test_arms_by_score() -> None:
    # "c" beats two arms, the others one each, of which "d" wins most often, then "b".
    matrix = [[0.5, 0.4, 0.3, 0.6], [0.6, 0.5, 0.3, 0.5], [0.7, 0.7, 0.5, 0.2], [0.4, 0.5, 0.8, 0.5]]
    problem = MatrixProblem(matrix, labels="abcd")
    values, rows, _ = drawn(problem, by_score=True)
    assert rows == ["c", "d", "b", "a"]
    np.testing.assert_array_equal(values, problem.subset("cdba").matrix)


def test_long_labels_are_cut_and_stay_distinct() -> None:
    names = ["x" * 24, *(f"mistralai/Mixtral-8x22B-Instruct-v0.{version}" for version in range(4))]
    _, rows, _ = drawn(bradley_terry([5, 4, 3, 2, 1], labels=names))
    assert rows[0] == names[0]
    assert rows[1:] == [f"mistralai/Mi…struct-v0.{version}" for version in range(4)]


def hidden_cells(axes: Axes) -> BoolArray:
    return np.ma.getmaskarray(np.ma.asarray(axes.images[0].get_array()))


NEVER = [[0, 2, 0, 1], [2, 0, 0, 0], [0, 3, 0, 0], [1, 0, 0, 0]]
"""Wins: the second arm ties with the first, and three pairs never met."""


def test_pairs_that_never_met_are_hatched_and_have_no_value() -> None:
    figure = figure_of(MatrixProblem.from_wins(NEVER, "abcd"))
    axes = figure.axes[0]
    hidden = hidden_cells(axes)
    assert np.argwhere(hidden).tolist() == [[0, 2], [1, 3], [2, 0], [2, 3], [3, 1], [3, 2]]
    assert len(axes.texts) == 16 - 6
    assert {text.get_position() for text in axes.texts} == {
        (column, row) for row, column in np.argwhere(~hidden).tolist()
    }
    (ground,) = (patch for patch in axes.patches if patch.get_hatch())
    assert ground.get_zorder() < axes.images[0].get_zorder()
    assert ground.get_extents().contains(*axes.transData.transform((2, 0)))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["never compared"]
    assert [patch.get_hatch() for patch in legend.get_patches()] == [ground.get_hatch()]


def test_a_pair_that_never_met_looks_unlike_a_tie(browser: Browser) -> None:
    drawing = inline_svg(figure_of(MatrixProblem.from_wins(NEVER, "abcd")), "pairs", "Pairs")
    page = browser.new_page()
    page.set_content(f'<body style="margin: 0; background: white">{drawing}')
    cells = page.locator("svg image").first.bounding_box()
    assert cells is not None
    shades = [
        # the cells of a versus b, a tie, and of a versus c, away from numbers and edges
        set(pixels(page, cells["x"] + cells["width"] * across / 4.0, cells["y"] + 3.0, 12.0, 12.0))
        for across in (1.2, 2.2)
    ]
    page.close()
    assert len(shades[0]) == 1
    assert min(map(min, shades[0])) > 240
    assert max(map(max, shades[1])) < 230
    assert len(shades[1]) > 1


def pixels(page: Page, x: float, y: float, width: float, height: float) -> list[tuple[int, ...]]:
    """Return the colours of a part of a page."""
    from matplotlib.image import imread

    shot = page.screenshot(clip={"x": x, "y": y, "width": width, "height": height})
    colours = np.rint(255.0 * imread(BytesIO(shot))[..., :3]).astype(int)
    return [tuple(colour) for colour in colours.reshape(-1, 3).tolist()]


@pytest.mark.parametrize("wins", [NEVER, np.ones((4, 4))], ids=["with ties", "all compared"])
def test_nothing_is_hatched_where_counts_are_not_known_or_all_pairs_met(wins: ArrayLike) -> None:
    problem = MatrixProblem.from_wins(wins)
    known = wins is not NEVER
    figure = draw_preferences(problem.matrix, problem.labels, problem.counts if known else None)
    assert figure.legends == []
    assert not [patch for patch in figure.axes[0].patches if patch.get_hatch()]
    assert len(figure.axes[0].texts) == 16


def test_by_score_the_hatched_pairs_move_along() -> None:
    problem = MatrixProblem.from_wins([[0, 0, 1], [0, 0, 0], [4, 3, 0]])
    axes = figure_of(problem, by_score=True).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["2", "0", "1"]
    hidden = hidden_cells(axes)
    assert np.argwhere(hidden).tolist() == [[1, 2], [2, 1]]


LONG = "mistralai/Mixtral-8x22B-Instruct-v0.{} with a chain of thought"
WIDE = "\u65e5\u672c\u8a9e\u30e2\u30c7\u30eb\u6539\u826f\u7248 {}"


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6, 12, 13, 60, 100])
@pytest.mark.parametrize("name", ["{}", LONG, WIDE])
def test_nothing_is_cut_at_the_edge(k: int, name: str) -> None:
    wins = np.ones((k, k)) - np.eye(k)
    wins[0, 1:] = wins[1:, 0] = 0
    figure = figure_of(MatrixProblem.from_wins(wins, [name.format(arm) for arm in range(k)]))
    with texts_as_texts("edges"):  # the machine may have no font for it
        assert list(unreadable(figure)) == []
        for axes in figure.axes:
            place = axes.get_tightbbox()
            assert place is not None
            assert min(place.x0, place.y0) > -0.5
            assert place.x1 < figure.bbox.width + 0.5
            assert place.y1 < figure.bbox.height + 0.5
    # there is room for the numbers, and for all labels one below the other
    cell = figure.axes[0].get_window_extent().width / k
    if k <= 12:
        assert cell > max(text.get_window_extent().width for text in figure.axes[0].texts)
    labels = figure.axes[0].get_yticklabels()
    assert max(label.get_window_extent().height for label in labels) < cell * k / len(labels)


def test_label_is_a_name_and_no_formula() -> None:
    figure = figure_of(bradley_terry([2, 1], labels=[r"$\nonsense$", "<b>"]))
    drawing = inline_svg(figure, "preferences", "who beats whom")
    # once for the row, once for the column
    assert drawing.count(r">$\nonsense$</text>") == 2
    assert drawing.count(">&lt;b&gt;</text>") == 2
    assert "<b>" not in drawing


def test_shares_sum_to_one() -> None:
    result = simulate([RUCB(), Uniform()], worst_case(4, 0.3), horizon=2_000, runs=2)
    axes = draw_shares(result).axes[0]
    values = np.asarray(axes.images[0].get_array())
    assert [label.get_text() for label in axes.get_yticklabels()] == ["RUCB", "Uniform"]
    np.testing.assert_allclose(values.sum(axis=1), 1.0)
    assert values[0, 0] > 0.5
    written = [f"{share:.0%}" for share in values.ravel() if share >= 0.005]
    assert [text.get_text() for text in axes.texts] == written


def test_inline_drawing_is_well_formed_and_has_names_of_its_own() -> None:
    problem = worst_case(3)
    one, other = (inline_svg(figure_of(problem), name, 'a "title"') for name in ("one", "other"))
    # XML, unlike HTML, wants to be told what the prefix means.
    names = [
        {element.get("id") for element in ET.fromstring(text.replace("xlink:", "")).iter()} - {None}
        for text in (one, other)
    ]
    assert names[0]
    assert not names[0] & names[1]
    assert "http" not in one
    assert one == inline_svg(figure_of(problem), "one", 'a "title"')


def test_no_legend_hides_the_page_it_is_on() -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.plot([0, 1], label="a line")
    axes.legend()
    figure.legend()
    drawing = inline_svg(figure, "lines", "two legends")
    frames = re.findall(r'<g id="lines-(?:legend_\d+)">\s*<g id="lines-patch_\d+">\s*<path [^>]*>', drawing)
    assert len(frames) == 2
    assert all(re.search(r'opacity="0"', frame) for frame in frames)


SCRIPTS = ["\u65e5\u672c\u8a9e", "\ud55c\uad6d\uc5b4", "\u0633\u0644\u0627\u0645", "\U0001f9ea model"]


def test_texts_of_every_script_are_left_to_the_browser() -> None:
    drawing = inline_svg(figure_of(bradley_terry([4, 3, 2, 1], labels=SCRIPTS)), "scripts", "Scripts")
    for name in SCRIPTS:
        assert drawing.count(f">{name}</text>") == 2
    texts = re.findall(r"<text[^>]*>", drawing)
    assert texts
    assert all(re.search(r'font-size="[\d.]+px"', text) for text in texts)
    assert "font-family" not in drawing
    # where a browser's letters are narrower or wider, labels still end at their ticks
    assert drawing.count('text-anchor="end"') >= 8
