"""`duelist fit`: learn from logged duels which action to take in which context."""

from pathlib import Path
from typing import Annotated

import typer

from duelist.cli.options import Json, Seed, confidence_of, option, output
from duelist.cli.terminal import console, heading, print_json, say
from duelist.errors import require_confidence, require_whole
from duelist.text import counted

EXAMPLES = (
    "duelist fit duels.csv",
    "duelist fit duels.parquet --oracle boosting --save policy.json",
    "duelist fit duels.csv --estimator FPL --oracle tree --depth 3 --calls 400",
)


def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="DUELS",
            help="CSV or Parquet file of duels with the columns left, right, outcome and propensity; all "
            "other columns are context.",
        ),
    ],
    estimator: Annotated[str, option("--estimator -e NAME", "Estimator: FPL or PGD.")] = "PGD",
    oracle: Annotated[
        str,
        option(
            "--oracle NAME",
            "Kind of policy to learn: tree, linear, boosting. Each predicts the cost of every action.",
        ),
    ] = "tree",
    depth: Annotated[int, option("--depth N", "Maximum tree depth.")] = 4,
    calls: Annotated[
        int,
        option(
            "--calls N", "Number of calls to the oracle; more calls take longer and give better policies."
        ),
    ] = 200,
    held_out_share: Annotated[
        float,
        option("--held-out-share SHARE", "Share of the duels to hold out for evaluation, between 0 and 1."),
    ] = 0.3,
    confidence: Annotated[float, confidence_of("the bounds on win rates")] = 0.95,
    seed: Seed = 0,
    save: Annotated[Path | None, output("--save FILE", "File to write the learned policies to.")] = None,
    as_json: Json = False,
) -> None:
    """Learn from logged, randomised duels which action to take in which context.

    The result is a von Neumann winner: a mixture of policies that beats or ties every policy of its kind, as
    far as the log can tell. It is learned from one part of the duels. The rest evaluates it, with
    inverse-propensity and doubly robust estimators, against its own policies, the best response to it, and
    every single action. The report starts with the recommendation, then shows the learned policies and the
    evidence. Every pair must occur in the log on both sides. Without columns of context, the policies are the
    actions themselves.
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
    require_confidence(held_out_share, "--held-out-share", 0.3)
    require_confidence(confidence)
    kinds: dict[str, type[SparringFPL | SparringPGD]] = {"FPL": SparringFPL, "PGD": SparringPGD}
    kind = kinds[resolve("estimator", estimator, kinds)]
    regressor = named_oracle(resolve("oracle", oracle, ORACLES), depth)
    if save is not None:
        require_file(save)
    log = load_duels(file)
    kept, rest = log.split(held_out_share, default_rng(seed))
    winner = kind(oracle=regressor, calls=calls).fit(rest, seed=seed)
    result = evaluate_held_out(winner, regressor, rest, kept, confidence)
    if save is not None:
        save = winner.save(save)
    if as_json:
        print_json(
            {
                "file": file,
                "duels": len(log),
                "actions": log.actions,
                "columns": log.columns,
                "advice": result.advice,
                "policies": len(winner.policies),
                "held_out": result.duels,
                "win_rates": {method: report.to_dict() for method, report in result.win_rates.items()},
                "opponents": result.opponents,
                "saved": save,
            }
        )
        return
    size = f"{counted(len(log), 'duel')} of {counted(log.k, 'action')}"
    say(f"{file}: {size}, {counted(log.d, 'column')} of context", "bold cyan")
    say(result.advice, "bold")
    console().print(heading("\nLearned policies"))
    say(winner.explain(kept.contexts))
    for method, report in result.win_rates.items():
        console().print(
            heading(f"\nOn {counted(result.duels, 'held-out duel')}, {method.replace('_', ' ')} estimator")
        )
        say(report)
    say(result.opponents)
    if save is not None:
        say(f"Written to {save}. Follow it: FollowMixture(PolicyMixture.load({str(save)!r}))")
