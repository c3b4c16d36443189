"""`duelist simulate`: play learners on a problem and measure their regret."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rich.text import Text

from duelist.cli.options import (
    EVERY_CORE,
    Columns,
    Encoding,
    Ray,
    Reading,
    Runs,
    Seed,
    Sheet,
    SkipBad,
    executor_for,
    learners,
    option,
    results,
)
from duelist.cli.terminal import console, examples, going_on, heading, table
from duelist.text import counted

if TYPE_CHECKING:
    from duelist.web.experiment import Experiment

EXAMPLES = examples(
    "duelist simulate",
    "duelist simulate -l RUCB -l RUCB:alpha=0.6 --horizon 1e6",
    "duelist simulate --problem worst_case:k=10,epsilon=0.2 --out results",
    "duelist simulate --problem 'bradley_terry:weights=4;2;1,labels=a;b;c'",
    "duelist simulate --problem votes.csv --against copeland",
    "duelist simulate --horizon 1e8 --runs 1000 --ray ray-head:6379",
)
AGAINST = "Whom regret is measured against: borda, condorcet, copeland, hindsight, von_neumann."


def simulate(
    problem: Annotated[
        str,
        option(
            "--problem -p SPEC",
            "A problem such as worst_case:k=10,epsilon=0.2 (they are listed by `duelist problems`), or a "
            "file of votes or preferences, as `duelist analyze` reads it.",
        ),
    ] = "random_bradley_terry:k=16",
    learner: Annotated[list[str] | None, learners("all")] = None,
    horizon: Annotated[str, option("--horizon -t ROUNDS", "Rounds to play; 1e6 is fine.")] = "100_000",
    runs: Runs = 20,
    seed: Seed = 0,
    against: Annotated[
        str | None, option("--against WINNER", AGAINST, "condorcet, or hindsight where there is none")
    ] = None,
    out: Annotated[Path | None, results("report.html, regret.svg, data.csv and result.npz")] = None,
    band: Annotated[
        Literal["interval", "range"],
        option(
            "--band",
            "What figures shade around the mean of runs: interval, its 95% confidence interval, or range, "
            "from the lowest run to the highest.",
        ),
    ] = "interval",
    workers: Annotated[
        int | None, option("--workers N", "Threads to use, or workers of Ray.", EVERY_CORE)
    ] = None,
    ray: Ray = None,
    columns: Columns = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
) -> None:
    """Play learners on a problem and measure their regret.

    Regret counts what it costs to show arms that are not the winner: the mean of both arms' gaps to it,
    summed over rounds. Weak regret counts only the better of the two. Accuracy is the share of runs that
    name the winner in the end; informative duels are those between two different arms. Where no arm beats all
    others, the gaps are to the best arm in hindsight, the one that would have beaten the arms shown most
    often; weak regret is not defined then, and accuracy counts runs that name an arm that loses to none.
    """
    from duelist.cli.learners import compile_missing
    from duelist.cli.specs import ALL, read_learners, read_problem, resolve, whole_number
    from duelist.metrics import CONCEPTS, target
    from duelist.simulation.arguments import require_sizes
    from duelist.simulation.storage import require_output
    from duelist.web.experiment import FILES, SimulationRequest, run, write_simulation

    reading = Reading.of(columns, skip_bad, encoding, sheet)
    request = SimulationRequest(
        problem=problem,
        learners=tuple(learner or [ALL]),
        horizon=whole_number("horizon", horizon),
        runs=runs,
        seed=seed,
        against=None if against is None else resolve("winner concept", against, CONCEPTS),
        band=band,
        reading=reading.words,
    )
    if out is not None:
        require_output(out, FILES)
    # what cannot be played is refused before anything is compiled
    require_sizes("horizon", request.horizon, runs, seed, workers)
    world = read_problem(request.problem, reading)
    learners = read_learners(request.learners, request.horizon)
    if request.against is not None:
        target(world.matrix, request.against)
    if ray is None:
        compile_missing(learners)
    with going_on(out, FILES) as keep:
        played = run(request, world, learners, workers, executor_for(ray, workers), keep)
        show(played)
        if out is not None:
            write_simulation(played, out)


def show(experiment: "Experiment") -> None:
    """Print the summary."""
    from duelist.web.experiment import COLUMNS

    request = experiment.request
    summary = table(*COLUMNS, numbers=COLUMNS[1:])
    for row in experiment.rows:
        summary.add_row(*map(Text, row))
    terminal = console()
    terminal.print(heading(f"{request.problem}, {counted(experiment.problem.k, 'arm')}"))
    terminal.print(Text(f"Regret against {experiment.winner}.\n{experiment.size}, seed {request.seed}."))
    terminal.print(Text(experiment.accuracy), "", summary, "", sep="\n")
    if experiment.bound is not None:
        terminal.print(experiment.bound)
