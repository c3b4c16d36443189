"""A process that asks and tells, and prints the id of every ticket once `tell` has returned.

`python teller.py path n` tells n answers; with n = 0 it goes on until it is killed.
"""

import sys
from itertools import count

from duelist import Study


def main(path: str, n: int) -> None:
    study = Study.open(path, worker=n)
    for _ in count() if n == 0 else range(n):
        duel = study.ask()
        identity = study.teller.ticket(duel).id
        print("asked", identity, flush=True)
        study.tell(duel, "left" if duel.left < duel.right else "right")
        print("told", identity, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
