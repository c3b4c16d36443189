"""Parser for the documents of this repository: fenced code, inline code, command lines."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "benchmarks" / "README.md",
    *sorted({*DOCS.glob("*.md")} - {DOCS / "messages.md"}),
]
"""All pages that people write; messages are the source's, with what is filled in between braces."""
NAMES = [str(path.relative_to(ROOT)) for path in PAGES]

FENCE = re.compile(r"^```([^`\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
SHELL = {"", "sh"}
"""Languages of fenced code that may contain command lines."""
ENDS = re.compile(r"[|>;]|&&")
"""Tokens that end a command in a shell line."""
COMPUTED = re.compile(r"\$\([^)]*\)")
OPTION = re.compile("--[a-z]")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
COMPOUND = re.compile(r"_|[a-z][A-Z]")
"""What only names of code have, unlike words."""
FILE = re.compile(r"[\w./-]+(?:/|\.py|\.css|\.js|\.md)")


class Fence(NamedTuple):
    """Fenced code with its language."""

    language: str
    code: str


def fences(page: str) -> list[Fence]:
    """Return the fenced code of a page."""
    return [Fence(*found) for found in FENCE.findall(page)]


def spans(page: str) -> list[str]:
    """Return the inline code of a page, which may span two lines."""
    return [" ".join(span.split()) for span in SPAN.findall(FENCE.sub("", page))]


def command_lines(page: str) -> Iterator[list[str]]:
    """Yield the words of each call of `duelist`, in inline code and in fenced code."""
    fenced = [line for one in fences(page) if one.language in SHELL for line in one.code.splitlines()]
    for line in [*fenced, *spans(page)]:
        if line.startswith("duelist "):
            words = shlex.split(COMPUTED.sub("", line.replace("…", "")), comments=True)[1:]
            ended = next((place for place, word in enumerate(words) if ENDS.match(word)), len(words))
            yield words[:ended]


def identifiers(page: str) -> Iterator[str]:
    """Yield the single names in inline code that cannot be words: in snake or camel case."""
    for span in spans(page):
        if IDENTIFIER.fullmatch(span) and COMPOUND.search(span):
            yield span


def files(page: str) -> Iterator[str]:
    """Yield the files and folders of this repository that inline code names; addresses begin with a slash."""
    for span in spans(page):
        if FILE.fullmatch(span) and not span.startswith("/"):
            yield span


def options(page: str) -> Iterator[str]:
    """Yield the options that inline code names without a command."""
    for span in spans(page):
        if OPTION.match(span):
            yield span.split()[0].partition("=")[0]
