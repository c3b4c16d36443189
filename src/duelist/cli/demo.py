"""`duelist demo`: a first look, on one page."""

import shlex
from pathlib import Path
from typing import Annotated

from duelist.cli.options import Runs, Workers, option
from duelist.cli.terminal import console, examples, glossary, heading, say

EXAMPLES = examples("duelist demo", "duelist demo --out first-look --runs 100")
OUT = Path("demo-report")
RIVALS = ("Auto", "Uniform")
LEARNERS = ("Auto", "DoubleThompsonSampling", "RMED1", "RUCB", "InterleavedFilter2", "Uniform")


def demo(
    out: Annotated[Path, option("--out -o FOLDER", "Where to write report.html and votes.csv.")] = OUT,
    runs: Runs = 40,
    workers: Workers = None,
) -> None:
    """Take a first look: votes saved on a small example, and learners compared, on one page.

    Votes between eight options are drawn from a model, and replayed with the default learner and with random
    pairs; then learners are compared by their regret on the model itself.
    """
    from duelist.cli.learners import compile_missing
    from duelist.cli.specs import read_learners
    from duelist.simulation.arguments import require_sizes
    from duelist.simulation.storage import require_output
    from duelist.web.demo import FILES, HORIZON, play_demo, write_demo

    require_output(out, FILES)
    require_sizes("horizon", HORIZON, runs, 0, workers)
    rivals, learners = (read_learners(names, HORIZON) for names in (RIVALS, LEARNERS))
    compile_missing(learners)
    played = play_demo(rivals, learners, runs, workers)
    report, votes = (out / name for name in FILES)
    commands = {
        "duelist arena --example": "Vote in a browser, on an example of answers to compare.",
        shlex.join(["duelist", "analyze", str(votes)]): "Say who wins in recorded votes, and how surely.",
        shlex.join(["duelist", "replay", str(votes), "-l", "RUCB"]): "Say how many votes RUCB needs on them.",
    }
    write_demo(played, commands, out)
    say(played.replayed.verdict)
    say(f"Open {report} in a browser.")
    console().print("", heading("Try next"), glossary(commands), sep="\n")
