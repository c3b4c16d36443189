"""`duelist fit`: learn from logged duels what to do in which context."""

from pathlib import Path
from typing import Annotated

import typer

from duelist.cli.options import Seed, option, output
from duelist.cli.terminal import console, examples, heading, say
from duelist.errors import require_confidence, require_whole
from duelist.text import counted

EXAMPLES = examples(
    "duelist fit duels.csv",
    "duelist fit duels.parquet --oracle boosting --save policy.json",
    "duelist fit duels.csv --learner FPL --oracle tree --depth 3 --calls 400",
)


def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="DUELS",
            help="A CSV or Parquet file of duels: left, right, outcome, propensity, and columns of context.",
        ),
    ],
    learner: Annotated[str, option("--learner -l NAME", "One of FPL, PGD.")] = "PGD",
    oracle: Annotated[
        str,
        option(
            "--oracle NAME",
            "What policies look like: tree, linear, boosting. All predict what each action costs.",
        ),
    ] = "tree",
    depth: Annotated[int, option("--depth N", "Questions that a tree asks in a row.")] = 4,
    calls: Annotated[
        int, option("--calls N", "How often the oracle is asked: more is slower and better.")
    ] = 200,
    held_out: Annotated[
        float, option("--held-out SHARE", "The share of the duels that is kept to measure on.")
    ] = 0.3,
    confidence: Annotated[float, option("--confidence", "Of the bounds on win rates.")] = 0.95,
    seed: Seed = 0,
    save: Annotated[Path | None, output("--save PATH", "Where to write the learned policies.")] = None,
) -> None:
    """Learn from logged, randomised duels what to do in which context.

    The result is a von Neumann winner: a mixture of policies that beats or ties every policy of its kind, as
    far as the log can tell. It is learned from one part of the duels and measured on the rest, by inverse
    propensities and doubly robust, against its own policies, the best reply to it, and every action always.
    What to do comes first, or that no effect was shown; then what was learned, and what it rests on. A log
    in which a pair was never shown, or on one side only, is refused. Without columns of context, the policies
    are the actions themselves.
    """
    from numpy.random import default_rng

    from duelist.cli.specs import resolve
    from duelist.estimators import SparringFPL, SparringPGD
    from duelist.estimators.oracles import ORACLES, named_oracle
    from duelist.files import require_file
    from duelist.logs import load_duels
    from duelist.metrics.lowest_win_rate import evaluate_held_out

    require_whole("seed", seed, 0)
    require_whole("calls", calls, 2)
    require_confidence(held_out, "held-out", 0.3)
    require_confidence(confidence)
    kinds: dict[str, type[SparringFPL | SparringPGD]] = {"FPL": SparringFPL, "PGD": SparringPGD}
    kind = kinds[resolve("learner", learner, kinds)]
    asked = named_oracle(resolve("oracle", oracle, ORACLES), depth)
    if save is not None:
        require_file(save)
    log = load_duels(file)
    kept, rest = log.split(held_out, default_rng(seed))
    winner = kind(oracle=asked, calls=calls).fit(rest, seed=seed)
    size = f"{counted(len(log), 'duel')} of {counted(log.k, 'action')}"
    say(f"{file}: {size}, {counted(log.d, 'column')} of context", "bold cyan")
    result = evaluate_held_out(winner, asked, rest, kept, confidence)
    say(result.advice, "bold")
    console().print(heading("\nWhat it does"))
    say(winner.explain(kept.contexts))
    for method, report in result.win_rates.items():
        console().print(heading(f"\nOn {counted(result.duels, 'duel')} held out, {method.replace('_', ' ')}"))
        say(report)
    say(result.opponents)
    if save is not None:
        path = winner.save(save)
        say(f"Written to {path}. Follow it: FollowMixture(PolicyMixture.load({str(path)!r}))")
