"""Real data, where it is."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from duelist.errors import FileError
from duelist.laboratory import Sources


def available(sources: Sources, folder: str, names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the CSV files that are there by name, and say of the others why they are skipped."""
    for name in names:
        try:
            yield name, sources.find(f"{folder}/{name}.csv")
        except FileError as error:
            print(f"skipped {name}: {error}", file=sys.stderr)
