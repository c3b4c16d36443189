"""Render outputs as safe HTML: Markdown without scripts, styles or external content."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from duelist.journal.content import LINK, has_host

DEEPEST = 20
"""Maximum nesting depth of quotes, lists and inline markup."""
MARKS = "[]()*_`~<>&\\!|#$"
MOST_MARKS = 20_000
"""Maximum number of markup characters in a text read as Markdown, which bounds its time."""
MOST_LINES = 5_000
"""Maximum number of non-empty lines in such a text, because each may begin lists and quotes."""
MOST_CELLS = 20_000
"""Maximum number of table cells in such a text, because short rows are filled up."""
HIGHEST, LOWEST = 3, 6
"""Levels of headings; higher ones belong to the page itself."""


@lru_cache(maxsize=256)
def as_html(output_text: str, links: bool = False) -> Markup:
    r"""Render Markdown with tables as HTML; formulas stay as written.

    Line breaks are kept. HTML is escaped, an image becomes its description and a link its text. A text that
    is nested too deeply, or is mostly markup, stays as written.

    Parameters
    ----------
    output_text : str
        Markdown or plain text.
    links : bool, default False
        Whether links to http and https can be followed.

    Examples
    --------
    >>> print(as_html("# Tea\n*Two* minutes, [not three](https://tea.example) <b>!"), end="")
    <h3 dir="auto">Tea</h3>
    <p dir="auto"><em>Two</em> minutes, not three &lt;b&gt;!</p>
    """
    if _is_heavy(output_text):
        return _as_written(output_text)
    parser = _parser(links)
    tokens = parser.parse(output_text)
    # the parser drops anything nested more deeply
    if any(token.level >= DEEPEST - 1 for token in tokens):
        return _as_written(output_text)
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def _is_heavy(text: str) -> bool:
    """Return whether a text would take too long to parse as Markdown."""
    cells = sum(
        (block.count("\n") + 1) * (max(line.count("|") for line in block.split("\n")) + 1)
        for block in text.split("\n\n")
        if "|" in block
    )
    lines = text.count("\n") - text.count("\n\n") + 1
    return sum(map(text.count, MARKS)) > MOST_MARKS or lines > MOST_LINES or cells > MOST_CELLS


def _as_written(text: str) -> Markup:
    return Markup('<pre dir="auto">\n{}</pre>\n').format(text)


@cache
def _parser(links: bool) -> MarkdownIt:
    options = {"html": False, "breaks": True, "maxNesting": DEEPEST, "xhtmlOut": False}
    parser = MarkdownIt("commonmark", options, renderer_cls=_Renderer).enable(["table", "strikethrough"])
    # reference definitions are not rendered, so a text could disappear
    parser.disable("reference")
    keep_formulas(parser)
    parser.core.ruler.push("fit_for_a_page", partial(_fit, links))
    return parser


class _Renderer(RendererHTML):
    """Renders HTML without classes other than those of the style sheet."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<pre{self.renderAttrs(tokens[idx])}><code>{escapeHtml(tokens[idx].content)}</code></pre>\n"

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return self.fence(tokens, idx, options, env)

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        table = self.renderToken(tokens, idx, options, env)
        return f'<div class="scroll" role="group" tabindex="0" aria-label="Table">{table}'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"


def _fit(links: bool, state: StateCore) -> None:
    """Remove from tokens what does not belong on a page: styles, images, high headings, links."""
    outline: list[int] = []
    for token in state.tokens:
        token.attrs = {name: value for name, value in token.attrs.items() if name == "start"}
        # only top-level blocks have a direction: their first letter decides for all that is inside
        if token.level == 0 and token.nesting >= 0 and token.type not in ("inline", "hr"):
            token.attrs["dir"] = "auto"
        if token.type == "heading_open":
            level = int(token.tag[1:])
            # a heading is at most one level below the previous one, so no level is skipped
            outline = [*(above for above in outline if above < level), level]
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(HIGHEST - 1 + len(outline), LOWEST)}"
        if token.children:
            token.children = list(_fit_inline(token.children, links))


