"""Real data, where it is."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from duelist.laboratory import Sources


def available(sources: Sources, folder: str, names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the CSV files that are there by name, and say of the others why they are skipped."""
    for name in names:
        wanted = f"{folder}/{name}.csv"
        place = sources.search(wanted)
        if place is not None:
            yield name, place
        elif sources.real:
            print(f"skipped {name}: {sources.folder} has no {wanted}, plain or .gz", file=sys.stderr)
        else:
            print(f"skipped {name}: --data or DUELIST_DATA must name a folder of data", file=sys.stderr)
