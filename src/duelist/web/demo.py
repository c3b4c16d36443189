"""The demo: how many votes a learner saves on a small example, and learners compared, on one page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duelist.duel import FloatArray
from duelist.files import write_whole
from duelist.problems import MatrixProblem, random_bradley_terry
from duelist.protocols import Learner
from duelist.replaying import ReplayResult, replay
from duelist.replaying.report import READING, size
from duelist.votes import Votes
from duelist.votes.writing import write_counts
from duelist.web.experiment import Experiment, SimulationRequest, curves, run, summary_table
from duelist.web.page import Document, Section
from duelist.web.replay_page import replay_figure, replay_table

FILES = ("report.html", "votes.csv")
"""Files that `write_demo` writes."""
ARMS = tuple(f"option {number}" for number in range(1, 9))
VOTES_A_PAIR = 60
HORIZON = 100_000


@dataclass(frozen=True)
class Demo:
    """Example votes, their replay, and learners compared on the problem they are drawn from."""

    wins: FloatArray
    replayed: ReplayResult
    experiment: Experiment


def example_problem() -> MatrixProblem:
    """Return the example problem, a random Bradley-Terry model of eight options."""
    return MatrixProblem(random_bradley_terry(len(ARMS), rng=0).matrix, labels=ARMS)


def example_wins(problem: MatrixProblem, seed: int = 0) -> FloatArray:
    """Draw equally many votes on every pair of a problem; return how often each arm beat each other.

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
    """Replay the example votes with the rivals, and simulate the learners on the underlying problem."""
    problem = example_problem()
    wins = example_wins(problem)
    votes = Votes.from_counts(wins, arms=ARMS)
    replayed = replay(rivals, votes, runs, workers=workers)
    names = tuple(type(one).__name__ for one in learners)
    request = SimulationRequest(f"random_bradley_terry:k={len(ARMS)}", names, HORIZON, runs, seed=0)
    return Demo(wins, replayed, run(request, problem, learners, workers))


def demo_document(demo: Demo, commands: dict[str, str]) -> Document:
    """Return the document of a demo; `commands` maps commands to try next to their descriptions."""
    replayed, experiment = demo.replayed, demo.experiment
    return Document(
        title="The best of eight options, with few votes",
        lead=replayed.verdict,
        remarks=[
            f"Which of eight options is best? The votes are made up: {VOTES_A_PAIR} on every pair, drawn "
            f"from a Bradley-Terry model in which {replayed.winner} beats the second best in 60% of votes."
        ],
        sections=[
            Section(
                "Votes needed",
                [
                    replay_table(replayed),
                    f"{READING} Uniform chooses random pairs. {size(replayed)}",
                    replay_figure(replayed),
                ],
            ),
            Section(
                "Learners compared",
                [
                    summary_table(experiment),
                    "Regret is the cost of showing options other than the best, over "
                    f"{experiment.size}; all learners see the same random stream. {experiment.accuracy}",
                    curves(experiment),
                ],
            ),
            Section("Try next", [commands]),
        ],
    )


def write_demo(demo: Demo, commands: dict[str, str], folder: Path) -> None:
    # rendered before the first file is written: if that fails, no file is left behind
    page = demo_document(demo, commands).page()
    write_counts(folder / FILES[1], demo.wins, ARMS)
    write_whole(folder / FILES[0], page.encode())
