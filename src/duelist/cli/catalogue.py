"""`duelist learners` and `duelist problems`: what there is, read off cards and documentation."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter
from typing import Any, get_args

from rich.table import Table
from rich.text import Text

from duelist.card import Setting, card_of
from duelist.cli.terminal import console, heading, table
from duelist.constraints import parameters_of, range_of
from duelist.registry import ESTIMATORS, PROBLEMS, learners_for, purpose

PLACES: dict[Setting, str] = {  # where the learners of each setting are used
    "arms": "in duelist simulate and duelist replay",
    "points of a space": "in Python; the last one asks in duelist optimize",
    "rankings": "in duelist rank",
    "contexts": "in Python",
}


def learners() -> None:
    """List the learners: what they do, what they assume and promise, and their hyperparameters."""
    terminal = console()
    for setting in get_args(Setting):
        terminal.print(heading(f"Learners for {setting}, {PLACES[setting]}"))
        terminal.print(learner_table(learners_for(setting)), "")
    terminal.print(heading("Estimators, from a log of duels in contexts, in duelist fit"))
    terminal.print(learner_table(ESTIMATORS), "")
    terminal.print(Text("A learner with a horizon is told that of the simulation, unless you give another."))
    terminal.print(Text("Your own learner: duelist simulate -l ./mine.py:Mine, duelist check ./mine.py:Mine"))
    terminal.print(Text("Example: duelist simulate -l RUCB:alpha=0.6 -l Uniform"))


def learner_table(kinds: Mapping[str, type[Any]]) -> Table:
    """Return a table of learners."""
    listing = table("learner", "what it does, assumes and promises", "hyperparameters")
    for name, kind in kinds.items():
        card = card_of(kind)
        text = f"{purpose(kind)} Seeks: {card.seeks}. Assumes: {card.assumes}. Regret: {card.regret}."
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


def parameters(maker: Callable[..., Any]) -> str:
    """Return the parameters with their defaults and the numbers they take, a line for each."""
    accepted = parameters_of(maker)
    defaults = {name: parameter.default for name, parameter in accepted.items()}
    for field in fields(maker) if isinstance(maker, type) and is_dataclass(maker) else ():
        if field.default_factory is not MISSING:
            defaults[field.name] = field.default_factory()
    lines = []
    for name, default in defaults.items():
        allowed = range_of(accepted[name].annotation)
        written = name if default is Parameter.empty else f"{name}={default}"
        lines.append(written if allowed is None else f"{written} ({allowed})")
    return "\n".join(lines)
