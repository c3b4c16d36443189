"""Published figures and tables, computed again on the papers' own scale: a folder a paper."""

from collections.abc import Sequence
from importlib import import_module

from duelist.errors import UnknownNameError
from duelist.laboratory import Item, Paper

PAPERS = {
    "yue2012": "yue2012",
    "zoghi2014": "zoghi2014",
    "yue2009-dbgd": "yue2009_dbgd",
    "dudik2015": "dudik2015",
    "slides": "slides",
}
"""Every paper's name and its folder here."""


def paper(name: str) -> Paper:
    """Return a paper with what is reproduced of it.

    Examples
    --------
    >>> paper("zoghi2014").items[0].name
    'figure4'
    """
    if name not in PAPERS:
        raise UnknownNameError("paper", name, PAPERS)
    found: Paper = import_module(f"{__name__}.{PAPERS[name]}").PAPER
    return found


def choose(wanted: Sequence[str]) -> list[tuple[Paper, Item]]:
    """Return what is wanted, each item once: PAPER or PAPER/ITEM, or everything where nothing is named.

    Items of a paper stand together.

    Examples
    --------
    >>> [item.name for _, item in choose(["zoghi2014/figure5", "zoghi2014"])]
    ['figure5', 'figure4']
    >>> [paper.name for paper, _ in choose(["zoghi2014/figure5", "slides", "zoghi2014/figure4"])]
    ['zoghi2014', 'zoghi2014', 'slides']
    """
    chosen = []
    for name in wanted or PAPERS:
        source, _, part = name.partition("/")
        found = paper(source)
        known = {item.name: item for item in found.items}
        if part and part not in known:
            raise UnknownNameError(f"item of {source}", part, known)
        chosen += [(found, item) for item in ([known[part]] if part else found.items)]
    papers = [source.name for source, _ in chosen]
    chosen.sort(key=lambda one: papers.index(one[0].name))
    return list({source.name_of(item): (source, item) for source, item in chosen}.values())
