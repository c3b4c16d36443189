"""The work of processes that share a database; they report what was acknowledged, and may be killed."""

from itertools import count
from multiprocessing.connection import Connection
from typing import Any

from duelist import Study
from duelist.database import Database
from duelist.journal import Answered, Created

STUDY = "shared"
# not those of duelist.checks: importing it takes longer than everything else here
BEGINNING = Created(format=1, study="0" * 32, seed=1, learner={}, choices={}, package="0.1.0")


def create(pipe: "Connection[Any, Any]", name: str) -> None:
    """Begin a study in the database at every place that is sent, until None is."""
    pipe.send("ready")
    for place in iter(pipe.recv, None):
        with Database(place) as database:
            database.journal(name).append([BEGINNING])
        pipe.send("created")


def append(pipe: "Connection[Any, Any]", place: str, name: str, n: int) -> None:
    """Append answers with tickets `name-0`, `name-1`, …; endlessly if n is 0."""
    journal = Database(place).journal(STUDY)
    for number in count() if n == 0 else range(n):
        journal.append([Answered(ticket=f"{name}-{number}", left=0, right=1, outcome=1.0)])
        pipe.send(f"{name}-{number}")


def tell(pipe: "Connection[Any, Any]", place: str, number: int, n: int) -> None:
    """Ask and tell n times, wait for a word, and send what is known."""
    study = Study.open(Database(place).journal(STUDY), worker=number)
    for one in range(n):
        # a voter of two processes would be shown one duel where they share them
        duel = study.ask(voter=f"voter {number}-{one % 3}")
        if one % 5 == number:
            study.skip(duel)
        else:
            study.tell(
                duel, "tie" if one % 4 == 3 else "left" if str(duel.left) < str(duel.right) else "right"
            )
        if one % 6 == 5:
            study.retract(study.votes()[-1].ticket)
        if one == 7:
            study.add_arm(f"arm of {number}")
    pipe.send("done")
    pipe.recv()
    pipe.send(knowledge(study))


def knowledge(study: Any) -> dict[str, Any]:
    """Return all that a study has folded."""
    fold = study._live.now()
    return {
        "seq": fold.last.seq,
        "answers": fold.tally.answers,
        "repeats": fold.tally.repeats,
        "arms": list(fold.choices.names),
        "left out": sorted(fold.left_out),
        "voters": {voter: sorted(map(list, seen)) for voter, seen in sorted(fold.seen.by_voter.items())},
        "times": [vote.time.timestamp() for vote in study.votes(all=True)],
        "tables": [fold.tally.scores, fold.tally.wins, fold.tally.ties, *fold.player.state],
    }
