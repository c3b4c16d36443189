import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from contrast import contrast

from duelist import RUCB, MatrixProblem, Uniform, simulate
from duelist.duel import FloatArray
from duelist.problems import bradley_terry, worst_case
from duelist.web.figures import draw_preferences, draw_shares, inline_svg

pytest.importorskip("matplotlib", reason="figures need an extra")


def drawn(problem: MatrixProblem, by_score: bool = False) -> tuple[FloatArray, list[str], list[str]]:
    axes = draw_preferences(problem, by_score).axes[0]
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
    image = draw_preferences(worst_case(3, 0.1)).axes[0].images[0]
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
    axes = draw_preferences(problem).axes[0]
    cells = axes.images[0].to_rgba(problem.matrix).reshape(-1, 4).tolist()
    for text, cell in zip(axes.texts, cells, strict=True):
        assert contrast(to_hex(text.get_color()), to_hex(tuple(cell))) >= 4.5


def test_only_some_of_many_labels_are_written() -> None:
    _, rows, _ = drawn(worst_case(100))
    assert rows == [str(arm) for arm in range(0, 100, 3)]


def test_arms_by_score() -> None:
    # "c" beats two arms, the others one each, of which "d" wins most often, then "b".
    matrix = [[0.5, 0.4, 0.3, 0.6], [0.6, 0.5, 0.3, 0.5], [0.7, 0.7, 0.5, 0.2], [0.4, 0.5, 0.8, 0.5]]
    problem = MatrixProblem(matrix, labels="abcd")
    values, rows, _ = drawn(problem, by_score=True)
    assert rows == ["c", "d", "b", "a"]
    np.testing.assert_array_equal(values, problem.subset("cdba").matrix)


def test_long_labels_are_cut() -> None:
    _, rows, _ = drawn(bradley_terry([2, 1], labels=["x" * 24, "a-name-without-any-blank-in-it"]))
    assert rows == ["x" * 24, "a-name-without-any-bl..."]


def test_label_is_a_name_and_no_formula() -> None:
    figure = draw_preferences(bradley_terry([2, 1], labels=[r"$\nonsense$", "<b>"]))
    assert inline_svg(figure, "preferences", "who beats whom").startswith("<svg ")


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
    one, other = (inline_svg(draw_preferences(problem), name, 'a "title"') for name in ("one", "other"))
    # XML, unlike HTML, wants to be told what the prefix means.
    names = [
        {element.get("id") for element in ET.fromstring(text.replace("xlink:", "")).iter()} - {None}
        for text in (one, other)
    ]
    assert names[0]
    assert not names[0] & names[1]
    assert "http" not in one
    assert one == inline_svg(draw_preferences(problem), "one", 'a "title"')


def test_no_legend_hides_the_page_it_is_on() -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    axes.plot([0, 1], label="a line")
    axes.legend()
    figure.legend()
    drawing = inline_svg(figure, "lines", "two legends")
    frames = re.findall(r'<g id="lines-(?:legend_\d+)">\s*<g id="lines-patch_\d+">\s*<path [^>]*>', drawing)
    assert len(frames) == 2
    assert all(re.search(r'opacity="0"', frame) for frame in frames)
