"""`duelist demo`: a first look, on one page."""

import shlex
from pathlib import Path
from typing import Annotated

from duelist.cli.options import Runs, Workers, option
from duelist.cli.terminal import console, glossary, heading, say

EXAMPLES = ("duelist demo", "duelist demo --out first-look --runs 100")
OUT = Path("demo-report")
RIVALS = ("Auto", "Uniform")
LEARNERS = ("Auto", "DoubleThompsonSampling", "RMED1", "RUCB", "InterleavedFilter2", "Uniform")


def demo(
    out: Annotated[Path, option("--out -o FOLDER", "Folder to write report.html and votes.csv to.")] = OUT,
    runs: Runs = 40,
    workers: Workers = None,
) -> None:
    """Take a first look: replay example votes and compare learners, on one page.

    Votes between eight options are drawn from a model and replayed with the default learner and with random
    pairs. Then learners are compared by their regret on the model itself.
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
        "duelist arena --example": "Compare example answers in a browser.",
        shlex.join(
            ["duelist", "analyze", str(votes)]
        ): "Show who wins in recorded votes, and how sure that is.",
        shlex.join(
            ["duelist", "replay", str(votes), "-l", "RUCB"]
        ): "Show how many votes RUCB needs on them.",
    }
    write_demo(played, commands, out)
    say(played.replayed.verdict)
    say(f"Open {report} in a browser.")
    console().print("", heading("Try next"), glossary(commands), sep="\n")
