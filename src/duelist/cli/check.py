"""`duelist check`: hold a learner, from the registry or from outside, to the contract."""

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from duelist.cli.options import option
from duelist.cli.terminal import console, examples, heading, table

if TYPE_CHECKING:
    from duelist.checks import Verdict

EXAMPLES = examples(
    "duelist check RUCB",
    "duelist check ./mine.py:Mine",
    "duelist check mine.learners:Mine:width=2 --full",
)


def check(
    learner: Annotated[
        str,
        typer.Argument(
            metavar="LEARNER",
            help="A learner's name, module:Class or ./file.py:Class, with parameters behind another colon.",
        ),
    ],
    full: Annotated[
        bool, option("--full", "Play long runs too. A learner in plain Python takes many minutes for them.")
    ] = False,
) -> None:
    """Check that a learner of your own keeps the contract that all learners keep.

    The laws: asking changes nothing, telling returns a new state, a replay gives the same state, equal seeds
    give equal duels, late and repeated answers do no harm, hyperparameters and state survive JSON, and more.
    The learner is built with its card's example, unless parameters are given. The exit status is 1 if a
    check is not met.
    """
    from duelist.card import card_of
    from duelist.checks import expected_failures, run_checks, yield_conduct_checks
    from duelist.parallel import progress_bar

    built = build_for_checks(learner)
    excused = expected_failures(built)
    conduct = [name for name, _ in yield_conduct_checks() if name not in excused]
    checks = run_checks(built, quick=not full, progress=None)
    verdicts: list[Verdict] = []
    with progress_bar(None) as show:
        for verdict in islice(checks, len(conduct)):
            verdicts.append(verdict)
            show("conduct", len(verdicts) / len(conduct))
    # each of the others shows a bar of its own
    verdicts += checks
    listing = table("check", "verdict", "why")
    for verdict in verdicts:
        word = Text("met", "green") if verdict.met else Text("not met", "bold red")
        listing.add_row(Text(verdict.name), word, Text(verdict.reason))
    for name, reason in excused.items():
        listing.add_row(Text(name), Text("excused"), Text(reason))
    failed = sum(not verdict.met for verdict in verdicts)
    terminal = console()
    terminal.print(heading(f"{built!r}, over {card_of(built).setting}"), soft_wrap=True)
    terminal.print(listing)
    terminal.print(Text(f"{len(verdicts) - failed} of {len(verdicts)} checks met, {len(excused)} excused."))
    if failed:
        raise typer.Exit(1)


def build_for_checks(text: str) -> Any:
    """Return a learner with its card's example, changed by the parameters of the text."""
    from duelist.card import card_of
    from duelist.checks.stages import stage_for
    from duelist.cli.specs import make_learner, read_kind

    kind, parameters = read_kind(text)
    card = card_of(kind)
    told = {"horizon": stage_for(kind).full.rounds} if card.needs_horizon else {}
    return make_learner(kind, told | dict(card.example) | parameters)
