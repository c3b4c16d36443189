"""Which papers can be reproduced: those that installed packages offer by the entry points of a group."""

from collections.abc import Sequence
from importlib.metadata import entry_points

from duelist.errors import MissingPackageError, UnknownNameError
from duelist.laboratory.items import Item, Paper

GROUP = "duelist.reproductions"
"""The group of entry points: the name is the paper's, the object a `Paper`."""
PACKAGE = "duelist-reproductions"


def find_papers(names: Sequence[str] = ()) -> list[Paper]:
    """Return the papers of these names; without names all that are installed, by name."""
    offered = {one.name: one for one in sorted(entry_points(group=GROUP), key=lambda one: one.name)}
    if not offered:
        raise MissingPackageError("duelist reproduce", PACKAGE)
    for name in names:
        if name not in offered:
            raise UnknownNameError("paper", name, offered)
    found: list[Paper] = [offered[name].load() for name in names or offered]
    return found


def choose(wanted: Sequence[str]) -> list[tuple[Paper, Item]]:
    """Return what is wanted, each item once: PAPER or PAPER/ITEM, or everything where nothing is named.

    Items of a paper stand together, in the order in which papers are first named.
    """
    parts: dict[str, list[str]] = {}
    for name in wanted:
        of, _, part = name.partition("/")
        parts.setdefault(of, []).append(part)
    chosen = dict[str, tuple[Paper, Item]]()
    for source in find_papers(list(parts)):
        known = {item.name: item for item in source.items}
        for part in parts.get(source.name, [""]):
            if part and part not in known:
                raise UnknownNameError(f"item of {source.name}", part, known)
            items = [known[part]] if part else source.items
            chosen |= {source.name_of(item): (source, item) for item in items}
    return list(chosen.values())
