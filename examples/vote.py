"""Vote until there is a winner, on a running service: python examples/vote.py http://127.0.0.1:8321."""

import sys

from duelist.client import Client

with Client(sys.argv[1]) as client:
    logos = client.create("logos", arms=["circle", "square", "star"])
    while not logos.done():
        duel = logos.ask()
        logos.tell(duel, input(f"{duel.left} (left), {duel.right} (right) or a tie? "))
    print(logos.verdict())
