"""`duelist fit`: learn from logged duels what to do in which context."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from numpy.random import default_rng
from rich.text import Text

from duelist.cli.simulate import check_folder
from duelist.cli.specs import resolve
from duelist.cli.terminal import console, examples, heading
from duelist.errors import MissingExtraError, require_confidence, require_whole
from duelist.learners.contextual import (
    CompactGame,
    Oracle,
    PolicyMixture,
    RegressionOracle,
    SparringFPL,
    SparringPGD,
    TreePolicy,
)
from duelist.logs import DuelLog, load_duels
from duelist.metrics import worst_case

EXAMPLES = examples(
    "duelist fit duels.csv",
    "duelist fit duels.parquet --oracle boosting --save policy.json",
    "duelist fit duels.csv --learner FPL --oracle tree --depth 3 --calls 400",
)
LEARNERS: dict[str, Callable[..., Any]] = {"FPL": SparringFPL, "PGD": SparringPGD}
ORACLES = ("tree", "linear", "boosting")


def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="DUELS",
            help="A CSV or Parquet file of duels: left, right, outcome, propensity, and columns of context.",
        ),
    ],
    learner: Annotated[
        str, typer.Option("--learner", "-l", metavar="NAME", help=f"One of {', '.join(LEARNERS)}.")
    ] = "PGD",
    oracle: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"What policies look like: {', '.join(ORACLES)}. All predict what each action costs.",
        ),
    ] = "tree",
    depth: Annotated[int, typer.Option(metavar="N", help="Questions that a tree asks in a row.")] = 4,
    calls: Annotated[
        int, typer.Option(metavar="N", help="How often the oracle is asked: more is slower and better.")
    ] = 200,
    held_out: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of the duels that is kept to judge by.")
    ] = 0.3,
    confidence: Annotated[float, typer.Option(help="Of the bounds on win rates.")] = 0.95,
    seed: Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal results.")] = 0,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="Where to write the learned policies.", show_default="nothing is written"
        ),
    ] = None,
) -> None:
    """Learn from logged, randomised duels what to do in which context: a von Neumann winner.

    The winner is a mixture of policies that beats or ties every policy of its kind, as far as the log can
    tell. It is learned from one part of the duels and judged on the rest, by inverse propensities and doubly
    robust, against its own policies, the best reply to it, and every action always.
    """
    require_whole("seed", seed, 0)
    require_whole("calls", calls, 2)
    require_confidence(held_out, "held-out", 0.3)
    name = resolve("learner", learner, LEARNERS)
    asked = make_oracle(resolve("oracle", oracle, ORACLES), depth)
    if save is not None:
        check_folder(save.parent)
    log = load_duels(file)
    kept, rest = log.split(held_out, default_rng(seed))
    winner: PolicyMixture = LEARNERS[name](oracle=asked, calls=calls).fit(rest, seed=seed)
    terminal = console()
    title = f"{file}: {len(log):,} duels of {log.k} actions, {log.d} columns of context"
    terminal.print(heading(title), soft_wrap=True)
    terminal.print(Text(winner.explain(kept.contexts)), soft_wrap=True)
    judge(winner, asked, rest, kept, confidence)
    if save is not None:
        path = winner.save(save)
        text = f"Written to {path}. Follow it: FollowMixture(PolicyMixture.load({str(path)!r}))"
        terminal.print(Text(text), soft_wrap=True)


def make_oracle(name: str, depth: int) -> Oracle:
    """Return an oracle of scikit-learn's models."""
    require_whole("depth", depth, 1)
    makers: dict[str, tuple[str, str, dict[str, Any]]] = {
        "tree": ("sklearn.tree", "DecisionTreeRegressor", {"max_depth": depth}),
        "linear": ("sklearn.linear_model", "Ridge", {}),
        "boosting": ("sklearn.ensemble", "GradientBoostingRegressor", {"max_depth": depth}),
    }
    module, kind, parameters = makers[name]
    try:
        model = getattr(import_module(module), kind)(**parameters)
    except ImportError as error:
        raise MissingExtraError("learning policies", "contextual") from error
    return RegressionOracle(model)


def judge(winner: PolicyMixture, oracle: Oracle, learned: DuelLog, kept: DuelLog, confidence: float) -> None:
    """Print how the winner fares on duels it was not learned from."""
    game = CompactGame(learned)
    reply, _ = game.ask(oracle, game.costs(winner.chances(learned.contexts)))
    met, always = len(winner.policies), [TreePolicy.always(action) for action in range(kept.k)]
    opponents = [*winner.policies, reply, *always]
    terminal = console()
    for method in ("inverse_propensity", "doubly_robust"):
        report = worst_case(winner, opponents, kept, confidence, method)
        terminal.print(heading(f"\nOn {len(kept):,} duels held out, {method.replace('_', ' ')}"))
        terminal.print(Text(str(report)), soft_wrap=True)
    terminal.print(
        Text(
            f"Policies below {met} are those of the mixture, {met} is the best reply to it that the oracle "
            f"finds where it was learned, and {met + 1} to {met + kept.k} take one action always: "
            f"{', '.join(kept.actions)}."
        ),
        soft_wrap=True,
    )
