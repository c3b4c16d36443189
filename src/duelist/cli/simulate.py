"""`duelist simulate`: play learners on a problem and measure their regret."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rich.text import Text

from duelist.cli.options import (
    PER_CORE,
    Columns,
    Encoding,
    Json,
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
from duelist.cli.terminal import console, heading, print_json, resumable, table
from duelist.text import counted

if TYPE_CHECKING:
    from duelist.web.experiment import Experiment

EXAMPLES = (
    "duelist simulate",
    "duelist simulate -l RUCB -l RUCB:alpha=0.6 --horizon 1e6",
    "duelist simulate --problem worst_case:k=10,epsilon=0.2 --out results",
    "duelist simulate --problem 'bradley_terry:weights=4;2;1,labels=a;b;c'",
    "duelist simulate --problem votes.csv --against copeland",
    "duelist simulate --horizon 1e8 --runs 1000 --ray ray-head:6379",
)
AGAINST = "Winner to measure regret against: borda, condorcet, copeland, hindsight, von_neumann."


def simulate(
    problem: Annotated[
        str,
        option(
            "--problem -p SPEC",
            "Problem, such as worst_case:k=10,epsilon=0.2 (`duelist problems` lists them), or a file of "
            "votes or preferences, as `duelist analyze` reads it.",
        ),
    ] = "random_bradley_terry:k=16",
    learner: Annotated[list[str] | None, learners("all")] = None,
    horizon: Annotated[
        str, option("--horizon -t ROUNDS", "Number of rounds, such as 100000 or 1e6.")
    ] = "100_000",
    runs: Runs = 20,
    seed: Seed = 0,
    against: Annotated[
        str | None,
        option("--against WINNER", AGAINST, "condorcet, or hindsight if there is no Condorcet winner"),
    ] = None,
    out: Annotated[Path | None, results("report.html, regret.svg, data.csv and result.npz")] = None,
    band: Annotated[
        Literal["interval", "range"],
        option(
            "--band interval|range",
            "Band around the mean in figures: its 95% confidence interval, or the range from the lowest run "
            "to the highest.",
        ),
    ] = "interval",
    workers: Annotated[
        int | None, option("--workers N", "Number of threads, or of Ray workers.", PER_CORE)
    ] = None,
    ray: Ray = None,
    columns: Columns = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: Json = False,
) -> None:
    """Simulate learners on a problem, and measure their regret.

    Regret is the cost of showing arms other than the winner: the mean gap of both arms to it, summed over
    rounds. Weak regret counts only the better of the two. Accuracy is the share of runs that name the winner
    at the end. Informative duels are those between two different arms. If no arm beats all others, gaps are
    measured to the best arm in hindsight, the one that would have beaten the shown arms most often. Then weak
    regret is undefined, and accuracy counts the runs that name an arm that no other arm beats.
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
    # errors come before anything is compiled
    require_sizes("horizon", request.horizon, runs, seed, workers)
    world = read_problem(request.problem, reading)
    learners = read_learners(request.learners, request.horizon)
    if request.against is not None:
        target(world.matrix, request.against)
    if ray is None:
        compile_missing(learners)
    with resumable(out, FILES, as_json) as keep:
        played = run(request, world, learners, workers, executor_for(ray, workers), keep)
        if as_json:
            print_json(as_document(played))
        else:
            show(played)
        if out is not None:
            write_simulation(played, out)


def as_document(experiment: "Experiment") -> dict[str, Any]:
    """Return the summary for programs: the mean, lowest and highest run of every measure at the horizon."""
    request, result = experiment.request, experiment.result
    return {
        "problem": request.problem,
        "arms": experiment.problem.labels,
        "horizon": request.horizon,
        "runs": request.runs,
        "seed": request.seed,
        "against": result.concept,
        "winners": [result.labels[arm] for arm in result.winners],
        "lower_bound": result.lower_bound,
        "learners": [
            {
                "learner": line.learner,
                "description": result[line.learner].description,
                "mean": line.mean | {"informative": result[line.learner].informative.mean()},
                "lowest": line.lowest,
                "highest": line.highest,
            }
            for line in result.summary()
        ],
    }


def show(experiment: "Experiment") -> None:
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
