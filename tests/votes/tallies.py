"""What votes say, as one line that tests can compare."""

from duelist import Votes
from duelist.votes import count


def tally_of(votes: Votes) -> str:
    """Return who beat whom how often, and who tied: `a>b 2; b>a 1; a=b 3`."""
    tally, arms = count(votes), votes.arms
    pairs = [(i, j) for i in range(len(arms)) for j in range(len(arms))]
    won = [f"{arms[i]}>{arms[j]} {tally.wins[i, j]:.9g}" for i, j in pairs if tally.wins[i, j]]
    tied = [f"{arms[i]}={arms[j]} {tally.ties[i, j]:.9g}" for i, j in pairs if i < j and tally.ties[i, j]]
    return "; ".join(won + tied)
