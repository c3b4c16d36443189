"""`duelist learners`, `problems`, `check` and `warm`: what there is, whether it is sound, and compiled."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import partial
from inspect import Parameter
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from rich.table import Table
from rich.text import Text

from duelist.card import Setting, card_of
from duelist.cli.options import option
from duelist.cli.terminal import console, examples, heading, table
from duelist.constraints import declarations_of, parameters_of
from duelist.errors import FileError
from duelist.registry import ESTIMATORS, PROBLEMS, learners_for, purpose

if TYPE_CHECKING:
    from duelist.checks import CheckResult

EXAMPLES = examples(
    "duelist learners",
    "duelist problems",
    "duelist check RUCB",
    "duelist check ./mine.py:Mine",
    "duelist check mine.learners:Mine:width=2 --full",
    "duelist warm",
)
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
    declared = declarations_of(maker)
    defaults = {name: parameter.default for name, parameter in parameters_of(maker).items()}
    for field in fields(maker) if isinstance(maker, type) and is_dataclass(maker) else ():
        if field.default_factory is not MISSING:
            defaults[field.name] = field.default_factory()
    lines = []
    for name, default in defaults.items():
        allowed = declared[name].allowed if name in declared else None
        written = name if default is Parameter.empty else f"{name}={default}"
        lines.append(written if allowed is None else f"{written} ({allowed})")
    return "\n".join(lines)


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
    verdicts: list[CheckResult] = []
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
    from duelist.checks.environments import environment_for
    from duelist.cli.specs import make_learner, read_kind

    kind, parameters = read_kind(text)
    card = card_of(kind)
    told = {"horizon": environment_for(kind).full.rounds} if card.needs_horizon else {}
    return make_learner(kind, told | dict(card.example) | parameters)


def warm() -> None:
    """Compile all learners now, so that nothing has to be compiled when it is first used."""
    from duelist.kernels.cache import kept_kernels, kernel_folder
    from duelist.registry import LEARNERS

    folder = kernel_folder()
    if folder is None:
        raise FileError("there is no folder to keep kernels in; set NUMBA_CACHE_DIR to one.")
    before = kept_kernels(folder)
    compile_side_by_side(list(LEARNERS))
    made = kept_kernels(folder) - before
    line = f"{made} kernels compiled, {before} were ready." if made else f"All {before} kernels are ready."
    console().print(Text(f"{line}\nKept in {folder}"), soft_wrap=True)


def compile_missing(learners: Iterable[Any]) -> None:
    """Compile what simulations of these learners need and is not kept yet, if it is for several of them."""
    from duelist.kernels.cache import kernel_folder
    from duelist.registry import LEARNERS

    folder = kernel_folder()
    if folder is None:
        return
    # variants of a learner share kernels, of which one of them has the module
    ours = [one for one in learners if type(one).__name__ in LEARNERS and hasattr(one, "kernels")]
    known = {one.kernels.play.__module__: type(one).__name__ for one in ours}
    missing = [name for module, name in known.items() if not any(folder.glob(f"{module}.play-*.nbc"))]
    if len(missing) > 1:
        compile_side_by_side(missing, live=False)


def compile_side_by_side(names: Sequence[str], live: bool = True) -> None:
    """Compile learners in as many processes as there are cores."""
    from duelist.checks.environments import warm as warm_learner
    from duelist.parallel import Processes, progress_bar

    with progress_bar(None) as show:
        show("compiling", 0.0, f"0 of {len(names)} learners")
        done = Processes().as_completed(partial(warm_learner, live=live), names)
        for count, _ in enumerate(done, 1):
            show("compiling", count / len(names), f"{count} of {len(names)} learners")
