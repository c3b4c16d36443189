r"""Formulas in Markdown, between dollars or as \( \) and \[ \]: they stay as they were written."""

import re

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

LONGEST = 2_000
"""Characters of a formula; a bound on how far is looked for its end."""
MOST_LINES = 100
DISPLAYED = {"$$": "$$", r"\[": r"\]"}
CLOSING = {**DISPLAYED, r"\(": r"\)"}
# a sum of money is none: spaces inside the dollars, or a digit behind the second
IN_DOLLARS = re.compile(r"\$(?![\s$])(?>(?:\\.|[^$\\])+)(?<!\s)\$(?!\d)", re.DOTALL)


def keep_formulas(parser: MarkdownIt) -> None:
    r"""Let a parser of Markdown take formulas as texts, in which nothing is markup.

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
    """Return where a formula ends that begins at a place; None if none does."""
    closing = CLOSING.get(text[start : start + 2])
    if closing is not None:
        end = text.find(closing, start + 2, min(stop, start + LONGEST))
        return None if end <= start + 2 else end + 2
    found = IN_DOLLARS.match(text, start, min(stop, start + LONGEST))
    return None if found is None else found.end()


def _displayed(state: StateBlock, start: int, stop: int, silent: bool) -> bool:
    """Take the lines of a displayed formula as one paragraph, although one may begin like a list."""
    if state.is_code_block(start):
        return False
    place, end = state.bMarks[start] + state.tShift[start], state.eMarks[start]
    closing = DISPLAYED.get(state.src[place : min(place + 2, end)])
    if closing is None or state.src.find(closing, place + 2, place + LONGEST) < end:
        return False
    for line in range(start + 1, min(stop, start + MOST_LINES)):
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
