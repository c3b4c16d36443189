"""`duelist learners`, `problems`, `check` and `warm`: list, check and compile learners."""

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
from duelist.cli.options import Json, option
from duelist.cli.terminal import console, heading, print_json, table
from duelist.constraints import declarations_of, parameters_of
from duelist.errors import FileError
from duelist.registry import ESTIMATORS, PROBLEMS, learners_for, purpose

if TYPE_CHECKING:
    from duelist.checks import CheckResult

EXAMPLES = (
    "duelist learners",
    "duelist learners --json | jq '.[].learner'",
    "duelist problems",
    "duelist problems --json | jq '.[].problem'",
    "duelist check RUCB",
    "duelist check ./mine.py:Mine",
    "duelist check mine.learners:Mine:width=2 --full",
    "duelist warm",
    "duelist warm --json | jq .folder",
)
PLACES: dict[Setting, str] = {  # where the learners of each setting are used
    "arms": "in duelist simulate and duelist replay",
    "points of a space": "in Python; the last one asks in duelist optimize",
    "rankings": "in duelist rank",
    "contexts": "in Python",
}
Plain = bool | int | float | str | None
LOGGED = "logged duels"  # the setting of estimators


def learners(as_json: Json = False) -> None:
    """List the learners: purpose, assumptions, guarantees and hyperparameters."""
    if as_json:
        print_json(
            [
                {"setting": setting, **described(name, kind)}
                for setting, kinds in (
                    *((setting, learners_for(setting)) for setting in get_args(Setting)),
                    (LOGGED, ESTIMATORS),
                )
                for name, kind in kinds.items()
            ]
        )
        return
    terminal = console()
    for setting in get_args(Setting):
        terminal.print(heading(f"Learners for {setting}, {PLACES[setting]}"))
        terminal.print(learner_table(learners_for(setting)), "")
    terminal.print(heading("Estimators, for a log of duels in contexts, in duelist fit"))
    terminal.print(learner_table(ESTIMATORS), "")
    terminal.print(
        Text("A learner that needs a horizon gets that of the simulation, unless you give another.")
    )
    terminal.print(Text("Your own learner: duelist simulate -l ./mine.py:Mine, duelist check ./mine.py:Mine"))
    terminal.print(Text("Example: duelist simulate -l RUCB:alpha=0.6 -l Uniform"))


def described(name: str, kind: type[Any]) -> dict[str, Any]:
    """Return a learner for programs."""
    card = card_of(kind)
    return {
        "learner": name,
        "purpose": purpose(kind),
        "seeks": card.seeks,
        "assumes": card.assumes,
        "regret": card.regret,
        "citation": card.citation,
        "hyperparameters": described_parameters(kind),
    }


def learner_table(kinds: Mapping[str, type[Any]]) -> Table:
    listing = table("learner", "purpose, assumptions and guarantee", "hyperparameters")
    for name, kind in kinds.items():
        card = card_of(kind)
        text = f"{purpose(kind)} Seeks: {card.seeks}. Assumes: {card.assumes}. Regret: {card.regret}."
        listing.add_row(Text(name), Text(text), Text(parameters(kind)), end_section=True)
    return listing


def problems(as_json: Json = False) -> None:
    """List the simulated problems and their parameters."""
    texts = {name: purpose(maker).removeprefix("Return ") for name, maker in PROBLEMS.items()}
    texts = {name: text[:1].upper() + text[1:] for name, text in texts.items()}
    if as_json:
        print_json(
            [
                {"problem": name, "purpose": texts[name], "parameters": described_parameters(maker)}
                for name, maker in PROBLEMS.items()
            ]
        )
        return
    listing = table("problem", "what it is", "parameters")
    for name, maker in PROBLEMS.items():
        listing.add_row(Text(name), Text(texts[name]), Text(parameters(maker)), end_section=True)
    terminal = console()
    terminal.print(listing)
    terminal.print(Text("\nA file of votes or preferences is a problem too."))
    terminal.print(Text("Example: duelist simulate --problem worst_case:k=10,epsilon=0.2"))


