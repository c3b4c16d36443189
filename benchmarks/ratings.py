"""How fast a million votes are rated, with intervals and ranges of ranks."""

import tempfile
from pathlib import Path

import evalica
import numpy as np

from benchmarks.table import Figure, seconds
from duelist import Votes, ratings

VOTES, ARMS, TRIES = 1_000_000, 30, 3
WINNERS = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
WORDS = {1.0: "left", 0.0: "right", 0.5: "tie"}


def made_up_votes() -> Votes:
    """Return votes at random, a tenth of them ties."""
    rng = np.random.default_rng(0)
    left = rng.integers(0, ARMS, VOTES)
    right = (left + rng.integers(1, ARMS, VOTES)) % ARMS
    names = [f"arm{arm:02}" for arm in range(ARMS)]
    outcomes = rng.choice([1.0, 0.0, 0.5], VOTES, p=[0.45, 0.45, 0.1])
    voters = np.array([f"voter{voter}" for voter in range(500)], object)[rng.integers(0, 500, VOTES)]
    return Votes(names, left, right, outcomes, voters=voters)


def figures() -> list[Figure]:
    votes = made_up_votes()
    names: list[str] = [*votes.arms]
    left, right = ([names[arm] for arm in side.tolist()] for side in (votes.left, votes.right))
    outcomes = votes.outcomes.tolist()
    winners = [WINNERS[outcome] for outcome in outcomes]
    theirs = min(seconds(lambda: evalica.bradley_terry(left, right, winners)) for _ in range(TRIES))
    against = "evalica, ratings alone, from lists of names"
    columns = {"left": left, "right": right, "outcome": [WORDS[outcome] for outcome in outcomes]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.csv"
        rows = zip(columns["left"], columns["right"], columns["outcome"], strict=True)
        path.write_text("left,right,outcome\n" + "".join(f"{a},{b},{won}\n" for a, b, won in rows))
        work = {
            "rated, from Votes": lambda: ratings.fit_bradley_terry(votes),
            "from lists of names": lambda: ratings.fit_bradley_terry(columns),
            "from CSV": lambda: ratings.fit_bradley_terry(path),
            "from Votes, by clusters of 500 voters": lambda: ratings.fit_bradley_terry(
                votes, clusters="voter"
            ),
            "from Votes, with 1,000 samples": lambda: ratings.fit_bradley_terry(votes, intervals="bootstrap"),
        }
        taken = {what: min(seconds(one) for _ in range(TRIES)) for what, one in work.items()}
    return [
        Figure(
            f"{VOTES:,} votes on {ARMS} arms {what}",
            f"{ours:.2f} s",
            f"{theirs:.2f} s",
            against,
            theirs / ours,
        )
        for what, ours in taken.items()
    ]
