"""A first look, on one page: how many votes a learner saves on a small example, and learners compared."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duelist.duel import FloatArray
from duelist.files import write_whole
from duelist.problems import MatrixProblem, random_bradley_terry
from duelist.protocols import Learner
from duelist.replaying import ReplayResult, replay
from duelist.replaying.report import COLUMNS as REPLAY_COLUMNS
from duelist.replaying.report import READING, draw_replay_panels, rows, size
from duelist.simulation.figures import draw_panels, spread
from duelist.votes import Votes
from duelist.votes.writing import write_counts
from duelist.web.experiment import COLUMNS, Experiment, Request, run
from duelist.web.figures import inline_svg
from duelist.web.page import render

FILES = ("report.html", "votes.csv")
"""What `write_demo` writes."""
ARMS = tuple(f"option {number}" for number in range(1, 9))
VOTES_A_PAIR = 60
HORIZON = 100_000


@dataclass(frozen=True)
class Demo:
    """Recorded votes, what came of replaying them, and learners compared on the problem they come from."""

    wins: FloatArray
    replayed: ReplayResult
    experiment: Experiment


def example_problem() -> MatrixProblem:
    """Return the problem of the example, a random Bradley-Terry model of eight options."""
    return MatrixProblem(random_bradley_terry(len(ARMS), rng=0).matrix, labels=ARMS)


def example_wins(problem: MatrixProblem, seed: int = 0) -> FloatArray:
    """Return how often each arm beat each other in votes drawn from a problem, as many on every pair.

    Examples
    --------
    >>> wins = example_wins(example_problem())
    >>> int(wins[0, 1] + wins[1, 0])
    60
    """
    drawn = np.random.default_rng(seed).binomial(VOTES_A_PAIR, problem.matrix)
    upper = np.triu(drawn, 1)
    return (upper + np.tril(VOTES_A_PAIR - upper.T, -1)).astype(np.float64)


def play_demo(
    rivals: list[Learner[Any]], learners: list[Learner[Any]], runs: int, workers: int | None = None
) -> Demo:
    """Replay the example's votes with the rivals, and simulate the learners on the problem behind them."""
    problem = example_problem()
    wins = example_wins(problem)
    votes = Votes.from_counts(wins, arms=ARMS)
    replayed = replay(rivals, votes, runs, workers=workers)
    names = tuple(type(one).__name__ for one in learners)
    request = Request(f"random_bradley_terry:k={len(ARMS)}", names, HORIZON, runs, seed=0)
    return Demo(wins, replayed, run(request, problem, learners, workers))


def demo_page(demo: Demo, commands: dict[str, str]) -> str:
    """Return the page, as HTML; `commands` are those to try next, each with what it does."""
    replayed, experiment = demo.replayed, demo.experiment
    right, sure = draw_replay_panels(replayed)
    regret, accuracy = draw_panels(experiment.result)
    return render(
        "demo.html",
        title="The best of eight options, with few votes",
        experiment=experiment,
        replayed=replayed,
        size=size(replayed),
        each=VOTES_A_PAIR,
        replay_columns=REPLAY_COLUMNS,
        replay_rows=rows(replayed),
        reading=READING,
        columns=COLUMNS,
        spread=spread(experiment.result, "interval"),
        commands=commands,
        right=inline_svg(right, "right", "Share of runs that are right over votes"),
        sure=inline_svg(sure, "sure", "Share of runs that are sure over votes"),
        regret=inline_svg(regret, "regret", "Regret over rounds"),
        accuracy=inline_svg(accuracy, "accuracy", "Accuracy over rounds"),
    )


def write_demo(demo: Demo, commands: dict[str, str], folder: Path) -> None:
    """Write the page and the votes into a folder."""
    # The page is made before the first file is written: if that fails, nothing is left behind.
    page = demo_page(demo, commands)
    write_counts(folder / FILES[1], demo.wins, ARMS)
    write_whole(folder / FILES[0], page.encode())
