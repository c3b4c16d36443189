"""A process that appends to a journal, and prints what was acknowledged; to be run several times and killed.

`python writer.py path name n` appends n answers with tickets `name-0`, `name-1`, … one by one, and with a
negative n batches of -n answers, for ever. It waits for a line of input first, so that several begin at once.
"""

import sys

from duelist.journal import Answered, JsonLinesJournal, RepeatedEventError


def main(path: str, name: str, n: int) -> None:
    journal = JsonLinesJournal(path)
    print("ready", flush=True)
    sys.stdin.readline()
    number = 0
    while number < n or n < 0:
        tickets = [f"{name}-{number + one}" for one in range(max(1, -n))]
        number += len(tickets)
        try:
            journal.append([Answered(ticket=ticket, left=0, right=1, outcome=1.0) for ticket in tickets])
            print(*tickets, flush=True)
        except RepeatedEventError as error:
            print("refused", error.stored.event.key, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
