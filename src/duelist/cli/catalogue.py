"""`duelist learners` and `duelist problems`: what there is, read off its own documentation."""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter, getdoc, signature
from typing import Any

from rich.table import Table
from rich.text import Text

from duelist.cli.terminal import console, heading, table
from duelist.registry import (
    CONTEXTUAL_LEARNERS,
    LEARNERS,
    POINT_LEARNERS,
    PROBLEMS,
    RANKING_LEARNERS,
    purpose,
)


def learners() -> None:
    """List the learners: what they do, what must be true for it, and their hyperparameters."""
    terminal = console()
    terminal.print(heading("For arms, in duelist simulate"))
    terminal.print(learner_table(LEARNERS))
    terminal.print(
        Text("\nA learner with a horizon is told that of the simulation, unless you give another.")
    )
    terminal.print(Text("Example: duelist simulate -l RUCB:alpha=0.6 -l Uniform\n"))
    terminal.print(heading("For the points of a space, in Python; the last one asks in duelist optimize"))
    terminal.print(learner_table(POINT_LEARNERS))
    terminal.print(heading("\nFor rankings, in duelist rank"))
    terminal.print(learner_table(RANKING_LEARNERS))
    terminal.print(heading("\nFor contexts, in Python; FPL and PGD in duelist fit"))
    terminal.print(learner_table(CONTEXTUAL_LEARNERS))


def learner_table(kinds: Mapping[str, type[Any]]) -> Table:
    """Return a table of learners."""
    listing = table("learner", "what it does, and what it needs", "hyperparameters")
    for name, kind in kinds.items():
        text = f"{purpose(kind)} Needs {needs(kind)}."
        listing.add_row(Text(name), Text(text), Text(parameters(kind)), end_section=True)
    return listing


def problems() -> None:
    """List the problems: who beats whom in them, and their parameters."""
    listing = table("problem", "what it is", "parameters")
    for name, maker in PROBLEMS.items():
        text = purpose(maker).removeprefix("Return ")
        text = text[:1].upper() + text[1:]
        listing.add_row(Text(name), Text(text), Text(parameters(maker)), end_section=True)
    terminal = console()
    terminal.print(listing)
    terminal.print(Text("\nA CSV file of preferences or of comparisons is a problem too."))
    terminal.print(Text("Example: duelist simulate --problem worst_case:k=10,epsilon=0.2"))


def needs(kind: type[Any]) -> str:
    """Return what a learner's documentation says it needs; nothing if it says nothing.

    Examples
    --------
    >>> needs(LEARNERS["RUCB"])
    'a Condorcet winner and nothing else'
    """
    stated = re.search(r"\bNeeds (.+?)[;.]", " ".join((getdoc(kind) or "").split()))
    return stated[1] if stated else "nothing"


def parameters(maker: Callable[..., Any]) -> str:
    r"""Return the parameters with their defaults, a line for each.

    Examples
    --------
    >>> parameters(PROBLEMS["worst_case"])
    'k\nepsilon=0.1'
    """
    defaults = {name: parameter.default for name, parameter in signature(maker).parameters.items()}
    for field in fields(maker) if isinstance(maker, type) and is_dataclass(maker) else ():
        if field.default_factory is not MISSING:
            defaults[field.name] = field.default_factory()
    return "\n".join(
        name if default is Parameter.empty else f"{name}={default}" for name, default in defaults.items()
    )