def _fit_inline(tokens: Sequence[Token], links: bool) -> Iterator[Token]:
    keeps_link = False
    for token in tokens:
        if token.type == "image":
            description = _words(token.children or ())
            yield Token("text", "", 0, content=f"[image: {description}]" if description else "[image]")
        elif token.type == "link_open":
            address = str(token.attrs.get("href", ""))
            # links are never nested
            keeps_link = links and LINK.fullmatch(address) is not None and has_host(address)
            if keeps_link:
                token.attrs = {"href": address, "rel": "noopener noreferrer nofollow", "target": "_blank"}
                yield token
        elif token.type != "link_close" or keeps_link:
            yield token


def _words(tokens: Sequence[Token]) -> str:
    """Return the text of tokens, without markup."""
    return "".join(
        _words(token.children) if token.children else " " if token.tag == "br" else token.content
        for token in tokens
    )


LONGEST_FORMULA = 2_000
"""Maximum length of a formula, which bounds the search for its end."""
MOST_FORMULA_LINES = 100
DISPLAYED = {"$$": "$$", r"\[": r"\]"}
CLOSING = {**DISPLAYED, r"\(": r"\)"}
# not sums of money: no spaces just inside the dollars, no digit after the second
IN_DOLLARS = re.compile(r"\$(?![\s$])(?>(?:\\.|[^$\\])+)(?<!\s)\$(?!\d)", re.DOTALL)


def keep_formulas(parser: MarkdownIt) -> None:
    r"""Make a Markdown parser treat formulas as plain text without markup.

    Examples
    --------
    >>> parser = MarkdownIt()
    >>> keep_formulas(parser)
    >>> print(parser.render(r"*Note:* $*x*_1$ and \(a_1*b*\)"), end="")
    <p><em>Note:</em> $*x*_1$ and \(a_1*b*\)</p>
    """
    parser.inline.ruler.before("escape", "formula", _inline)
    interrupted: RuleOptionsType = {"alt": ["paragraph", "blockquote", "list"]}
    parser.block.ruler.before("code", "displayed_formula", _displayed, interrupted)


def _inline(state: StateInline, silent: bool) -> bool:
    end = _end(state.src, state.pos, state.posMax)
    if end is None:
        return False
    if not silent:
        for number, line in enumerate(state.src[state.pos : end].split("\n")):
            if number:
                state.push("hardbreak", "br", 0)
            state.push("text_special", "", 0).content = line
    state.pos = end
    return True


def _end(text: str, start: int, stop: int) -> int | None:
    """Return the end of the formula that begins at `start`; None if there is none."""
    closing = CLOSING.get(text[start : start + 2])
    if closing is not None:
        end = text.find(closing, start + 2, min(stop, start + LONGEST_FORMULA))
        return None if end <= start + 2 else end + 2
    found = IN_DOLLARS.match(text, start, min(stop, start + LONGEST_FORMULA))
    return None if found is None else found.end()


def _displayed(state: StateBlock, start: int, stop: int, silent: bool) -> bool:
    """Parse the lines of a displayed formula as one paragraph, even if one of them looks like a list."""
    if state.is_code_block(start):
        return False
    begin, end = state.bMarks[start] + state.tShift[start], state.eMarks[start]
    closing = DISPLAYED.get(state.src[begin : min(begin + 2, end)])
    if closing is None or state.src.find(closing, begin + 2, begin + LONGEST_FORMULA) < end:
        return False
    for line in range(start + 1, min(stop, start + MOST_FORMULA_LINES)):
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return False
        if closing in state.src[state.bMarks[line] : state.eMarks[line]]:
            if not silent:
                state.line = line + 1
                state.push("paragraph_open", "p", 1)
                inline = state.push("inline", "", 0)
                inline.content = state.getLines(start, line + 1, state.blkIndent, False).strip()
                inline.map, inline.children = [start, line + 1], []
                state.push("paragraph_close", "p", -1)
            return True
    return False
