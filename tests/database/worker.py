"""Processes that share a database; each prints what was acknowledged, and may be killed at any time.

`worker.py create`: for every place on a line of its input, opens the database there and begins a study.
`worker.py append place name n`: appends answers with tickets `name-0`, `name-1`, …; for ever if n is 0.
`worker.py tell place number n`: asks and tells n times, waits for a line, and prints what it knows as JSON.
"""

import json
import sys
from itertools import count
from typing import Any

from duelist.database import Database
from duelist.journal import Answered, Created

STUDY = "shared"
# not those of duelist.checks: importing it takes longer than everything else here
BEGINNING = Created(format=1, study="0" * 32, seed=1, learner={}, choices={}, package="0.1.0")


def create(name: str) -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        with Database(line.strip()) as database:
            database.journal(name).append([BEGINNING])
        print("created", flush=True)


def append(place: str, name: str, n: int) -> None:
    journal = Database(place).journal(STUDY)
    for number in count() if n == 0 else range(n):
        journal.append([Answered(ticket=f"{name}-{number}", left=0, right=1, outcome=1.0)])
        print(f"{name}-{number}", flush=True)


def tell(place: str, number: int, n: int) -> None:
    from duelist import Study

    study = Study.open(Database(place).journal(STUDY), worker=number)
    for one in range(n):
        duel = study.ask(voter=f"voter {one % 3}")
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
    print("done", flush=True)
    sys.stdin.readline()
    print(json.dumps(knowledge(study)))


def knowledge(study: Any) -> dict[str, Any]:
    """Return all that a study has folded, as JSON can hold it to the last bit."""
    fold = study._now()
    tables = (fold.tally.wins, fold.tally.decisive, fold.tally.ties, *fold.player.state)
    return {
        "seq": fold.seq,
        "answers": fold.tally.answers,
        "repeats": fold.tally.repeats,
        "arms": list(fold.choices.names),
        "left out": sorted(fold.left_out),
        "voters": {voter: sorted(map(list, seen)) for voter, seen in sorted(fold.tally.voters.items())},
        "times": [vote.time.timestamp() for vote in study.votes(all=True)],
        "tables": [[str(table.dtype), table.tolist()] for table in tables],
    }


if __name__ == "__main__":
    if sys.argv[1] == "create":
        create(sys.argv[2])
    elif sys.argv[1] == "append":
        append(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        tell(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