def described_parameters(maker: Callable[..., Any]) -> list[dict[str, Any]]:
    """Return the parameters with their allowed values and, unless they are required, their defaults."""
    declared = declarations_of(maker)
    defaults = {name: parameter.default for name, parameter in parameters_of(maker).items()}
    for field in fields(maker) if isinstance(maker, type) and is_dataclass(maker) else ():
        if field.default_factory is not MISSING:
            defaults[field.name] = field.default_factory()
    found = []
    for name, default in defaults.items():
        allowed = declared[name].allowed if name in declared else None
        one: dict[str, Any] = {"name": name, "allowed": None if allowed is None else str(allowed)}
        if default is not Parameter.empty:
            one["default"] = default if isinstance(default, Plain) else str(default)
        found.append(one)
    return found


def parameters(maker: Callable[..., Any]) -> str:
    """Return the parameters with their defaults and allowed values, one per line."""
    lines = []
    for one in described_parameters(maker):
        written = f"{one['name']}={one['default']}" if "default" in one else one["name"]
        lines.append(written if one["allowed"] is None else f"{written} ({one['allowed']})")
    return "\n".join(lines)


def check(
    learner: Annotated[
        str,
        typer.Argument(
            metavar="LEARNER",
            help="Learner: a name such as RUCB, module:Class or ./file.py:Class, with hyperparameters after "
            "another colon: RUCB:alpha=0.6.",
        ),
    ],
    full: Annotated[
        bool,
        option("--full", "Also run the long checks, which take many minutes for a learner in plain Python."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check that your own learner keeps the contract of all learners.

    The contract: ask() leaves the state unchanged, tell() returns a new state, a replay gives the same state,
    equal seeds give equal duels, late and repeated answers are accepted, hyperparameters and state survive
    JSON, and more. The learner is built with the example of its card, unless you give hyperparameters. The
    exit status is 1 if a check fails.
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
    # each of the others shows its own bar
    verdicts += checks
    failed = sum(not verdict.met for verdict in verdicts)
    if as_json:
        outcomes = [(one.name, "met" if one.met else "not met", one.reason) for one in verdicts]
        outcomes += [(name, "excused", reason) for name, reason in excused.items()]
        print_json(
            {
                "learner": repr(built),
                "setting": card_of(built).setting,
                "checks": [dict(zip(("check", "outcome", "reason"), one, strict=True)) for one in outcomes],
                "failed": failed,
            }
        )
    else:
        show_checks(built, verdicts, excused, failed)
    if failed:
        raise typer.Exit(1)


def show_checks(
    built: Any, verdicts: "Sequence[CheckResult]", excused: Mapping[str, str], failed: int
) -> None:
    listing = table("check", "outcome", "reason")
    for verdict in verdicts:
        word = Text("met", "green") if verdict.met else Text("not met", "bold red")
        listing.add_row(Text(verdict.name), word, Text(verdict.reason))
    for name, reason in excused.items():
        listing.add_row(Text(name), Text("excused"), Text(reason))
    terminal = console()
    terminal.print(heading(f"{built!r}, over {card_of(built).setting}"), soft_wrap=True)
    terminal.print(listing)
    terminal.print(
        Text(f"{len(verdicts) - failed} of {len(verdicts)} checks passed, {len(excused)} excused.")
    )


def build_for_checks(text: str) -> Any:
    """Return a learner with the hyperparameters of its card's example, and of the text."""
    from duelist.card import card_of
    from duelist.checks.environments import environment_for
    from duelist.cli.specs import make_learner, read_kind

    kind, parameters = read_kind(text)
    card = card_of(kind)
    given = {"horizon": environment_for(kind).full.rounds} if card.needs_horizon else {}
    return make_learner(kind, given | dict(card.example) | parameters)


def warm(as_json: Json = False) -> None:
    """Compile all learners now, instead of at their first use."""
    from duelist.kernels.cache import kept_kernels, kernel_folder
    from duelist.registry import LEARNERS

    folder = kernel_folder()
    if folder is None:
        raise FileError("there is no writable folder for compiled kernels; set NUMBA_CACHE_DIR to one.")
    before = kept_kernels(folder)
    compile_side_by_side(list(LEARNERS))
    made = kept_kernels(folder) - before
    if as_json:
        print_json({"compiled": made, "ready": before, "folder": folder})
        return
    line = f"{made} kernels compiled, {before} were ready." if made else f"All {before} kernels are ready."
    console().print(Text(f"{line}\nKept in {folder}"), soft_wrap=True)


def compile_missing(learners: Iterable[Any]) -> None:
    """Compile in parallel what simulations of these learners lack, if several of them lack something."""
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
