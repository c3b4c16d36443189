import re
import sys
from html.parser import HTMLParser
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from duelist.arena.content.showing import MOST_LINES, MOST_MARKS, as_html

TAGS = {
    *("p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "s", "a"),
    *("table", "thead", "tbody", "tr", "th", "td", "div", "br", "hr"),
}
VOID = {"br", "hr"}
SAFE = {("dir", "auto"), ("class", "scroll"), ("role", "group"), ("tabindex", "0"), ("aria-label", "Table")}
SAFE |= {("rel", "noopener noreferrer nofollow"), ("target", "_blank")}
PIECES = [
    *(
        "# ",
        "### ",
        "> ",
        "- ",
        "1. ",
        "    ",
        "```\n",
        "~~~",
        "|",
        "|-|-|\n",
        "\n",
        "\n\n",
        "\\",
        "$",
        "$$",
        "\\[",
    ),
    *("*", "**", "_", "~~", "`", "[", "](", ")", "![", "]: ", "<", ">", "&lt;", "&#x3c;", "&", '"', "'", "="),
    *(
        "javascript:alert(1)",
        "https://a.example",
        "http:",
        "<script>alert(1)</script>",
        "<img src=x onerror=y>",
    ),
    *(
        "</div></pre></p>",
        "<!--",
        "-->",
        "onclick=x",
        "style=x",
        "<http://b.example/?x=1&y>",
        "word",
        "שלום",
        " ",
    ),
]
MARKDOWN = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=40).map("".join)


