"""Templates: texts are escaped, nothing may be missing, and the style sheet is inside the page."""

from jinja2 import UndefinedError
from markupsafe import Markup
from refusals import refused

from duelist.web.page import environment, render


def test_texts_are_escaped_and_markup_is_not() -> None:
    template = environment().from_string("{{ text }} {{ drawing }} {{ value | number }}")
    made = template.render(text="<b>&", drawing=Markup("<svg></svg>"), value=23671.34)
    assert made == "&lt;b&gt;&amp; <svg></svg> 23,671"


def test_a_missing_value_is_an_error_and_no_gap() -> None:
    with refused(UndefinedError, "'title'"):
        render("page.html")


def test_the_style_sheet_is_inside_for_light_and_dark_wide_and_narrow() -> None:
    page = render("page.html", title="t")
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert "@media (prefers-color-scheme: dark)" in style
    assert "@media (max-width:" in style
    assert "<link" not in page
    assert "url(" not in style


def test_a_title_is_escaped() -> None:
    assert "<title>a &lt; b</title>" in render("page.html", title="a < b")
