"""Short texts, such as headlines: every line is an arm, which is called what it says."""

import io
from pathlib import Path

from duelist.arena.content.gathering import Gathering
from duelist.arena.content.material import Material, Output
from duelist.arena.content.naming import name_of


def read_texts(path: Path, text: str) -> Material:
    """Return the lines of a file whose text is known, each as an arm."""
    gathering = Gathering(path)
    for number, line in enumerate(io.StringIO(text), start=1):
        where = f"line {number}"
        shown = gathering.text(where, "text", line.strip())
        if shown is not None:
            gathering.add(where, name_of(shown), Output(shown))
    return gathering.result()