class Page(HTMLParser):
    """Reads HTML and refuses all that should not be in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words = ""
        self.feed(str(html))
        self.close()
        assert self.open == [], "a tag was not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        self.tags.append(tag)
        for name, value in attrs:
            if name == "href":
                assert tag == "a"
                assert re.match(r"https?://[^/]", value or "")
                self.links.append(value or "")
            elif name == "start":
                assert tag == "ol"
                assert (value or "").isdecimal()
            else:
                assert (name, value) in SAFE
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


@given(MARKDOWN, st.booleans())
@example("[a](javascript:alert(1)) [b](JaVaScRiPt:x) [c](&#106;avascript:x) [d](data:text/html,x)", True)
@example('[a](https://b.example/"onclick="x) <https://c.example/"><script>', True)
@example("```html onload=x\n</code></pre><script>\n```", True)
@example("|a|\n|:-:|\n|<b>|", False)
def test_whatever_is_written_nothing_acts_and_all_tags_are_closed(text: str, links: bool) -> None:
    page = Page(as_html(text, links))
    assert links or not page.links


@given(
    st.lists(st.one_of(st.sampled_from("#>-*_|=\n \\$[]&<"), st.sampled_from("abcשéß")), max_size=60).map(
        "".join
    )
)
@example("[a]: b")
@example("> " * 40 + "a\n\nb")
@example("- " * 30 + "a")
@example("<!-- a -->b<!doctype c>")
def test_the_words_survive(text: str) -> None:
    marks = re.compile(r"\W|_")
    assert marks.sub("", Page(as_html(text)).words) == marks.sub("", text)


@given(st.text(st.characters(categories=["L", "N", "Zs"])))
def test_plain_words_are_shown_as_they_are(text: str) -> None:
    assert "".join(Page(as_html(text)).words.split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("one\ntwo", "<p>one<br>two</p>"),
        ("*a* **b** ~~c~~ `<d>`", "<p><em>a</em> <strong>b</strong> <s>c</s> <code>&lt;d&gt;</code></p>"),
        ("```python\nif a<b:\n    c\n```", "<pre><code>if a&lt;b:\n    c\n</code></pre>"),
        ("    code", "<pre><code>code</code></pre>"),
        ("3. a\n4. b", '<ol start="3">\n<li>a</li><li>b</li></ol>'),
        ("![a *b*](https://c.example/d.png)![](e)", "<p>[image: a b][image]</p>"),
        ("[a](https://b.example 'c')", "<p>a</p>"),
        ("[a]: https://b.example\n\n[a]", "<p>[a]: https://b.example</p><p>[a]</p>"),
        ("<b>a</b>", "<p>&lt;b&gt;a&lt;/b&gt;</p>"),
        ("", ""),
    ],
)
def test_markdown_becomes_html(text: str, html: str) -> None:
    shown = as_html(text).replace(' dir="auto"', "")
    assert re.sub(r">\n+", ">", shown).strip() == re.sub(r">\n+", ">", html).replace(
        "code</code>", "code\n</code>"
    )


@pytest.mark.parametrize(
    "formula",
    [
        *(
            "$x_1^2$",
            "$a*b*c$",
            r"$\{x_i\}_{i*1}^{j*2}$",
            r"\(a_1 *b* c_1\)",
            r"\[a_1 *b* \\ c\]",
            "$$a_1 *b* c$$",
        ),
        *("$$\na\n- b\n+ c\n= d\n$$", "\\[\n> a \\\\\n# b\n\\]", "$a<b$", "$`a`$"),
    ],
)
def test_formulas_stay_as_they_were_written(formula: str) -> None:
    for text in (formula, f"So\n{formula} is *it*", f"- {formula}".replace("\n", "\n  ")):
        page = Page(as_html(text))
        assert formula in page.words
        assert not {"h3", "blockquote", "code", "strong"} & {*page.tags}
        assert page.tags.count("em") == text.count("is *it*")


def test_money_is_no_formula() -> None:
    assert "<em>only</em>" in as_html("From $5, *only* $4.")
    assert "<em>only</em>" in as_html("$5, *only*$4")
    assert "<em>only</em>" in as_html("US$, *only* $ here")
    assert as_html(r"\$5") == '<p dir="auto">$5</p>\n'


def test_links_are_shown_only_where_they_are_allowed() -> None:
    text = "[a](https://b.example/?c=1&d) <http://e.example> [f](/g) [h](mailto:i@j.example) [k](https://?l)"
    page = Page(as_html(text, links=True))
    assert page.links == ["https://b.example/?c=1&d", "http://e.example"]
    assert page.words == Page(as_html(text)).words == "a http://e.example f h k\n"


def test_headings_begin_at_the_third_level_and_leave_none_out() -> None:
    page = Page(as_html("### a\n# b\n###### c\n###### d\n## e\n### f\n#### g\n##### h\nb\n===\n"))
    assert page.tags == ["h3", "h3", "h4", "h4", "h4", "h5", "h6", "h6", "h3"]


def test_each_outer_block_finds_its_own_direction() -> None:
    assert as_html("שלום\n\n- a\n\n  b\n").count('dir="auto"') == 2
    assert as_html("> # a").startswith('<blockquote dir="auto">\n<h3>')


HEAVY = [
    "[",
    "![",
    "[a](",
    "*a _",
    "`a",
    "\\(",
    "$a",
    "&",
    "<a",
    "> a\n",
    "- - a\n",
    "a\n=\n",
    "|a",
    "|a\n",
    "\\[\n",
]


@pytest.mark.parametrize("piece", HEAVY)
def test_work_grows_with_the_text_and_is_bounded(piece: str) -> None:
    whole = (piece * 100_000)[:100_000]
    assert as_html(whole).startswith('<pre dir="auto">\n')
    few, many = (calls_for(piece * times) for times in (50, 200))
    assert many < 6 * few


def calls_for(text: str) -> int:
    """Return how many functions are called to show a text."""
    calls = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        as_html.__wrapped__(text)
    finally:
        sys.setprofile(before)
    return calls


def test_what_is_heavy_is_shown_as_it_was_written() -> None:
    wide = f"|{'a|' * 200}\n|{'-|' * 200}\n" + "|b\n" * 200
    for text in ("(" * (MOST_MARKS + 1), "a\n" * MOST_LINES, wide, ">" * 30 + "a"):
        shown = as_html(text)
        assert shown.startswith('<pre dir="auto">\n')
        assert Page(shown).words.strip() == text.strip()
    assert as_html("a\n\n" * (MOST_LINES - 1)).startswith("<p ")
    assert as_html("(" * MOST_MARKS).startswith("<p ")
    assert as_html("\n\n|a|b|\n|-|-|\n|c|d|\n\n" * 500).startswith("<div")
    assert as_html(
        "A *long* text, with `code` and [links](https://a.example), goes on.\n\n" * 1_350
    ).startswith("<p ")
